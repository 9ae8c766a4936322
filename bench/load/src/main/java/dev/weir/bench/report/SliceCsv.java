package dev.weir.bench.report;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * A row for each slice of a run: counts, rates per second, and percentiles of the first series in
 * milliseconds. What is not known is empty: percentiles where nothing was recorded, counts where a
 * log of intervals has none.
 */
final class SliceCsv {
  private static final String HEADS =
      "start_s,due_per_s,sent_per_s,passed,refused,failed,p50_ms,p90_ms,p99_ms,p99.9_ms,max_ms\n";
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};
  private static final double MS_PER_S = 1e3;

  private SliceCsv() {}

  static String of(RunResult run) {
    final StringBuilder out = new StringBuilder(HEADS);
    Timeline.visit(
        run,
        Integer.MAX_VALUE,
        (part, latencies) ->
            out.append(String.format(Locale.ROOT, "%.3f", part.startMs() / MS_PER_S))
                .append(counts(part.counts()))
                .append(percentiles(latencies))
                .append('\n'));
    return out.toString();
  }

  private static String counts(RunTotals counts) {
    return counts == null
        ? ",,,,,"
        : String.format(
            Locale.ROOT,
            ",%.1f,%.1f,%d,%d,%d",
            counts.perSecond(counts.due()),
            counts.perSecond(counts.sent()),
            counts.passed(),
            counts.refused(),
            counts.failed());
  }

  private static String percentiles(Histogram latencies) {
    if (latencies.getTotalCount() == 0) {
      return ",".repeat(PERCENTILES.length);
    }
    final StringBuilder cells = new StringBuilder();
    for (double percentile : PERCENTILES) {
      final double ms = FigureText.ms(latencies.getValueAtPercentile(percentile));
      cells.append(String.format(Locale.ROOT, ",%.6f", ms));
    }
    return cells.toString();
  }
}
