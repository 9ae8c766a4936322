package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.load.LoopRecorder.Time;
import dev.weir.bench.report.FigureText;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Check;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Threshold;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * The recorded figures of a run, added up over its event loops, and the result that they make.
 *
 * @param cpuNs processor time of the harness.
 * @param unanswered requests without an answer when the run ended.
 * @param missing connections that were not there when it began.
 */
record RunFigures(
    Scenario scenario,
    RunTimes times,
    List<LoopRecorder> recorders,
    Sampler sampler,
    long cpuNs,
    int unanswered,
    int missing) {
  /** How long it measured. */
  double seconds() {
    return Math.max(1e-3, (times.endNs() - times.measuredFromNs) / 1e9);
  }

  long count(Count count) {
    return sum(recorder -> recorder.count(count));
  }

  long sum(ToLongFunction<LoopRecorder> of) {
    return recorders.stream().mapToLong(of).sum();
  }

  /** Requests that have had an answer or failed. */
  long ended() {
    return count(Count.PASSED) + count(Count.REFUSED) + count(Count.FAILED);
  }

  /** Requests that were due; in an open loop only. */
  double due() {
    return scenario.load().schedule().countBy(times.endNs() - times.measuredFromNs);
  }

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** The time of day of a time of {@link System#nanoTime}. */
  static Instant at(long ns) {
    return Instant.now().minusNanos(System.nanoTime() - ns);
  }

  RunResult result() {
    final List<LatencySeries> series = series();
    final Histogram latencies = series.get(0).total();
    final Histogram late = new LatencySeries("", "", sampler.histograms(Time.LATE)).total();
    return new RunResult(
        scenario.name(),
        new RunFacts(this).facts(late),
        new RunWarnings(this).warnings(latencies, late),
        scenario.thresholds().stream().map(threshold -> check(threshold, latencies)).toList(),
        sampler.slices(),
        series,
        at(times.measuredFromNs).toEpochMilli());
  }

  private List<LatencySeries> series() {
    final List<LatencySeries> series = new ArrayList<>();
    final String uncorrected = LatencySeries.UNCORRECTED;
    if (scenario.load().open()) {
      series.add(series("", "corrected", Time.CORRECTED));
      series.add(series(uncorrected, uncorrected, Time.UNCORRECTED));
    } else {
      series.add(series("", "closed loop", Time.CORRECTED));
    }
    if (count(Count.REFUSED) > 0) {
      series.add(series("refused", "refused", Time.REFUSED));
    }
    return series;
  }

  private LatencySeries series(String tag, String label, Time time) {
    return new LatencySeries(tag, label, sampler.histograms(time));
  }

  /** Whether what a scenario demands has held. */
  private Check check(Threshold threshold, Histogram latencies) {
    final double value =
        switch (threshold.figure()) {
          case PERCENTILE -> time(latencies, threshold.percentile());
          case MAX -> time(latencies, 100);
          case MEAN -> latencies.getTotalCount() == 0 ? Double.NaN : latencies.getMean();
          case PASSED -> part(threshold, count(Count.PASSED));
          case REFUSED -> part(threshold, count(Count.REFUSED));
          // If no request has ended, the error rate is unknown.
          case ERRORS -> ended() == 0 ? Double.NaN : part(threshold, count(Count.FAILED));
          case RATE -> (count(Count.PASSED) + count(Count.REFUSED)) / seconds();
        };
    return new Check(threshold.text(), text(threshold, value), threshold.holds(value));
  }

  private static double time(Histogram latencies, double percentile) {
    return latencies.getTotalCount() == 0 ? Double.NaN : latencies.getValueAtPercentile(percentile);
  }

  private double part(Threshold threshold, long count) {
    return threshold.ofAll() ? (double) count / ended() : count;
  }

  private static String text(Threshold threshold, double value) {
    if (Double.isNaN(value)) {
      return "no answer";
    }
    return switch (threshold.figure()) {
      case PERCENTILE, MAX, MEAN -> FigureText.time((long) value);
      case RATE -> number(Math.round(value)) + "/s";
      default ->
          threshold.ofAll()
              ? String.format(Locale.ROOT, "%.3f %%", 100 * value)
              : number((long) value);
    };
  }
}
