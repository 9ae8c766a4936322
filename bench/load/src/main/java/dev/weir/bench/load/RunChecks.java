package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.report.Check;
import dev.weir.bench.report.FigureText;
import dev.weir.bench.scenario.Threshold;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Whether what a scenario demands of its run has held. */
final class RunChecks {
  private final RunFigures figures;

  RunChecks(RunFigures figures) {
    this.figures = figures;
  }

  Check check(Threshold threshold, Histogram latencies) {
    final double value =
        switch (threshold.figure()) {
          case PERCENTILE -> time(latencies, threshold.percentile());
          case MAX -> time(latencies, 100);
          case MEAN -> latencies.getTotalCount() == 0 ? Double.NaN : latencies.getMean();
          case PASSED -> part(threshold, figures.count(Count.PASSED));
          case REFUSED -> part(threshold, figures.count(Count.REFUSED));
          // Where nothing ended, nothing is known of errors either.
          case ERRORS ->
              figures.ended() == 0 ? Double.NaN : part(threshold, figures.count(Count.FAILED));
          case RATE ->
              (figures.count(Count.PASSED) + figures.count(Count.REFUSED)) / figures.seconds;
        };
    return new Check(threshold.text(), text(threshold, value), threshold.holds(value));
  }

  private static double time(Histogram latencies, double percentile) {
    return latencies.getTotalCount() == 0 ? Double.NaN : latencies.getValueAtPercentile(percentile);
  }

  private double part(Threshold threshold, long count) {
    return threshold.ofAll() ? (double) count / figures.ended() : count;
  }

  private static String text(Threshold threshold, double value) {
    if (Double.isNaN(value)) {
      return "no answer";
    }
    return switch (threshold.figure()) {
      case PERCENTILE, MAX, MEAN -> FigureText.time((long) value);
      case RATE -> RunFigures.number(Math.round(value)) + "/s";
      default ->
          threshold.ofAll()
              ? String.format(Locale.ROOT, "%.3f %%", 100 * value)
              : RunFigures.number((long) value);
    };
  }
}
