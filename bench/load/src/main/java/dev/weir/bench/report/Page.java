package dev.weir.bench.report;

import dev.weir.bench.report.RunResult.Check;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * The body of a page in markup. Every figure of its charts is in its tables too; the charts are
 * drawn by the page's script, from its {@link PageData}.
 */
final class Page {
  private static final DateTimeFormatter START =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final double[] PERCENTILES_OF_TILES = {50, 99, 99.9, 100};
  private static final double[] PERCENTILES = {0, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
  private static final double[] PERCENTILES_OF_PART = {50, 90, 99, 99.9, 100};
  private static final int MOST_ROWS = 120;
  private static final double MS_PER_S = 1e3;

  private final List<RunView> runs;
  private final boolean isSingle;

  private record Column(String head, Histogram latencies) {}

  Page(List<RunView> runs) {
    this.runs = runs;
    this.isSingle = runs.size() == 1;
  }

  /**
   * What was run, and whether it held.
   *
   * @param checks of the page, beside those of a single run.
   */
  String header(String title, List<Check> checks) {
    final List<Check> all = new ArrayList<>(checks);
    String when = "";
    if (isSingle) {
      all.addAll(runs.get(0).run().checks());
      when = "<p class=\"when\">" + when(runs.get(0)) + "</p>\n";
    }
    return "<header>\n<h1>" + Html.text(title) + "</h1>\n" + when + verdict(all) + "</header>\n";
  }

  private static String when(RunView run) {
    final String lasted = FigureText.seconds(run.durationMs()) + " s";
    return run.run().startEpochMs() == 0
        ? lasted
        : START.format(Instant.ofEpochMilli(run.run().startEpochMs())) + ", " + lasted;
  }

  private static String verdict(List<Check> checks) {
    if (checks.isEmpty()) {
      return "";
    }
    final long missed = checks.stream().filter(check -> !check.passed()).count();
    final boolean isOne = checks.size() == 1;
    final String of = isOne ? "The threshold" : checks.size() + " thresholds";
    final String text =
        missed == 0
            ? isOne ? of + " held" : "All " + of + " held"
            : isOne ? of + " was missed" : missed + " of " + of + " missed";
    return "<p class=\"verdict " + mark(missed == 0) + text + "</p>\n";
  }

  /** The rest of a class's name, the tag that it is in, and a sign. */
  private static String mark(boolean held) {
    return held
        ? "held\"><span aria-hidden=\"true\">✓</span> "
        : "missed\"><span aria-hidden=\"true\">✕</span> ";
  }

  static String sections(List<ReportSection> sections) {
    final StringBuilder out = new StringBuilder();
    for (int i = 0; i < sections.size(); i++) {
      out.append(Html.section("section-" + i, sections.get(i).title(), content(sections.get(i))));
    }
    return out.toString();
  }

  private static String content(ReportSection section) {
    final StringBuilder out = new StringBuilder();
    for (String paragraph : section.text()) {
      final String text = Html.text(paragraph.strip()).replaceAll("\\*([^*]*)\\*", "<em>$1</em>");
      out.append("<p>").append(text).append("</p>\n");
    }
    if (section.figures() != null) {
      final List<List<String>> rows = section.figures().rows();
      final StringBuilder cells = new StringBuilder();
      rows.stream().skip(1).forEach(row -> cells.append(Html.row(Html.texts(row))));
      out.append(Html.table(section.title(), "figures", Html.texts(rows.get(0)), cells.toString()));
    }
    if (!section.facts().isEmpty()) {
      final StringBuilder rows = new StringBuilder();
      section
          .facts()
          .forEach((name, fact) -> rows.append(Html.row(Html.texts(List.of(name, fact)))));
      out.append(Html.table(section.title(), "facts", List.of(), rows.toString()));
    }
    return out.toString();
  }

  /** The warnings that limit the figures, the figures, and whether thresholds held. */
  String figures() {
    return warnings() + (isSingle ? tiles(runs.get(0)) : comparison()) + checks();
  }

  private String warnings() {
    final StringBuilder out = new StringBuilder();
    for (RunView run : runs) {
      for (String warning : run.run().warnings()) {
        final String name =
            isSingle ? "" : "<strong>" + Html.text(run.run().name()) + ": </strong>";
        out.append("<li>").append(name).append(Html.text(warning)).append("</li>\n");
      }
    }
    return out.isEmpty()
        ? ""
        : "<section class=\"warnings\" aria-labelledby=\"warnings\">\n"
            + "<h2 id=\"warnings\">Before you believe these figures</h2>\n<ul>\n"
            + out
            + "</ul>\n</section>\n";
  }

  private static String tiles(RunView run) {
    if (run.durationMs() == 0 && !run.hasLatencies()) {
      return "<p class=\"nothing\">Nothing was measured: the run ended before it began.</p>\n";
    }
    final StringBuilder out = new StringBuilder("<dl class=\"tiles\">\n");
    if (run.isCounted()) {
      out.append(countTiles(run.counts()));
    } else {
      final String count = FigureText.count(run.judged().getTotalCount());
      out.append(tile("Recorded", FigureText.plain(run.throughput()), "/s", count + " latencies"));
    }
    if (run.hasLatencies()) {
      final Optional<Histogram> uncorrected = run.uncorrected();
      for (double percentile : PERCENTILES_OF_TILES) {
        final String note =
            uncorrected.map(all -> "uncorrected " + FigureText.ms(all, percentile)).orElse("");
        final String value = FigureText.ms(run.judged(), percentile);
        out.append(tile(FigureText.percentile(percentile), value, "ms", note));
      }
    }
    return out.append("</dl>\n").toString();
  }

  private static String countTiles(RunTotals counts) {
    final long ended = counts.ended();
    final String asked = FigureText.plain(counts.perSecond(counts.due())) + "/s";
    return tile(
            "Sent",
            FigureText.plain(counts.perSecond(counts.sent())),
            "/s",
            FigureText.share(counts.sent(), counts.due()) + " of " + asked)
        + shareTile("Refused", counts.refused(), ended)
        + shareTile("Errors", counts.failed(), ended);
  }

  private static String shareTile(String label, long part, long ended) {
    return tile(
        label,
        FigureText.share(part, ended),
        "",
        FigureText.count(part) + " of " + FigureText.count(ended));
  }

  private static String tile(String label, String value, String unit, String note) {
    return "<div><dt>"
        + label
        + "</dt><dd>"
        + Html.text(value)
        + (unit.isEmpty() ? "" : "<span class=\"unit\">\u202f" + unit + "</span>")
        + "</dd><dd class=\"note\">"
        + Html.text(note)
        + "</dd></div>\n";
  }

  private String comparison() {
    final List<String> heads = new ArrayList<>(List.of(""));
    final List<List<String>> rows = new ArrayList<>();
    RunView.comparedFigures().forEach(head -> rows.add(new ArrayList<>(List.of(head))));
    for (int i = 0; i < runs.size(); i++) {
      heads.add(
          "<span class=\"swatch s" + (i + 1) + "\"></span>" + Html.text(runs.get(i).run().name()));
      final List<RunView.Cell> column = runs.get(i).beside(runs.get(0));
      for (int row = 0; row < rows.size(); row++) {
        final String ratio = column.get(row).ratio();
        rows.get(row)
            .add(
                Html.text(column.get(row).text())
                    + (ratio.isEmpty() ? "" : "<span class=\"ratio\">" + ratio + "×</span>"));
      }
    }
    final StringBuilder body = new StringBuilder();
    rows.forEach(row -> body.append(Html.row(row)));
    return Html.section(
        "comparison",
        "Beside the first",
        "<p>Below each figure, how many times the first run's it is.</p>\n"
            + Html.table("Figures of each run", "figures", heads, body.toString()));
  }

  private String checks() {
    final StringBuilder rows = new StringBuilder();
    for (RunView run : runs) {
      if (!isSingle && !run.run().checks().isEmpty()) {
        rows.append("<tr><th scope=\"rowgroup\" colspan=\"3\">")
            .append(Html.text(run.run().name()))
            .append("</th></tr>\n");
      }
      for (Check check : run.run().checks()) {
        rows.append("<tr><th scope=\"row\"><code>")
            .append(Html.text(check.threshold()))
            .append("</code></th><td>")
            .append(Html.text(check.measured()))
            .append("</td><td class=\"")
            .append(mark(check.passed()))
            .append(check.passed() ? "held" : "missed")
            .append("</td></tr>\n");
      }
    }
    final List<String> heads = List.of("Threshold", "Measured", "Verdict");
    return rows.isEmpty()
        ? ""
        : Html.section(
            "checks", "Thresholds", Html.table("Thresholds", "checks", heads, rows.toString()));
  }

  String charts() {
    final boolean latencies = runs.stream().anyMatch(RunView::hasLatencies);
    final boolean times = runs.stream().anyMatch(run -> run.durationMs() > 0);
    if (!latencies && !times) {
      return "";
    }
    final StringBuilder out =
        new StringBuilder("<noscript><p class=\"nothing\">The charts need JavaScript. Their")
            .append(" figures are in the tables.</p></noscript>\n");
    if (latencies) {
      out.append(
          chart(
              "curves",
              "Latency by percentile",
              "How long the slowest requests took: each step to the right is a tenth as many.",
              "Curves of latency in milliseconds by percentile"));
    }
    if (times) {
      final String rates = "Rates per second over the time of the run";
      out.append(chart("rates", "Throughput over time", ratesCaption(), rates));
    }
    if (isSingle && runs.get(0).isCounted() && runs.get(0).counts().failed() > 0) {
      out.append(chart("errors", "Errors over time", "", "Failed requests per second over time"));
    }
    if (latencies) {
      out.append(
          chart(
              "percentiles",
              "Percentiles over time",
              "",
              "Percentiles of latency in milliseconds over the time of the run"));
    }
    for (int i = 0; i < runs.size(); i++) {
      if (runs.get(i).hasLatencies()) {
        out.append(
            chart(
                "heat-" + i,
                "Latencies over time" + nameOf(runs.get(i)),
                i == 0 ? "The stronger the colour, the more requests took that long." : "",
                "Heat map of latency in milliseconds over the time of the run"));
      }
    }
    return out.toString();
  }

  /** A run's name behind a title, where there are several. */
  private String nameOf(RunView run) {
    return isSingle ? "" : ": " + run.run().name();
  }

  private String ratesCaption() {
    if (!isSingle) {
      return "";
    }
    return runs.get(0).isCounted()
        ? "Answers per second, one upon the other, and the rate asked for."
        : "As many as latencies were recorded.";
  }

  private static String chart(String id, String title, String caption, String label) {
    return """
        <section class="chart" aria-labelledby="%1$s-title">
        <div class="bar"><h2 id="%1$s-title">%2$s</h2><div class="controls" id="%1$s-controls"></div></div>
        %3$s<div class="canvas %4$s"><canvas id="%1$s"%5$s role="img" aria-label="%6$s. The figures are in the tables below."></canvas></div>
        <div class="legend" id="%1$s-legend"></div>
        </section>
        """
        .formatted(
            id,
            Html.text(title),
            caption.isEmpty() ? "" : "<p>" + Html.text(caption) + "</p>\n",
            id.replaceAll("-\\d+$", ""),
            id.startsWith("heat") ? "" : " tabindex=\"0\"",
            label);
  }

  /** Every figure of the charts, and the facts of the runs. */
  String tables() {
    final StringBuilder out = new StringBuilder(percentiles());
    for (RunView run : runs) {
      if (run.durationMs() > 0) {
        out.append(times(run));
      }
    }
    return out.append(facts()).toString();
  }

  private String percentiles() {
    final List<Column> columns = columns();
    if (columns.isEmpty()) {
      return "";
    }
    final List<List<String>> rows = new ArrayList<>();
    for (double percentile : PERCENTILES) {
      rows.add(
          new ArrayList<>(List.of(percentile == 0 ? "min" : FigureText.percentile(percentile))));
    }
    final List<String> means = new ArrayList<>(List.of("mean"));
    final List<String> counts = new ArrayList<>(List.of("count"));
    final List<String> heads = new ArrayList<>(List.of("ms"));
    for (Column column : columns) {
      final Histogram latencies = column.latencies();
      heads.add(Html.text(column.head()));
      for (int i = 0; i < PERCENTILES.length; i++) {
        rows.get(i).add(FigureText.ms(latencies, PERCENTILES[i]));
      }
      means.add(FigureText.plain(FigureText.ms(Math.round(latencies.getMean()))));
      counts.add(FigureText.count(latencies.getTotalCount()));
    }
    rows.add(means);
    rows.add(counts);
    final StringBuilder body = new StringBuilder();
    rows.forEach(row -> body.append(Html.row(row)));
    final String label = "Percentiles of latency in milliseconds";
    return Html.section(
        "table", "Percentiles", Html.table(label, "figures", heads, body.toString()));
  }

  private List<Column> columns() {
    final List<Column> columns = new ArrayList<>();
    for (RunView run : runs) {
      final int count = isSingle ? run.totals().size() : Math.min(1, run.totals().size());
      for (int i = 0; i < count; i++) {
        if (run.totals().get(i).getTotalCount() > 0) {
          final String label = run.run().latencies().get(i).label();
          columns.add(new Column(isSingle ? label : run.run().name(), run.totals().get(i)));
        }
      }
    }
    return columns;
  }

  private String times(RunView run) {
    final List<String> heads = new ArrayList<>(List.of("from s", "to s"));
    heads.addAll(
        run.isCounted()
            ? List.of("due /s", "sent /s", "passed /s", "refused /s", "failed /s")
            : List.of("recorded /s"));
    for (double percentile : PERCENTILES_OF_PART) {
      heads.add(FigureText.percentile(percentile) + " ms");
    }
    final StringBuilder rows = new StringBuilder();
    Timeline.visit(
        run.run(), MOST_ROWS, (part, latencies) -> rows.append(timesRow(part, latencies)));
    final String title = "Figures over time" + nameOf(run);
    return "<details>\n<summary>"
        + Html.text(title)
        + "</summary>\n"
        + Html.table(title, "figures", heads, rows.toString())
        + "</details>\n";
  }

  private static String timesRow(Timeline.Part part, Histogram latencies) {
    final List<String> cells =
        new ArrayList<>(
            List.of(FigureText.seconds(part.startMs()), FigureText.seconds(part.endMs())));
    final RunTotals counts = part.counts();
    if (counts == null) {
      final long durationMs = Math.max(1, part.endMs() - part.startMs());
      cells.add(FigureText.plain(latencies.getTotalCount() * MS_PER_S / durationMs));
    } else {
      for (long count : counts.each()) {
        cells.add(FigureText.plain(counts.perSecond(count)));
      }
    }
    for (double percentile : PERCENTILES_OF_PART) {
      cells.add(latencies.getTotalCount() == 0 ? "–" : FigureText.ms(latencies, percentile));
    }
    return Html.row(cells);
  }

  private String facts() {
    final Set<String> labels = new LinkedHashSet<>();
    runs.forEach(run -> labels.addAll(run.run().facts().keySet()));
    if (labels.isEmpty()) {
      return "";
    }
    final List<String> heads = new ArrayList<>();
    if (!isSingle) {
      heads.add("");
      runs.forEach(run -> heads.add(Html.text(run.run().name())));
    }
    final StringBuilder rows = new StringBuilder();
    for (String label : labels) {
      final List<String> cells = new ArrayList<>(List.of(label));
      for (RunView run : runs) {
        final Map<String, String> facts = run.run().facts();
        cells.add(facts.getOrDefault(label, "–"));
      }
      rows.append(Html.row(Html.texts(cells)));
    }
    final String kind = isSingle ? "facts" : "facts several";
    return Html.section(
        "facts", "How it was measured", Html.table("Facts", kind, heads, rows.toString()));
  }
}
