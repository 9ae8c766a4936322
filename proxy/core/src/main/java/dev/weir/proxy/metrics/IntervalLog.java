package dev.weir.proxy.metrics;

import java.io.ByteArrayOutputStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * An interval log as HdrHistogram writes and reads it, in pieces. A line holds the times of one
 * step in one interval, in nanoseconds; those of the whole request have no tag, those of a part
 * have its label. Times of day are seconds since the base that the header names. Not thread-safe.
 */
final class IntervalLog {
  private static final double NS_PER_SECOND = 1e9;

  /** The column of maxima is in milliseconds, as in everybody's interval logs. */
  private static final double NS_PER_MS = 1e6;

  private final ByteArrayOutputStream piece = new ByteArrayOutputStream();
  private final HistogramLogWriter writer = new HistogramLogWriter(piece);

  /**
   * Writes the header, which stands before the first line, and before each from which on the base
   * is another one.
   *
   * @param baseMs since 1970.
   */
  void header(long baseMs) {
    writer.outputComment("[Logged by Weir. Values are nanoseconds; without a tag: total]");
    writer.outputLogFormatVersion();
    writer.outputStartTime(baseMs);
    writer.outputBaseTime(baseMs);
    writer.outputLegend();
  }

  /** One step in one interval, from and to that long after the base; no line if it is empty. */
  void line(LatencyStep step, long fromNs, long toNs, Histogram times) {
    if (times.getTotalCount() > 0) {
      times.setTag(step == LatencyStep.TOTAL ? null : step.label());
      writer.outputIntervalHistogram(
          fromNs / NS_PER_SECOND, toNs / NS_PER_SECOND, times, NS_PER_MS);
    }
  }

  /** Takes the text that was written since the last call. */
  byte[] take() {
    byte[] bytes = piece.toByteArray();
    piece.reset();
    return bytes;
  }
}
