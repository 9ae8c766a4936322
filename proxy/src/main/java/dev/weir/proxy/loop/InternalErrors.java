package dev.weir.proxy.loop;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exceptions that nobody expected: faults of our own. Whoever runs the work of many ends what has
 * failed, reports it here, and goes on with the others. All are counted; at most one a second is
 * logged, as what fails once per request would fill a disk. Any thread.
 */
public final class InternalErrors {
  private static final long LOG_EVERY_NS = TimeUnit.SECONDS.toNanos(1);
  private static final Logger LOG = LoggerFactory.getLogger(InternalErrors.class);
  private static final AtomicLong COUNT = new AtomicLong();
  private static final AtomicLong LOGGED_NS = new AtomicLong(System.nanoTime() - LOG_EVERY_NS);
  private static final AtomicLong LOGGED_COUNT = new AtomicLong();

  private InternalErrors() {}

  /**
   * Reports an error.
   *
   * @param ended what has come to its end by it, as a sentence begins: "a request".
   */
  public static void caught(String ended, Throwable error) {
    long count = COUNT.incrementAndGet();
    long nowNs = System.nanoTime();
    long loggedNs = LOGGED_NS.get();
    if (nowNs - loggedNs >= LOG_EVERY_NS && LOGGED_NS.compareAndSet(loggedNs, nowNs)) {
      long unlogged = count - 1 - LOGGED_COUNT.getAndSet(count);
      String others = unlogged > 0 ? " (and " + unlogged + " more that were not logged)" : "";
      LOG.error("internal error: {} has ended by it{}", ended, others, error);
    }
  }

  /** The number of internal errors since the process started. */
  public static long count() {
    return COUNT.get();
  }
}
