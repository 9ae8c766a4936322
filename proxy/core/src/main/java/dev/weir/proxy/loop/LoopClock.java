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

  /** How far the time of day has to be off to have been set: both clocks are slewed together. */
  private static final long SET_NS = 100_000_000;

  /** A reading of both clocks that took longer says nothing. */
  private static final long READING_NS = SET_NS / 10;

  private static volatile long unixEpochNs = timeNs() - unixNs();

  private final LongSupplier time;
  private final LongSupplier wall;
  private long nowNs;

  /** A clock of the process's time. */
  public LoopClock() {
    this(LoopClock::timeNs, () -> TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()));
  }

  /**
   * A clock of another time, beside which the time of day neither stops nor is set.
   *
   * @param time at least 1, and never running backwards.
   */
  public LoopClock(LongSupplier time) {
    this(time, time);
  }

  /**
   * A clock of another time and time of day.
   *
   * @param time at least 1, and never running backwards.
   * @param wall the time of day, from any origin.
   */
  public LoopClock(LongSupplier time, LongSupplier wall) {
    this.time = time;
    this.wall = wall;
    nowNs = time.getAsLong();
  }

  /** The process's time, read now. */
  public static long timeNs() {
    return System.nanoTime() - ORIGIN_NS;
  }

  private static long unixNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  /**
   * 1970-01-01T00:00Z on this clock: negative, as the process started later. The same until {@link
   * #followTimeOfDay} finds that the system's time of day was set.
   */
  public static long unixEpochNs() {
    return unixEpochNs;
  }

  /**
   * Compares the time of day with this clock: {@link #unixEpochNs} is another one if it was set
   * since the last time.
   */
  public static void followTimeOfDay() {
    long beforeNs = timeNs();
    long epochNs = beforeNs - unixNs();
    if (timeNs() - beforeNs < READING_NS) {
      follow(epochNs);
    }
  }

  static void follow(long epochNs) {
    if (Math.abs(epochNs - unixEpochNs) > SET_NS) {
      unixEpochNs = epochNs;
    }
  }

  /** Reads the time. */
  public long tick() {
    nowNs = time.getAsLong();
    return nowNs;
  }

  /**
   * The time of day, read now, of millisecond precision and from an origin of its own: what it has
   * gone on more than this clock has is time that the machine was suspended.
   */
  public long wallNs() {
    return wall.getAsLong();
  }

  /** The time when it was last read. */
  public long nowNs() {
    return nowNs;
  }
}
