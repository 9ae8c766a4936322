package dev.weir.bench.fleet;

import dev.weir.proxy.rule.spec.LimitSpec;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Whether a limit's promise of every window was kept, as far as it can be known from outside: of
 * each request only that it was admitted at some moment between its sending and its answer. So a
 * request counts in those windows only that hold all of its span, and what is told to be over the
 * limit is so wherever in their spans the moments were. The other way round it may be blind: by the
 * spans of as many requests as are under way at a window's ends.
 *
 * <p>Written from the promises alone; shares no code with what decides. One unit per request.
 */
abstract class WindowCheck {
  /** Sub-windows of a ring that names none of its own. */
  private static final int SUB_WINDOWS = 10;

  /**
   * The check of a limit's promise.
   *
   * @param spec without an alignment or sub-window of its own.
   */
  static WindowCheck of(LimitSpec spec) {
    final long units = spec.rate().count();
    final long windowUs = TimeUnit.NANOSECONDS.toMicros(spec.rate().windowNs());
    return switch (spec.algorithm()) {
      case GCRA, TOKEN_BUCKET, LEAKY_BUCKET -> new Paced(spec.capacity(), units, windowUs);
      case SLIDING_LOG -> new Sliding(units, 1, windowUs);
      case BUCKET_RING -> new Sliding(units, windowUs / SUB_WINDOWS, SUB_WINDOWS);
      case FIXED_WINDOW -> new Sliding(units, windowUs, 1);
      case SLIDING_COUNTER -> new Counter(units, windowUs);
    };
  }

  /** Requests by which the worst window was over the limit; 0 if none surely was. */
  abstract long over(Intervals admitted);

  private static long unitsOver(long scaled, long scale) {
    return scaled <= 0 ? 0 : (scaled + scale - 1) / scale;
  }

  /**
   * In any span of time, the burst and what comes back meanwhile.
   *
   * <p>For each begin of a window, latest first, each end is worth the requests within, less what
   * came back until then; the best end is found in a tree over all ends.
   */
  static final class Paced extends WindowCheck {
    private final long burst;
    private final long units;
    private final long windowUs;

    /**
     * @param units that come back in a window.
     */
    Paced(long burst, long units, long windowUs) {
      this.burst = burst;
      this.units = units;
      this.windowUs = windowUs;
    }

    @Override
    long over(Intervals admitted) {
      if (admitted.count() == 0) {
        return 0;
      }
      final Intervals byBegin = admitted.latestFirst();
      final long[] ends = admitted.ends();
      final long originUs = byBegin.fromUs(byBegin.count() - 1);
      // Scaled by the window, so that nothing is rounded.
      final MaxTree worth = new MaxTree(ends.length);
      for (int i = 0; i < ends.length; i++) {
        worth.add(i, i + 1, -Math.multiplyExact(units, ends[i] - originUs));
      }
      long most = Long.MIN_VALUE;
      for (int i = 0; i < byBegin.count(); i++) {
        final long fromUs = byBegin.fromUs(i);
        worth.add(Arrays.binarySearch(ends, byBegin.toUs(i)), ends.length, windowUs);
        final int first = Arrays.binarySearch(ends, fromUs);
        final long within = worth.max(first < 0 ? -first - 1 : first);
        most = Math.max(most, within + units * (fromUs - originUs));
      }
      return unitsOver(most - Math.multiplyExact(burst, windowUs), windowUs);
    }
  }

  /** At most a limit in any window that begins and ends with a tick of a clock. */
  static final class Sliding extends WindowCheck {
    private final long limit;
    private final long tickUs;
    private final long ticks;

    /**
     * @param ticks that are one window.
     */
    Sliding(long limit, long tickUs, long ticks) {
      this.limit = limit;
      this.tickUs = tickUs;
      this.ticks = ticks;
    }

    @Override
    long over(Intervals admitted) {
      final Intervals byBegin = admitted.inUnitsOf(tickUs).latestFirst();
      final long[] ends = byBegin.ends();
      final SumTree ended = new SumTree(ends.length);
      long most = 0;
      for (int i = 0; i < byBegin.count(); i++) {
        ended.increment(Arrays.binarySearch(ends, byBegin.toUs(i)));
        final int behind = Arrays.binarySearch(ends, byBegin.fromUs(i) + ticks);
        most = Math.max(most, ended.sum(behind < 0 ? -behind - 1 : behind) - limit);
      }
      return most;
    }
  }

  /**
   * The requests of a window of the clock, and those of the one before by the share that a sliding
   * window still covers of it.
   */
  static final class Counter extends WindowCheck {
    private final long limit;
    private final long windowUs;

    Counter(long limit, long windowUs) {
      this.limit = limit;
      this.windowUs = windowUs;
    }

    @Override
    long over(Intervals admitted) {
      // By their ends: those that end in a window are next to each other.
      final long[] endsUs = new long[admitted.count()];
      int inside = 0;
      for (int i = 0; i < admitted.count(); i++) {
        if (admitted.fromUs(i) / windowUs == admitted.toUs(i) / windowUs) {
          endsUs[inside++] = admitted.toUs(i);
        }
      }
      Arrays.sort(endsUs, 0, inside);
      long most = 0;
      long window = -1;
      long used = 0;
      long usedBefore = 0;
      for (int i = 0; i < inside; i++) {
        final long present = endsUs[i] / windowUs;
        if (present != window) {
          usedBefore = present == window + 1 ? used : 0;
          used = 0;
          window = present;
        }
        used++;
        final long coveredUs = windowUs - endsUs[i] % windowUs;
        most = Math.max(most, (used - limit) * windowUs + usedBefore * coveredUs);
      }
      return unitsOver(most, windowUs);
    }
  }
}
