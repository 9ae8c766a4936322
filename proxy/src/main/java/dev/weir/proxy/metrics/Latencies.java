package dev.weir.proxy.metrics;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Times of all event loops since the start, merged when somebody reads. Thread-safe: readers
 * exclude each other, the loops that write are never held up.
 */
public final class Latencies {
  private static final double NS_PER_US = 1_000;
  private static final int TICKS_PER_HALF_DISTANCE = 5;
  private static final double[] TABLE_PERCENTILES = {50, 90, 99, 99.9, 99.99};

  private final Step[] steps = new Step[LatencyStep.values().length];

  Latencies() {
    for (int i = 0; i < steps.length; i++) {
      steps[i] = new Step();
    }
  }

  void add(LatencyStep step, LatencyRecorder recorder) {
    steps[step.ordinal()].add(recorder);
  }

  /**
   * A step's times as figures.
   *
   * @param quantiles each from 0 to 1.
   */
  public LatencySummary summary(LatencyStep step, double... quantiles) {
    Step at = steps[step.ordinal()];
    return at.read(
        histogram -> {
          long[] valuesNs = new long[quantiles.length];
          for (int i = 0; i < quantiles.length; i++) {
            valuesNs[i] = histogram.getValueAtPercentile(quantiles[i] * 100);
          }
          return new LatencySummary(
              histogram.getTotalCount(), at.sumNs, histogram.getMaxValue(), quantiles, valuesNs);
        });
  }

  /** The percentiles of every step as a table, in microseconds; 0 where nothing was recorded. */
  public String table() {
    StringBuilder text = new StringBuilder("Latency since start, in microseconds.\n\n");
    text.append(
        String.format(
            Locale.ROOT,
            "%-10s %12s %12s %12s %12s %12s %12s %14s\n",
            "step",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "p99.99",
            "max",
            "count"));
    for (LatencyStep step : LatencyStep.values()) {
      String row = steps[step.ordinal()].read(histogram -> row(step, histogram));
      text.append(row);
    }
    return text.toString();
  }

  private static String row(LatencyStep step, Histogram histogram) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-10s", step.label()));
    for (double percentile : TABLE_PERCENTILES) {
      row.append(cell(histogram.getValueAtPercentile(percentile)));
    }
    row.append(cell(histogram.getMaxValue()));
    return row.append(String.format(Locale.ROOT, " %14d\n", histogram.getTotalCount())).toString();
  }

  private static String cell(long ns) {
    return String.format(Locale.ROOT, " %12.2f", ns / NS_PER_US);
  }

  /** A step's whole distribution as HdrHistogram's plotters read it, values in microseconds. */
  public String hgrm(LatencyStep step) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.US_ASCII)) {
      Histogram copy = steps[step.ordinal()].read(Histogram::copy);
      copy.outputPercentileDistribution(out, TICKS_PER_HALF_DISTANCE, NS_PER_US);
      // In the form of the summary lines before it, which plotters skip.
      out.print("#[Step    = " + step.label() + ", Unit           = microseconds]\n");
    }
    return bytes.toString(StandardCharsets.US_ASCII);
  }

  /** One step over all loops. */
  private static final class Step {
    private final List<LatencyRecorder> recorders = new ArrayList<>();
    private final Histogram merged = LatencyRecorder.emptyHistogram();

    /** A double, because ten thousand requests at once fill 2^63 ns in days. */
    private double sumNs;

    synchronized void add(LatencyRecorder recorder) {
      recorders.add(recorder);
    }

    synchronized <T> T read(Function<Histogram, T> reader) {
      for (LatencyRecorder recorder : recorders) {
        sumNs += recorder.drainInto(merged);
      }
      return reader.apply(merged);
    }
  }
}
