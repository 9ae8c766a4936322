package dev.weir.proxy.loop;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unexpected exceptions, which are bugs of Weir. A loop over the work of many catches one, ends
 * what has failed, reports it here, and goes on with the others. All are counted; at most one a
 * second is logged, as an exception per request would fill a disk. Without memory the process ends,
 * as nothing can be relied on any more. Any thread.
 */
public final class InternalErrors {
  /**
   * The exit code of a process that cannot go on, the same as that of -XX:+ExitOnOutOfMemoryError.
   */
  public static final int EXIT_CODE = 3;

  /** How long writing a line may take, as standard error may be a pipe that nobody reads. */
  private static final long LINE_MS = 1_000;

  private static final long LOG_EVERY_NS = TimeUnit.SECONDS.toNanos(1);
  private static final Logger LOG = LoggerFactory.getLogger(InternalErrors.class);
  private static final AtomicLong COUNT = new AtomicLong();
  private static final AtomicLong LOGGED_NS = new AtomicLong(System.nanoTime() - LOG_EVERY_NS);
  private static final AtomicLong LOGGED_COUNT = new AtomicLong();

  private InternalErrors() {}

  /**
   * Reports an exception.
   *
   * @param ended what it has ended, as a sentence begins: "a request".
   */
  public static void caught(String ended, Throwable error) {
    if (error instanceof OutOfMemoryError) {
      endProcess("no memory is left", error);
    }
    long count = COUNT.incrementAndGet();
    long nowNs = System.nanoTime();
    long loggedNs = LOGGED_NS.get();
    if (nowNs - loggedNs >= LOG_EVERY_NS && LOGGED_NS.compareAndSet(loggedNs, nowNs)) {
      long unlogged = count - 1 - LOGGED_COUNT.getAndSet(count);
      String others = unlogged > 0 ? " (and " + unlogged + " more that were not logged)" : "";
      LOG.error("internal error: {} has ended by it{}", ended, others, error);
    }
  }

  /**
   * Ends the process at once, with {@link #EXIT_CODE} and one line in the log, unless this takes
   * more than {@link #LINE_MS}.
   *
   * @param why as a sentence begins: "no memory is left".
   * @param error null if it is not known.
   */
  public static void endProcess(String why, Throwable error) {
    try {
      endThoughTheLineWaits();
      LOG.error("the process ends: {}{}", why, error == null ? "" : ": " + error);
    } finally {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }

  private static void endThoughTheLineWaits() {
    Runnable end =
        () -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LINE_MS));
          Runtime.getRuntime().halt(EXIT_CODE);
        };
    try {
      new Thread(end, "weir-end").start();
    } catch (OutOfMemoryError noThread) {
      // The line is worth more than what is left of this.
    }
  }

  /** The number of internal errors since the process started. */
  public static long count() {
    return COUNT.get();
  }
}
