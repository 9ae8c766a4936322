package dev.weir.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Runs beside the first of them: throughput and latencies, and what share of its they are. */
final class RunRatios {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

  private RunRatios() {}

  /** The columns behind the run's name. */
  static List<String> heads() {
    final List<String> heads = new ArrayList<>(List.of("throughput /s"));
    for (double percentile : PERCENTILES) {
      heads.add(FigureText.percentile(percentile) + " ms");
    }
    return heads;
  }

  /**
   * A figure of a run.
   *
   * @param text empty where it was not measured.
   * @param ratio to that of the first run; empty in the first itself.
   */
  record Cell(String text, String ratio) {
    private static Cell of(boolean measured, double value, boolean first, double ofFirst) {
      return measured
          ? new Cell(FigureText.plain(value), first ? "" : FigureText.ratio(value, ofFirst))
          : new Cell("–", "");
    }
  }

  /** A run's figures, in the order of the {@link #heads}. */
  static List<Cell> row(RunView run, RunView first) {
    final List<Cell> row = new ArrayList<>();
    row.add(Cell.of(true, run.throughput(), run == first, first.throughput()));
    for (double percentile : PERCENTILES) {
      row.add(
          Cell.of(
              run.hasLatencies(),
              FigureText.ms(run.judged().getValueAtPercentile(percentile)),
              run == first,
              FigureText.ms(first.judged().getValueAtPercentile(percentile))));
    }
    return row;
  }

  /** All runs as a table for a terminal. */
  static MarkdownTable table(List<RunView> runs) {
    final List<String> heads = new ArrayList<>(List.of("run"));
    heads.addAll(heads());
    final MarkdownTable table = new MarkdownTable(heads);
    for (RunView run : runs) {
      final List<String> cells = new ArrayList<>(List.of(run.run().name()));
      for (Cell cell : row(run, runs.get(0))) {
        cells.add(cell.ratio().isEmpty() ? cell.text() : cell.text() + " (" + cell.ratio() + ")");
      }
      table.add(cells);
    }
    return table;
  }
}
