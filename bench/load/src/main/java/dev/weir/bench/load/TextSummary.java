package dev.weir.bench.load;

import dev.weir.bench.report.FigureText;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** A result for a terminal. */
final class TextSummary {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

  private final RunResult result;

  TextSummary(RunResult result) {
    this.result = result;
  }

  @Override
  public String toString() {
    final StringBuilder text = new StringBuilder(result.name()).append("\n\n");
    final int width = result.facts().keySet().stream().mapToInt(String::length).max().orElse(0);
    for (Map.Entry<String, String> fact : result.facts().entrySet()) {
      text.append(String.format("  %-" + width + "s  %s%n", fact.getKey(), fact.getValue()));
    }
    text.append('\n').append(latencies());
    for (String warning : result.warnings()) {
      text.append("\nwarning: ").append(warning);
    }
    text.append(result.warnings().isEmpty() ? "" : "\n");
    for (Check check : result.checks()) {
      text.append('\n')
          .append(check.passed() ? "held    " : "MISSED  ")
          .append(check.threshold())
          .append("  (")
          .append(check.measured())
          .append(')');
    }
    return text.append(result.checks().isEmpty() ? "" : "\n").toString();
  }

  private MarkdownTable latencies() {
    final List<String> heads = new ArrayList<>(List.of("Latency"));
    for (double percentile : PERCENTILES) {
      heads.add("p" + (percentile % 1 == 0 ? Long.toString((long) percentile) : percentile + ""));
    }
    heads.add("max");
    heads.add("answers");
    final MarkdownTable table = new MarkdownTable(heads);
    for (LatencySeries series : result.latencies()) {
      final Histogram total = series.total();
      final List<String> row = new ArrayList<>(List.of(series.label()));
      for (double percentile : PERCENTILES) {
        row.add(cell(total, total.getValueAtPercentile(percentile)));
      }
      row.add(cell(total, total.getMaxValue()));
      row.add(Long.toString(total.getTotalCount()));
      table.add(row);
    }
    return table;
  }

  private static String cell(Histogram total, long ns) {
    return total.getTotalCount() == 0 ? "-" : FigureText.time(ns);
  }
}
