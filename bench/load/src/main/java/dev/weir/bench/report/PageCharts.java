package dev.weir.bench.report;

import java.io.IOException;
import java.util.List;

/** The places of the charts, which the page's script draws from its {@link PageData}. */
final class PageCharts {
  private final Html html;
  private final List<RunView> runs;

  PageCharts(Html html, List<RunView> runs) {
    this.html = html;
    this.runs = runs;
  }

  void write() throws IOException {
    final boolean latencies = runs.stream().anyMatch(RunView::hasLatencies);
    final boolean times = runs.stream().anyMatch(run -> run.durationMs() > 0);
    if (!latencies && !times) {
      return;
    }
    html.raw("<noscript><p class=\"nothing\">The charts need JavaScript. Their figures are in the");
    html.raw(" tables.</p></noscript>\n");
    if (latencies) {
      chart(
          "curves",
          "Latency by percentile",
          "How long the slowest requests took: each step to the right is a tenth as many.",
          "Curves of latency in milliseconds by percentile");
    }
    if (times) {
      chart(
          "rates",
          "Throughput over time",
          ratesCaption(),
          "Rates per second over the time of the run");
    }
    if (runs.size() == 1 && runs.get(0).isCounted() && runs.get(0).counts().failed() > 0) {
      chart("errors", "Errors over time", "", "Failed requests per second over time");
    }
    if (latencies) {
      chart(
          "percentiles",
          "Percentiles over time",
          "",
          "Percentiles of latency in milliseconds over the time of the run");
      for (int i = 0; i < runs.size(); i++) {
        if (runs.get(i).hasLatencies()) {
          chart(
              "heat-" + i,
              "Latencies over time" + (runs.size() == 1 ? "" : ": " + runs.get(i).run().name()),
              i == 0 ? "The stronger the colour, the more requests took that long." : "",
              "Heat map of latency in milliseconds over the time of the run");
        }
      }
    }
  }

  private String ratesCaption() {
    if (runs.size() > 1) {
      return "";
    }
    return runs.get(0).isCounted()
        ? "Answers per second, one upon the other, and the rate asked for."
        : "As many as latencies were recorded.";
  }

  private void chart(String id, String title, String caption, String label) throws IOException {
    html.raw("<section class=\"chart\" aria-labelledby=\"" + id + "-title\">\n");
    html.raw("<div class=\"bar\"><h2 id=\"" + id + "-title\">").text(title).raw("</h2>");
    html.raw("<div class=\"controls\" id=\"" + id + "-controls\"></div></div>\n");
    if (!caption.isEmpty()) {
      html.raw("<p>").text(caption).raw("</p>\n");
    }
    html.raw("<div class=\"canvas " + id.replaceAll("-\\d+$", "") + "\"><canvas id=\"" + id);
    html.raw(id.startsWith("heat") ? "\"" : "\" tabindex=\"0\"");
    html.raw(" role=\"img\" aria-label=\"").text(label);
    html.raw(". The figures are in the tables below.\"></canvas></div>\n");
    html.raw("<div class=\"legend\" id=\"" + id + "-legend\"></div>\n</section>\n");
  }
}
