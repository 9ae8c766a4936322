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

  /** Counts by place, and the sum of those before a place: a Fenwick tree. Not thread-safe. */
  static final class SumTree {
    private final long[] sums;

    SumTree(int places) {
      sums = new long[places + 1];
    }

    void increment(int place) {
      for (int i = place + 1; i < sums.length; i += i & -i) {
        sums[i]++;
      }
    }

    /** The sum of the counts at all places before this one. */
    long sum(int places) {
      long sum = 0;
      for (int i = places; i > 0; i -= i & -i) {
        sum += sums[i];
      }
      return sum;
    }
  }

  /**
   * Numbers by place, 0 at first, of which a range is added to at once, and the greatest from a
   * place on is told: a segment tree whose additions stay where they cover a node. Not thread-safe.
   */
  static final class MaxTree {
    private final int leaves;
    private final long[] most;
    private final long[] added;

    /**
     * @param places 1 or more.
     */
    MaxTree(int places) {
      leaves = Math.max(1, Integer.highestOneBit(2 * places - 1));
      most = new long[2 * leaves];
      added = new long[2 * leaves];
      // Behind the last place there is nothing that could be the greatest.
      for (int i = places; i < leaves; i++) {
        most[leaves + i] = Long.MIN_VALUE / 2;
      }
      for (int i = leaves - 1; i > 0; i--) {
        most[i] = Math.max(most[2 * i], most[2 * i + 1]);
      }
    }

    /** Adds to the places from one to before another. */
    void add(int from, int to, long value) {
      add(1, 0, leaves, from, to, value);
    }

    private void add(int node, int begin, int end, int from, int to, long value) {
      if (to <= begin || end <= from) {
        return;
      }
      if (from <= begin && end <= to) {
        most[node] += value;
        added[node] += value;
        return;
      }
      final int middle = (begin + end) / 2;
      add(2 * node, begin, middle, from, to, value);
      add(2 * node + 1, middle, end, from, to, value);
      most[node] = Math.max(most[2 * node], most[2 * node + 1]) + added[node];
    }

    /** The greatest from a place on, which is one of them. */
    long max(int from) {
      return max(1, 0, leaves, from);
    }

    private long max(int node, int begin, int end, int from) {
      if (from <= begin) {
        return most[node];
      }
      final int middle = (begin + end) / 2;
      final long right = max(2 * node + 1, middle, end, from);
      return added[node]
          + (from >= middle ? right : Math.max(right, max(2 * node, begin, middle, from)));
    }
  }
}
