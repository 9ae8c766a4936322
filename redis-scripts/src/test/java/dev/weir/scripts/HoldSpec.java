package dev.weir.scripts;

import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.SplittableRandom;

/**
 * A small limit, as the script and the definition of what a hold is read it.
 *
 * @param subWindows of a ring, which divide the window; else 1.
 */
record HoldSpec(Kind kind, long limit, long windowUs, int subWindows) {
  private static final long HOUR_US = 3_600_000_000L;

  enum Kind {
    PACED,
    FIXED_WINDOW,
    SLIDING_COUNTER,
    SLIDING_LOG,
    BUCKET_RING,
    CALENDAR,
    CONCURRENCY
  }

  static HoldSpec draw(Kind kind, SplittableRandom random) {
    final int subWindows = kind == Kind.BUCKET_RING ? 2 + random.nextInt(3) : 1;
    final long windowUs =
        kind == Kind.CALENDAR ? HOUR_US : (8 + random.nextInt(60)) * (long) subWindows;
    return new HoldSpec(kind, 1 + random.nextInt(16), windowUs, subWindows);
  }

  ScriptLimit script() {
    return switch (kind) {
      case PACED -> ScriptLimit.paced(limit, limit, windowUs);
      case FIXED_WINDOW -> ScriptLimit.fixedWindow(limit, windowUs, 3);
      case SLIDING_COUNTER -> ScriptLimit.slidingCounter(limit, windowUs);
      case SLIDING_LOG -> ScriptLimit.slidingLog(limit, windowUs);
      case BUCKET_RING -> ScriptLimit.bucketRing(limit, windowUs, subWindows);
      case CALENDAR -> ScriptLimit.calendarWindow(limit, ChronoUnit.HOURS, ZoneOffset.UTC);
      case CONCURRENCY -> ScriptLimit.concurrency(limit);
    };
  }

  /** The start of the window, or of the sub-window, of a moment. */
  long startUs(long nowUs) {
    final long widthUs = windowUs / subWindows;
    return nowUs - Math.floorMod(nowUs - (kind == Kind.FIXED_WINDOW ? 3 : 0), widthUs);
  }
}
