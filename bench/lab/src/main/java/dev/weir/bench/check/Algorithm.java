package dev.weir.bench.check;

import dev.weir.algorithms.CalendarUnit;
import dev.weir.algorithms.Limit;
import dev.weir.bench.check.Keys.Order;
import java.time.ZoneId;

/** The seven algorithms, and the variants whose arithmetic differs. */
public enum Algorithm {
  GCRA,
  /** A unit takes no whole number of nanoseconds. */
  GCRA_FRACTION,
  TOKEN_BUCKET,
  LEAKY_BUCKET,
  LEAKY_BUCKET_QUEUE,
  FIXED_WINDOW,
  CALENDAR_WINDOW,
  SLIDING_COUNTER,
  SLIDING_LOG,
  BUCKET_RING;

  private static final long SECOND_NS = 1_000_000_000L;
  private static final int SUB_WINDOWS = 8;

  /** A limit of some units per window; the calendar's window is an hour. */
  Limit of(long units, long windowNs) {
    return switch (this) {
      case GCRA -> Limit.gcra(units, windowNs, units);
      case GCRA_FRACTION -> Limit.gcra(units, windowNs + 1, units);
      case TOKEN_BUCKET -> Limit.tokenBucket(units, units, windowNs);
      case LEAKY_BUCKET -> Limit.leakyBucket(units, units, windowNs);
      case LEAKY_BUCKET_QUEUE -> Limit.leakyBucketQueue(units, units, windowNs, windowNs);
      case FIXED_WINDOW -> Limit.fixedWindow(units, windowNs, 0);
      case CALENDAR_WINDOW ->
          Limit.fixedWindow(units, CalendarUnit.HOUR, ZoneId.of("Europe/Berlin"), 0);
      case SLIDING_COUNTER -> Limit.slidingCounter(units, windowNs);
      case SLIDING_LOG -> Limit.slidingLog(units, windowNs);
      case BUCKET_RING -> Limit.bucketRing(units, windowNs, SUB_WINDOWS);
    };
  }

  /**
   * A limit that these keys do not reach. Windows are as short as the algorithm allows, or two
   * checks of a key long: both the count within a window and the step to the next one are measured.
   */
  Limit roomy(Keys keys) {
    final long shortestNs = Limit.MIN_WINDOW_NS * (this == BUCKET_RING ? SUB_WINDOWS : 1);
    final long windowNs =
        keys.order == Order.ZIPF ? shortestNs : Math.max(2L * keys.keys * Keys.STEP_NS, shortestNs);
    return switch (this) {
      case GCRA, GCRA_FRACTION, TOKEN_BUCKET, LEAKY_BUCKET, LEAKY_BUCKET_QUEUE ->
          of(10_000_000, SECOND_NS);
      case FIXED_WINDOW, BUCKET_RING -> of(500_000, windowNs);
      case CALENDAR_WINDOW -> of(1L << 35, windowNs);
      case SLIDING_COUNTER -> of(1_000, windowNs);
      case SLIDING_LOG -> of(logUnits(keys), windowNs);
    };
  }

  /** A cell for each unit, within a gibibyte for all slots: 8 for a million keys. */
  private static int logUnits(Keys keys) {
    if (keys.keys <= 1_000) {
      return 1_024;
    }
    // The first of a million keys is asked for 37 times per window.
    return keys.order == Order.ZIPF && keys.keys <= 1_000_000 ? 64 : 8;
  }
}
