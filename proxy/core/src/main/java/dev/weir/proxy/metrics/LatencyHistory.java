package dev.weir.proxy.metrics;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * The latencies of the last minutes, in slices. A slice is kept as its lines in an interval log, a
 * hundredth of a histogram. Not thread-safe.
 */
public final class LatencyHistory {
  /** How long a slice should be. */
  public static final long SLICE_NS = TimeUnit.SECONDS.toNanos(10);

  /** How many slices are kept: those of five minutes. */
  static final int SLICE_COUNT = 30;

  /**
   * Bounds the memory: some hundred kilobytes are usual, but latencies without a pattern would take
   * more.
   */
  static final int MOST_BYTES = 1 << 20;

  /** Complete slices that count as recent, besides the one that has not ended. */
  private static final int RECENT_COUNT = 6;

  private final Latencies.Reader reader;
  private final LongSupplier clockNs;
  private final ArrayDeque<Slice> slices = new ArrayDeque<>();
  private final IntervalLog log = new IntervalLog();
  private final Histogram scratch = LatencyRecorder.emptyHistogram();
  private final long baseNs;
  private long sliceStartNs;
  private int byteCount;

  private record Slice(long startNs, byte[] lines) {}

  /**
   * @param clockNs one that never runs backwards.
   */
  public LatencyHistory(Latencies latencies, LongSupplier clockNs) {
    this.clockNs = clockNs;
    reader = latencies.newReader();
    baseNs = clockNs.getAsLong();
    sliceStartNs = baseNs;
  }

  /** Ends a slice and begins the next; the oldest go where there are too many. */
  public void endSlice() {
    long nowNs = clockNs.getAsLong();
    for (LatencyStep step : LatencyStep.values()) {
      scratch.reset();
      reader.take(step, scratch);
      log.line(step, sliceStartNs - baseNs, nowNs - baseNs, scratch);
    }
    Slice ended = new Slice(sliceStartNs, log.take());
    slices.add(ended);
    byteCount += ended.lines().length;
    while (slices.size() > SLICE_COUNT || byteCount > MOST_BYTES) {
      byteCount -= slices.remove().lines().length;
    }
    sliceStartNs = nowNs;
  }

  /**
   * All slices as an interval log, the one that has not ended as its last.
   *
   * @param nowMs since 1970.
   */
  public byte[] log(long nowMs) {
    long nowNs = clockNs.getAsLong();
    ByteArrayOutputStream all = new ByteArrayOutputStream(byteCount + (8 << 10));
    log.header(nowMs - TimeUnit.NANOSECONDS.toMillis(nowNs - baseNs));
    all.writeBytes(log.take());
    for (Slice slice : slices) {
      all.writeBytes(slice.lines());
    }
    for (LatencyStep step : LatencyStep.values()) {
      scratch.reset();
      reader.peek(step, scratch);
      log.line(step, sliceStartNs - baseNs, nowNs - baseNs, scratch);
    }
    all.writeBytes(log.take());
    return all.toByteArray();
  }

  /** The last minute, a little more, or what there is since the start, by step. */
  public Recent recent(double... quantiles) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    long startNs = sliceStartNs;
    int skipped = slices.size() - RECENT_COUNT;
    for (Slice slice : slices) {
      if (--skipped < 0) {
        startNs = Math.min(startNs, slice.startNs());
        lines.writeBytes(slice.lines());
      }
    }
    Histogram[] times = new Histogram[LatencyStep.values().length];
    for (LatencyStep step : LatencyStep.values()) {
      times[step.ordinal()] = LatencyRecorder.emptyHistogram();
      reader.peek(step, times[step.ordinal()]);
    }
    HistogramLogReader ended =
        new HistogramLogReader(new ByteArrayInputStream(lines.toByteArray()));
    Histogram slice;
    while ((slice = (Histogram) ended.nextIntervalHistogram()) != null) {
      LatencyStep step =
          slice.getTag() == null
              ? LatencyStep.TOTAL
              : LatencyStep.parse(slice.getTag()).orElseThrow();
      times[step.ordinal()].add(slice);
    }
    LatencySummary[] byStep = new LatencySummary[times.length];
    for (int i = 0; i < times.length; i++) {
      double sumNs = times[i].getMean() * times[i].getTotalCount();
      byStep[i] = LatencySummary.of(times[i], sumNs, quantiles);
    }
    return new Recent(clockNs.getAsLong() - startNs, byStep);
  }

  /**
   * The times that were recorded of late, as figures by step.
   *
   * @param lengthNs how far back it goes.
   */
  public record Recent(long lengthNs, LatencySummary[] byStep) {
    public LatencySummary of(LatencyStep step) {
      return byStep[step.ordinal()];
    }
  }
}
