package dev.weir.proxy.metrics;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Times of one step on one event loop. Writing is wait-free and allocates nothing; reading swaps
 * the recorder's two histograms, which the writer does not notice.
 */
final class LatencyRecorder {
  static final long LEAST_NS = 1;
  static final long MOST_NS = 3_600_000_000_000L;
  private static final int SIGNIFICANT_DIGITS = 3;

  private final SingleWriterRecorder recorder =
      new SingleWriterRecorder(LEAST_NS, MOST_NS, SIGNIFICANT_DIGITS);
  private final Counters sumNs = new Counters(1);

  // The reader's side, under the lock of whoever drains.
  private Histogram interval;
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
    long clamped = clamped(ns);
    sumNs.add(0, clamped);
    recorder.recordValue(clamped);
  }

  /** Records a time so many times. By the writer only. */
  void record(long ns, long count) {
    long clamped = clamped(ns);
    sumNs.add(0, clamped * count);
    recorder.recordValueWithCount(clamped, count);
  }

  private static long clamped(long ns) {
    return Math.min(Math.max(ns, LEAST_NS), MOST_NS);
  }

  /**
   * Adds what was recorded since the last call to each of {@code sums}. By one reader at a time.
   *
   * @param own one more sum; null for none.
   * @return the sum of the times since the last call, ns. A time that is being recorded meanwhile
   *     may be in the sum of this call and in the histogram of the next.
   */
  long drainInto(List<Histogram> sums, Histogram own) {
    interval = recorder.getIntervalHistogram(interval);
    if (interval.getTotalCount() > 0) {
      for (Histogram sum : sums) {
        sum.add(interval);
      }
      if (own != null) {
        own.add(interval);
      }
    }
    long sum = sumNs.getAcquire(0);
    // The difference is right even when the sum has wrapped in between.
    long added = sum - drainedSumNs;
    drainedSumNs = sum;
    return added;
  }
}
