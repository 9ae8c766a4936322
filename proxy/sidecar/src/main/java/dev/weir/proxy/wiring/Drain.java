package dev.weir.proxy.wiring;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * The end of a sidecar that lets requests in flight finish. {@code /readyz} says 503 by then, and
 * requests are served on until those who ask have had the time to notice. Then no more clients are
 * accepted, and the connections there are end behind their responses ({@link
 * dev.weir.proxy.downstream.ClientLoop#drain}).
 */
public final class Drain {
  /** How often it is looked whether the last connection has ended. */
  private static final long POLL_MS = 20;

  private final long graceNs;
  private final Runnable endConnections;
  private final IntSupplier connectionCount;

  /**
   * @param graceNs for which requests are served on.
   * @param endConnections accepts no more clients, and has those there are end.
   * @param connectionCount of clients, at the moment.
   */
  Drain(long graceNs, Runnable endConnections, IntSupplier connectionCount) {
    this.graceNs = graceNs;
    this.endConnections = endConnections;
    this.connectionCount = connectionCount;
  }

  /**
   * Returns when all has ended, or the time is up.
   *
   * @param timeoutNs for the requests in flight, once no more clients are accepted.
   * @return whether all had finished when the time was up; false, too, if interrupted.
   */
  boolean run(long timeoutNs) {
    try {
      TimeUnit.NANOSECONDS.sleep(graceNs);
      endConnections.run();
      long deadlineNs = System.nanoTime() + timeoutNs;
      while (connectionCount.getAsInt() > 0) {
        if (System.nanoTime() - deadlineNs >= 0) {
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
