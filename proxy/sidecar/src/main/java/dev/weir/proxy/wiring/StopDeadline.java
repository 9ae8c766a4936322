package dev.weir.proxy.wiring;

import dev.weir.proxy.control.ProcessSettings;
import dev.weir.proxy.loop.InternalErrors;
import java.util.concurrent.TimeUnit;

/**
 * Ends a process that was asked to stop and has not: a stuck event loop does not finish its
 * requests, and a thread may wait for a log that nobody reads. Closed once the process has stopped
 * by itself.
 */
final class StopDeadline implements AutoCloseable {
  /**
   * How long everything but the requests in flight may take. Less than the 5 seconds that the chart
   * leaves to it.
   */
  private static final long REST_NS = TimeUnit.SECONDS.toNanos(3);

  private final Thread thread;

  /** Made when the process starts, so that it takes nothing once the process is asked to stop. */
  StopDeadline(ProcessSettings settings) {
    long timeoutNs = settings.drainGraceNs() + settings.drainTimeoutNs() + REST_NS;
    thread = new Thread(() -> endIn(timeoutNs), "weir-stop");
    thread.setDaemon(true);
  }

  /** The process has been asked to stop. */
  void begin() {
    thread.start();
  }

  private static void endIn(long timeoutNs) {
    try {
      TimeUnit.NANOSECONDS.sleep(timeoutNs);
      long timeoutMs = TimeUnit.NANOSECONDS.toMillis(timeoutNs);
      InternalErrors.endProcess("it has not stopped in " + timeoutMs + " ms", null);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
