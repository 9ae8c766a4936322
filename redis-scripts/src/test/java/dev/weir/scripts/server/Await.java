package dev.weir.scripts.server;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for what another thread or process does, up to a deadline that only a hung one reaches. */
public final class Await {
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(120);
  private static final long BETWEEN_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private Await() {}

  /** Returns once the condition holds; see {@link #until(String, Supplier, Callable)}. */
  public static void until(String what, Callable<Boolean> condition) {
    until(what, () -> "", condition);
  }

  /**
   * Returns once the condition holds. What it throws counts as not yet, except an error or an
   * {@link IllegalStateException}.
   *
   * @param logs added to the message when the time is up.
   */
  public static void until(String what, Supplier<String> logs, Callable<Boolean> condition) {
    final long end = System.nanoTime() + DEADLINE_NS;
    Exception last = null;
    while (System.nanoTime() - end < 0) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (IllegalStateException e) {
        throw e;
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(BETWEEN_NS);
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("interrupted while waiting for " + what);
      }
    }
    throw new IllegalStateException(
        what + ": not within " + TimeUnit.NANOSECONDS.toSeconds(DEADLINE_NS) + " s\n" + logs.get(),
        last);
  }
}
