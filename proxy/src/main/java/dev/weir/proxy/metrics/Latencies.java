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
 * Times of all event loops, merged when somebody reads. What an event loop has recorded can be
 * taken from it once only; it is added to the sum since the start, which most readers want, and to
 * the share of each {@link LatencyReader}, who wants what is new to it. Thread-safe: readers
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

  /** One more reader, whose share begins now. It is kept as long as these are. */
  LatencyReader newReader() {
    LatencyReader reader = new LatencyReader(this);
    for (LatencyStep step : LatencyStep.values()) {
      steps[step.ordinal()].share(reader.untaken(step));
    }
    return reader;
  }

  void move(LatencyReader reader, LatencyStep step, Histogram sum) {
    steps[step.ordinal()].read(
        sinceStart -> {
          Histogram untaken = reader.untaken(step);
          sum.add(untaken);
          untaken.reset();
          return sum;
        });
  }

  void copy(LatencyReader reader, LatencyStep step, Histogram sum) {
    steps[step.ordinal()].read(
        sinceStart -> {
          sum.add(reader.untaken(step));
          return sum;
        });
  }

  /**
   * A step's times as figures.
   *
   * @param quantiles each from 0 to 1.
   */
  public LatencySummary summary(LatencyStep step, double... quantiles) {
    Step at = steps[step.ordinal()];
    return at.read(sinceStart -> LatencySummary.of(sinceStart, at.sumNs, quantiles));
  }

  /** The percentiles of every step as a table, in microseconds; - where nothing was recorded. */
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
    boolean isEmpty = histogram.getTotalCount() == 0;
    for (double percentile : TABLE_PERCENTILES) {
      row.append(cell(isEmpty, histogram.getValueAtPercentile(percentile)));
    }
    row.append(cell(isEmpty, histogram.getMaxValue()));
    return row.append(String.format(Locale.ROOT, " %14d\n", histogram.getTotalCount())).toString();
  }

  private static String cell(boolean isEmpty, long ns) {
    return isEmpty
        ? String.format(Locale.ROOT, " %12s", "-")
        : String.format(Locale.ROOT, " %12.2f", ns / NS_PER_US);
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
    private final List<Histogram> sums = new ArrayList<>();
    private final Histogram sinceStart = LatencyRecorder.emptyHistogram();

    /** A double, because ten thousand requests at once fill 2^63 ns in days. */
    private double sumNs;

    Step() {
      sums.add(sinceStart);
    }

    synchronized void add(LatencyRecorder recorder) {
      recorders.add(recorder);
    }

    synchronized void share(Histogram untaken) {
      drain();
      sums.add(untaken);
    }

    synchronized <T> T read(Function<Histogram, T> reader) {
      drain();
      return reader.apply(sinceStart);
    }

    private void drain() {
      for (LatencyRecorder recorder : recorders) {
        sumNs += recorder.drainInto(sums);
      }
    }
  }
}
