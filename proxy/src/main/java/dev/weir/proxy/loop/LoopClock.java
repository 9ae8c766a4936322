package dev.weir.proxy.loop;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * An event loop's clock. Time is read when bytes arrive and when a step ends, and every decision of
 * the same read works with the time of that read: reading it for each would cost more than the
 * decision does.
 *
 * <p>Times are nanoseconds since the process started, at least 1. They never run backwards and are
 * comparable between loops.
 */
public final class LoopClock {
  private static final long ORIGIN_NS = System.nanoTime() - 1;

  /**
   * Read once, beside the origin: the two clocks may be set apart later, and windows stay whole.
   */
  private static final long UNIX_EPOCH_NS = read() - unixNs();

  private final LongSupplier time;
  private long nowNs;

  /** A clock of the process's time. */
  public LoopClock() {
    this(LoopClock::read);
  }

  /**
   * A clock of another time.
   *
   * @param time at least 1, and never running backwards.
   */
  public LoopClock(LongSupplier time) {
    this.time = time;
    nowNs = time.getAsLong();
  }

  private static long read() {
    return System.nanoTime() - ORIGIN_NS;
  }

  private static long unixNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  /**
   * 1970-01-01T00:00Z on this clock: negative, as the process started later. The same for the whole
   * run, also when the system's time of day is set.
   */
  public static long unixEpochNs() {
    return UNIX_EPOCH_NS;
  }

  /** Reads the time. */
  public long tick() {
    nowNs = time.getAsLong();
    return nowNs;
  }

  /** The time when it was last read. */
  public long nowNs() {
    return nowNs;
  }
}
