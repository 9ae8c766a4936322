package dev.weir.bench.report;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** The top of a page: what was run, whether it held, what to know before believing it. */
final class PageHead {
  private static final DateTimeFormatter START =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final double[] PERCENTILES = {50, 99, 99.9, 100};

  private final Html html;
  private final List<RunView> runs;

  PageHead(Html html, List<RunView> runs) {
    this.html = html;
    this.runs = runs;
  }

  /**
   * @param checks of the page, beside those of a single run.
   */
  void header(String title, List<Check> checks) throws IOException {
    html.raw("<header>\n").element("h1", title).raw("\n");
    final List<Check> all = new ArrayList<>(checks);
    if (runs.size() == 1) {
      html.raw("<p class=\"when\">").text(when(runs.get(0))).raw("</p>\n");
      all.addAll(runs.get(0).run().checks());
    }
    verdict(all);
    html.raw("</header>\n");
  }

  /** Figures, behind the header. */
  void figures() throws IOException {
    warnings();
    if (runs.size() == 1) {
      tiles(runs.get(0));
    } else {
      comparison();
    }
    checks();
  }

  private static String when(RunView run) {
    final String lasted = FigureText.seconds(run.durationMs()) + " s";
    return run.run().startEpochMs() == 0
        ? lasted
        : START.format(Instant.ofEpochMilli(run.run().startEpochMs())) + ", " + lasted;
  }

  private void verdict(List<Check> checks) throws IOException {
    if (checks.isEmpty()) {
      return;
    }
    final long missed = checks.stream().filter(check -> !check.passed()).count();
    final String of = checks.size() == 1 ? "The threshold" : checks.size() + " thresholds";
    if (missed == 0) {
      html.raw("<p class=\"verdict held\"><span aria-hidden=\"true\">✓</span> ")
          .text(checks.size() == 1 ? "The threshold held" : "All " + of + " held");
    } else {
      html.raw("<p class=\"verdict missed\"><span aria-hidden=\"true\">✕</span> ")
          .text(checks.size() == 1 ? "The threshold was missed" : missed + " of " + of + " missed");
    }
    html.raw("</p>\n");
  }

  private void warnings() throws IOException {
    if (runs.stream().allMatch(run -> run.run().warnings().isEmpty())) {
      return;
    }
    html.raw("<section class=\"warnings\" aria-labelledby=\"warnings\">\n");
    html.raw("<h2 id=\"warnings\">Before you believe these figures</h2>\n<ul>\n");
    for (RunView run : runs) {
      for (String warning : run.run().warnings()) {
        html.raw("<li>");
        if (runs.size() > 1) {
          html.element("strong", run.run().name() + ": ");
        }
        html.text(warning).raw("</li>\n");
      }
    }
    html.raw("</ul>\n</section>\n");
  }

  private void tiles(RunView run) throws IOException {
    if (run.durationMs() == 0 && !run.hasLatencies()) {
      html.raw("<p class=\"nothing\">Nothing was measured: the run ended before it began.</p>\n");
      return;
    }
    html.raw("<dl class=\"tiles\">\n");
    if (run.isCounted()) {
      countTiles(run.counts());
    } else {
      tile(
          "Recorded",
          FigureText.plain(run.throughput()),
          "/s",
          FigureText.count(run.judged().getTotalCount()) + " latencies");
    }
    if (run.hasLatencies()) {
      final Optional<Histogram> uncorrected = run.uncorrected();
      for (double percentile : PERCENTILES) {
        tile(
            FigureText.percentile(percentile),
            ms(run.judged(), percentile),
            "ms",
            uncorrected.isEmpty() ? "" : "uncorrected " + ms(uncorrected.get(), percentile));
      }
    }
    html.raw("</dl>\n");
  }

  private void countTiles(RunTotals counts) throws IOException {
    tile(
        "Sent",
        FigureText.plain(counts.perSecond(counts.sent())),
        "/s",
        FigureText.share(counts.sent(), counts.due())
            + " of "
            + FigureText.plain(counts.perSecond(counts.due()))
            + "/s");
    tile(
        "Refused",
        FigureText.share(counts.refused(), counts.ended()),
        "",
        FigureText.count(counts.refused()) + " of " + FigureText.count(counts.ended()));
    tile(
        "Errors",
        FigureText.share(counts.failed(), counts.ended()),
        "",
        FigureText.count(counts.failed()) + " of " + FigureText.count(counts.ended()));
  }

  private static String ms(Histogram histogram, double percentile) {
    return FigureText.plain(FigureText.ms(histogram.getValueAtPercentile(percentile)));
  }

  private void tile(String label, String value, String unit, String note) throws IOException {
    html.raw("<div><dt>").text(label).raw("</dt><dd>").text(value);
    if (!unit.isEmpty()) {
      html.raw("<span class=\"unit\">\u202f").text(unit).raw("</span>");
    }
    html.raw("</dd><dd class=\"note\">").text(note).raw("</dd></div>\n");
  }

  private void comparison() throws IOException {
    html.raw("<section aria-labelledby=\"comparison\">\n");
    html.raw("<h2 id=\"comparison\">Beside the first</h2>\n");
    html.raw("<p>Below each figure, how many times the first run's it is.</p>\n");
    html.openTable("Figures of each run", "figures").raw("<thead><tr><td></td>");
    final List<List<RunRatios.Cell>> columns = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      html.raw("<th scope=\"col\"><span class=\"swatch s" + (i + 1) + "\"></span>");
      html.text(runs.get(i).run().name()).raw("</th>");
      columns.add(RunRatios.row(runs.get(i), runs.get(0)));
    }
    html.raw("</tr></thead>\n<tbody>\n");
    final List<String> heads = RunRatios.heads();
    for (int row = 0; row < heads.size(); row++) {
      html.raw("<tr>").rowHead(heads.get(row));
      for (List<RunRatios.Cell> column : columns) {
        html.raw("<td>").text(column.get(row).text());
        if (!column.get(row).ratio().isEmpty()) {
          html.raw("<span class=\"ratio\">").text(column.get(row).ratio() + "×").raw("</span>");
        }
        html.raw("</td>");
      }
      html.raw("</tr>\n");
    }
    html.raw("</tbody>\n").closeTable().raw("</section>\n");
  }

  private void checks() throws IOException {
    if (runs.stream().allMatch(run -> run.run().checks().isEmpty())) {
      return;
    }
    html.raw("<section aria-labelledby=\"checks\">\n<h2 id=\"checks\">Thresholds</h2>\n");
    html.openTable("Thresholds", "checks").raw("<thead><tr>");
    html.columnHead("Threshold").columnHead("Measured").columnHead("Verdict");
    html.raw("</tr></thead>\n");
    for (RunView run : runs) {
      html.raw("<tbody>\n");
      if (runs.size() > 1 && !run.run().checks().isEmpty()) {
        html.raw("<tr><th scope=\"rowgroup\" colspan=\"3\">").text(run.run().name());
        html.raw("</th></tr>\n");
      }
      for (Check check : run.run().checks()) {
        html.raw("<tr><th scope=\"row\"><code>").text(check.threshold()).raw("</code></th>");
        html.cell(check.measured());
        html.raw(
            check.passed()
                ? "<td class=\"held\"><span aria-hidden=\"true\">✓</span> held</td>"
                : "<td class=\"missed\"><span aria-hidden=\"true\">✕</span> missed</td>");
        html.raw("</tr>\n");
      }
      html.raw("</tbody>\n");
    }
    html.closeTable().raw("</section>\n");
  }
}
