package dev.weir.proxy.wiring;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * The end of a sidecar that lets requests in flight finish. {@code /readyz} is 503, and requests
 * are still accepted until load balancers have had time to notice. Then no more clients are
 * accepted, and open connections end after their responses ({@link
 * dev.weir.proxy.downstream.ClientLoop#drain}).
 */
public final class Drain {
  /** The time between two checks whether the last connection has ended. */
  private static final long POLL_MS = 20;

  private final long graceNs;
  private final Runnable endConnections;
  private final IntSupplier connectionCount;

  /**
   * @param graceNs for which requests are still accepted.
   * @param endConnections accepts no more clients, and ends open connections.
   * @param connectionCount of clients now.
   */
  Drain(long graceNs, Runnable endConnections, IntSupplier connectionCount) {
    this.graceNs = graceNs;
    this.endConnections = endConnections;
    this.connectionCount = connectionCount;
  }

  /**
   * Returns when all connections have ended, or the time is over.
   *
   * @param timeoutNs for the requests in flight, once no more clients are accepted.
   * @return whether all had ended in time; false, too, if interrupted.
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
