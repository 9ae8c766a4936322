package dev.weir.bench.report;

import dev.weir.bench.report.LatencySeries.TimedHistogram;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * A run with what is told of it as a whole.
 *
 * @param counts null where only latencies are known, as of a log of intervals.
 * @param totals of each series, in their order.
 */
record RunView(RunResult run, RunTotals counts, List<Histogram> totals) {
  private static final double MS_PER_S = 1e3;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

  /**
   * A figure of a run beside that of another.
   *
   * @param text a dash where it was not measured.
   * @param ratio to that of the other; empty beside itself.
   */
  record Cell(String text, String ratio) {}

  static RunView of(RunResult run) {
    final boolean logAlone = run.slices().isEmpty() && !run.latencies().isEmpty();
    return new RunView(
        run,
        logAlone ? null : RunTotals.of(run.slices()),
        run.latencies().stream().map(LatencySeries::total).toList());
  }

  boolean isCounted() {
    return counts != null;
  }

  /** The latencies that a run is judged by; empty where nothing was recorded. */
  Histogram judged() {
    return totals.isEmpty() ? LatencySeries.emptyHistogram() : totals.get(0);
  }

  boolean hasLatencies() {
    return judged().getTotalCount() > 0;
  }

  Optional<Histogram> uncorrected() {
    for (int i = 1; i < totals.size(); i++) {
      if (run.latencies().get(i).tag().equals(LatencySeries.UNCORRECTED)) {
        return Optional.of(totals.get(i));
      }
    }
    return Optional.empty();
  }

  /**
   * The length of a run; of a log of intervals, from the first to the last, with those left out.
   */
  long durationMs() {
    if (isCounted()) {
      return counts.durationMs();
    }
    final List<TimedHistogram> intervals = run.latencies().get(0).slices();
    return intervals.isEmpty()
        ? 0
        : intervals.get(intervals.size() - 1).endMs() - intervals.get(0).startMs();
  }

  /** Answers per second, refusals among them; of a log of intervals, what it recorded. */
  double throughput() {
    final long answers = isCounted() ? counts.answered() : judged().getTotalCount();
    return durationMs() == 0 ? 0 : answers * MS_PER_S / durationMs();
  }

  static List<String> comparedFigures() {
    final List<String> heads = new ArrayList<>(List.of("throughput /s"));
    for (double percentile : PERCENTILES) {
      heads.add(FigureText.percentile(percentile) + " ms");
    }
    return heads;
  }

  /** The figures by which runs are compared, with ratios to those of the first. */
  List<Cell> beside(RunView first) {
    final List<Cell> cells = new ArrayList<>();
    cells.add(cell(throughput(), first, first.throughput()));
    for (double percentile : PERCENTILES) {
      final double ms = FigureText.ms(judged().getValueAtPercentile(percentile));
      final double firstMs = FigureText.ms(first.judged().getValueAtPercentile(percentile));
      cells.add(hasLatencies() ? cell(ms, first, firstMs) : new Cell("–", ""));
    }
    return cells;
  }

  private Cell cell(double value, RunView first, double ofFirst) {
    return new Cell(FigureText.plain(value), this == first ? "" : FigureText.ratio(value, ofFirst));
  }

  /** All runs beside the first of them, as a table for a terminal. */
  static MarkdownTable table(List<RunView> runs) {
    final List<String> heads = new ArrayList<>(List.of("run"));
    heads.addAll(comparedFigures());
    final MarkdownTable table = new MarkdownTable(heads);
    for (RunView run : runs) {
      final List<String> cells = new ArrayList<>(List.of(run.run().name()));
      for (Cell cell : run.beside(runs.get(0))) {
        cells.add(cell.ratio().isEmpty() ? cell.text() : cell.text() + " (" + cell.ratio() + ")");
      }
      table.add(cells);
    }
    return table;
  }
}
