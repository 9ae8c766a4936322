package dev.weir.bench.report;

import dev.weir.bench.report.RunResult.Slice;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;

/**
 * Latencies of one kind over the time of a run, in nanoseconds.
 *
 * @param tag the name in an interval log, which has those of the first series without one: empty.
 *     Letters, digits and {@code -} otherwise.
 * @param label as a reader sees it: {@code corrected}.
 * @param slices in the order of time; parts in which nothing was recorded may be left out.
 */
public record LatencySeries(String tag, String label, List<TimedHistogram> slices) {

  /** Tag of latencies from where requests were sent, beside those from where they were due. */
  public static final String UNCORRECTED = "uncorrected";

  /** The longest latency that is recorded: an hour, ns. */
  public static final long MOST_NS = 3_600_000_000_000L;

  /** The range and precision of every histogram here: 1 ns to an hour, three digits. */
  public static Histogram emptyHistogram() {
    return new Histogram(1, MOST_NS, 3);
  }

  public Histogram total() {
    final Histogram total = emptyHistogram();
    for (TimedHistogram slice : slices) {
      total.add(slice.decode());
    }
    return total;
  }

  /**
   * The latencies that ended in a part of a run.
   *
   * @param startMs since the run began, as {@link Slice#startMs}.
   * @param encoded as {@link EncodableHistogram#encodeIntoByteBuffer} writes it: a twentieth of a
   *     histogram in memory, and a run may have a thousand of them.
   */
  public record TimedHistogram(long startMs, long endMs, byte[] encoded) {
    /** A copy of what a histogram holds now. */
    public static TimedHistogram of(long startMs, long endMs, Histogram histogram) {
      final ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
      final int length = histogram.encodeIntoByteBuffer(buffer);
      return new TimedHistogram(startMs, endMs, Arrays.copyOf(buffer.array(), length));
    }

    /** A copy of the latencies, which the caller may change. */
    public Histogram decode() {
      return Histogram.decodeFromByteBuffer(ByteBuffer.wrap(encoded), 1);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof TimedHistogram that
          && startMs == that.startMs
          && endMs == that.endMs
          && Arrays.equals(encoded, that.encoded);
    }

    @Override
    public int hashCode() {
      return Objects.hash(startMs, endMs, Arrays.hashCode(encoded));
    }
  }
}
