package dev.weir.proxy.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Times of one step on one event loop, counted as {@link Histogram} does with three significant
 * digits. Writing is wait-free and allocates nothing. Counts only grow, and wrap: a reader
 * remembers those it has seen, and takes the differences. So nobody takes anything away from the
 * writer, which needs no more than an array with one writer, a quarter of the memory of two
 * histograms of longs that are swapped.
 *
 * <pre>
 * index      0 .. 2047   2048 .. 3071   3072 .. 4095   ...
 * times, ns  0 .. 2047   2048 .. 4095   4096 .. 8191   ...
 * width, ns  1           2              4              ...
 * </pre>
 */
final class LatencyRecorder {
  static final long LEAST_NS = 1;
  static final long MOST_NS = 3_600_000_000_000L;
  private static final int SIGNIFICANT_DIGITS = 3;

  /** Buckets of one width; the shortest times have twice as many. */
  private static final int BUCKETS_BITS = 10;

  private static final int BUCKETS = 1 << BUCKETS_BITS;
  private static final int BUCKET_COUNT = bucket(MOST_NS) + 1;
  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);

  private final int[] counts = new int[BUCKET_COUNT];
  private final Counters sumNs = new Counters(1);

  // The reader's side, under the lock of whoever drains.
  /** The counts that were drained; null while there are none. */
  private int[] drained;

  private long drainedSumNs;

  /**
   * An empty histogram to which what recorders hold can be added. It takes memory for times as long
   * as there are in it, and next to none while there are none.
   */
  static Histogram emptyHistogram() {
    return new Histogram(SIGNIFICANT_DIGITS);
  }

  /**
   * Records a time; one outside 1 ns to 1 h counts as the nearer of the two. By the writer only.
   */
  void record(long ns) {
    record(ns, 1);
  }

  /** Records a time so many times. By the writer only. */
  void record(long ns, long count) {
    long clamped = Math.min(Math.max(ns, LEAST_NS), MOST_NS);
    sumNs.add(0, clamped * count);
    int bucket = bucket(clamped);
    COUNT.setRelease(counts, bucket, counts[bucket] + (int) count);
  }

  private static int bucket(long ns) {
    int shift = Long.SIZE - 1 - BUCKETS_BITS - Long.numberOfLeadingZeros(ns | 2 * BUCKETS - 1);
    return (shift << BUCKETS_BITS) + (int) (ns >>> shift);
  }

  /** The shortest time of a bucket, ns. */
  private static long leastNs(int bucket) {
    int shift = Math.max((bucket >> BUCKETS_BITS) - 1, 0);
    return (long) (bucket - (shift << BUCKETS_BITS)) << shift;
  }

  /**
   * Adds what was recorded since the last call to each of {@code sums}. By one reader at a time,
   * and before a bucket has counted another 2^32.
   *
   * @param own one more sum; null for none.
   * @return the sum of the times since the last call, ns. A time that is being recorded meanwhile
   *     may be in the sum of this call and in the histogram of the next.
   */
  long drainInto(List<Histogram> sums, Histogram own) {
    for (int bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      int count = (int) COUNT.getAcquire(counts, bucket);
      long added = Integer.toUnsignedLong(drained == null ? count : count - drained[bucket]);
      if (added > 0) {
        if (drained == null) {
          drained = new int[BUCKET_COUNT];
        }
        drained[bucket] = count;
        long ns = leastNs(bucket);
        for (Histogram sum : sums) {
          sum.recordValueWithCount(ns, added);
        }
        if (own != null) {
          own.recordValueWithCount(ns, added);
        }
      }
    }
    long sum = sumNs.getAcquire(0);
    // The difference is right even when the sum has wrapped in between.
    long added = sum - drainedSumNs;
    drainedSumNs = sum;
    return added;
  }
}
