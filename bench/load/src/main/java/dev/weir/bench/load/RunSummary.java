package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.load.LoopRecorder.Time;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.RunResult;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Makes a result of what a run recorded. */
final class RunSummary {
  private final RunFigures figures;

  RunSummary(RunFigures figures) {
    this.figures = figures;
  }

  RunResult result() {
    final List<LatencySeries> series = series();
    final Histogram latencies = series.get(0).total();
    final Histogram late = new LatencySeries("", "", figures.sampler.histograms(Time.LATE)).total();
    final RunChecks checks = new RunChecks(figures);
    return new RunResult(
        figures.scenario.name(),
        new RunFacts(figures).facts(late),
        new RunWarnings(figures).warnings(latencies, late),
        figures.scenario.thresholds().stream()
            .map(threshold -> checks.check(threshold, latencies))
            .toList(),
        figures.sampler.slices(),
        series,
        RunFigures.at(figures.times.measuredFromNs()).toEpochMilli());
  }

  private List<LatencySeries> series() {
    final List<LatencySeries> series = new ArrayList<>();
    if (figures.scenario.load().open()) {
      series.add(new LatencySeries("", "corrected", figures.sampler.histograms(Time.CORRECTED)));
      series.add(
          new LatencySeries(
              LatencySeries.UNCORRECTED,
              LatencySeries.UNCORRECTED,
              figures.sampler.histograms(Time.UNCORRECTED)));
    } else {
      series.add(new LatencySeries("", "closed loop", figures.sampler.histograms(Time.CORRECTED)));
    }
    if (figures.count(Count.REFUSED) > 0) {
      series.add(new LatencySeries("refused", "refused", figures.sampler.histograms(Time.REFUSED)));
    }
    return series;
  }
}
