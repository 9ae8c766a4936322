package dev.weir.scripts;

import dev.weir.algorithms.store.CounterBudget;
import dev.weir.algorithms.store.LogBudget;
import dev.weir.algorithms.store.PacedBudget;
import dev.weir.algorithms.store.RingBudget;
import dev.weir.algorithms.store.StoredBudget;
import dev.weir.algorithms.store.WindowBudget;
import java.util.SplittableRandom;

/**
 * A small limit, as the script, its twin and the judge of uses read it: {@code limit} per {@code
 * windowUs}.
 *
 * @param subWindows of a ring, which divide the window; else 1.
 * @param lifeUs the longest life of its leases; 0 if it is never leased.
 */
record LimitSpec(Kind kind, long limit, long windowUs, int subWindows, long lifeUs) {
  /** The kinds that can be leased. */
  enum Kind {
    PACED,
    FIXED_WINDOW,
    SLIDING_COUNTER,
    SLIDING_LOG,
    BUCKET_RING
  }

  /** Small numbers; one in eight as they are in use. */
  static LimitSpec draw(Kind kind, SplittableRandom random) {
    final boolean isLarge = random.nextInt(8) == 0;
    final long limit = 1 + random.nextInt(!isLarge ? 16 : kind == Kind.SLIDING_LOG ? 100 : 100_000);
    final int subWindows = kind == Kind.BUCKET_RING ? 2 + random.nextInt(3) : 1;
    final long widthUs = 8 + random.nextLong(isLarge ? 3_600_000_000L : 60);
    final long windowUs = widthUs * subWindows;
    final long mostUs = Math.min(windowUs, ScriptLimit.MAX_LIFE_US - 1);
    final long lifeUs =
        1 + random.nextLong(random.nextBoolean() ? mostUs : Math.max(mostUs / 4, 1));
    return new LimitSpec(kind, limit, windowUs, subWindows, random.nextInt(6) == 0 ? 0 : lifeUs);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  StoredBudget budget() {
    return switch (kind) {
      case PACED -> {
        final long divisor = gcd(limit, windowUs);
        yield new PacedBudget(limit, limit / divisor, windowUs / divisor, lifeUs);
      }
      case FIXED_WINDOW -> new WindowBudget(limit, windowUs, 3);
      case SLIDING_COUNTER -> new CounterBudget(limit, windowUs);
      case SLIDING_LOG -> new LogBudget(limit, windowUs);
      case BUCKET_RING -> new RingBudget(limit, windowUs / subWindows, subWindows);
    };
  }

  ScriptLimit script() {
    return switch (kind) {
      case PACED -> {
        final ScriptLimit paced = ScriptLimit.paced(limit, limit, windowUs);
        yield lifeUs == 0 ? paced : paced.leased(lifeUs);
      }
      case FIXED_WINDOW -> ScriptLimit.fixedWindow(limit, windowUs, 3);
      case SLIDING_COUNTER -> ScriptLimit.slidingCounter(limit, windowUs);
      case SLIDING_LOG -> ScriptLimit.slidingLog(limit, windowUs);
      case BUCKET_RING -> ScriptLimit.bucketRing(limit, windowUs, subWindows);
    };
  }

  /** The end of the window, or sub-window, of a moment; of a limit without any a window later. */
  long edgeUs(long nowUs) {
    final long widthUs = windowUs / subWindows;
    return switch (kind) {
      case PACED, SLIDING_LOG -> nowUs + windowUs;
      case FIXED_WINDOW -> nowUs - Math.floorMod(nowUs - 3, windowUs) + windowUs;
      case SLIDING_COUNTER, BUCKET_RING -> nowUs - nowUs % widthUs + widthUs;
    };
  }
}
