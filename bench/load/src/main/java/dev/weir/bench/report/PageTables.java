package dev.weir.bench.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;

/** The bottom of a page: every figure of its charts as tables, and the facts of its runs. */
final class PageTables {
  private static final double[] PERCENTILES = {0, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
  private static final double[] PERCENTILES_OF_PART = {50, 90, 99, 99.9, 100};
  private static final int MOST_ROWS = 120;
  private static final double MS_PER_S = 1e3;

  private final Html html;
  private final List<RunView> runs;

  /** A column of the table of percentiles. */
  private record Column(String head, Histogram latencies) {}

  PageTables(Html html, List<RunView> runs) {
    this.html = html;
    this.runs = runs;
  }

  void write() throws IOException {
    percentiles();
    for (RunView run : runs) {
      if (run.durationMs() > 0) {
        times(run);
      }
    }
    facts();
  }

  private void percentiles() throws IOException {
    final List<Column> columns = columns();
    if (columns.isEmpty()) {
      return;
    }
    html.raw("<section aria-labelledby=\"table\">\n<h2 id=\"table\">Percentiles</h2>\n");
    html.openTable("Percentiles of latency in milliseconds", "figures");
    html.raw("<thead><tr>").columnHead("ms");
    for (Column column : columns) {
      html.columnHead(column.head());
    }
    html.raw("</tr></thead>\n<tbody>\n");
    for (double percentile : PERCENTILES) {
      html.raw("<tr>").rowHead(percentile == 0 ? "min" : FigureText.percentile(percentile));
      for (Column column : columns) {
        html.cell(ms(column.latencies(), percentile));
      }
      html.raw("</tr>\n");
    }
    html.raw("<tr>").rowHead("mean");
    for (Column column : columns) {
      html.cell(FigureText.plain(FigureText.ms(Math.round(column.latencies().getMean()))));
    }
    html.raw("</tr>\n<tr>").rowHead("count");
    for (Column column : columns) {
      html.cell(FigureText.count(column.latencies().getTotalCount()));
    }
    html.raw("</tr>\n</tbody>\n").closeTable().raw("</section>\n");
  }

  private List<Column> columns() {
    final List<Column> columns = new ArrayList<>();
    for (RunView run : runs) {
      final int count = runs.size() == 1 ? run.totals().size() : 1;
      for (int i = 0; i < Math.min(count, run.totals().size()); i++) {
        if (run.totals().get(i).getTotalCount() > 0) {
          columns.add(
              new Column(
                  runs.size() == 1 ? run.run().latencies().get(i).label() : run.run().name(),
                  run.totals().get(i)));
        }
      }
    }
    return columns;
  }

  private static String ms(Histogram latencies, double percentile) {
    return FigureText.plain(
        FigureText.ms(
            percentile == 0
                ? latencies.getMinValue()
                : latencies.getValueAtPercentile(percentile)));
  }

  private void times(RunView run) throws IOException {
    final String title = "Figures over time" + (runs.size() == 1 ? "" : ": " + run.run().name());
    html.raw("<details>\n<summary>").text(title).raw("</summary>\n");
    html.openTable(title, "figures").raw("<thead><tr>").columnHead("from s").columnHead("to s");
    final List<String> heads =
        run.isCounted()
            ? List.of("due /s", "sent /s", "passed /s", "refused /s", "failed /s")
            : List.of("recorded /s");
    for (String head : heads) {
      html.columnHead(head);
    }
    for (double percentile : PERCENTILES_OF_PART) {
      html.columnHead(FigureText.percentile(percentile) + " ms");
    }
    html.raw("</tr></thead>\n<tbody>\n");
    Timeline.of(run.run(), MOST_ROWS).visit(this::timesRow);
    html.raw("</tbody>\n").closeTable().raw("</details>\n");
  }

  private void timesRow(Timeline.Part part, Histogram latencies) throws IOException {
    html.raw("<tr>")
        .rowHead(FigureText.seconds(part.startMs()))
        .cell(FigureText.seconds(part.endMs()));
    final RunTotals counts = part.counts();
    if (counts == null) {
      final long durationMs = Math.max(1, part.endMs() - part.startMs());
      html.cell(FigureText.plain(latencies.getTotalCount() * MS_PER_S / durationMs));
    } else {
      html.cell(FigureText.plain(counts.perSecond(counts.due())));
      html.cell(FigureText.plain(counts.perSecond(counts.sent())));
      html.cell(FigureText.plain(counts.perSecond(counts.passed())));
      html.cell(FigureText.plain(counts.perSecond(counts.refused())));
      html.cell(FigureText.plain(counts.perSecond(counts.failed())));
    }
    for (double percentile : PERCENTILES_OF_PART) {
      html.cell(latencies.getTotalCount() == 0 ? "–" : ms(latencies, percentile));
    }
    html.raw("</tr>\n");
  }

  private void facts() throws IOException {
    final Set<String> labels = new LinkedHashSet<>();
    runs.forEach(run -> labels.addAll(run.run().facts().keySet()));
    if (labels.isEmpty()) {
      return;
    }
    html.raw("<section aria-labelledby=\"facts\">\n<h2 id=\"facts\">How it was measured</h2>\n");
    html.openTable("Facts", runs.size() == 1 ? "facts" : "facts several");
    if (runs.size() > 1) {
      html.raw("<thead><tr><td></td>");
      for (RunView run : runs) {
        html.columnHead(run.run().name());
      }
      html.raw("</tr></thead>\n");
    }
    html.raw("<tbody>\n");
    for (String label : labels) {
      html.raw("<tr>").rowHead(label);
      for (RunView run : runs) {
        html.cell(run.run().facts().getOrDefault(label, "–"));
      }
      html.raw("</tr>\n");
    }
    html.raw("</tbody>\n").closeTable().raw("</section>\n");
  }
}
