package dev.weir.proxy.admin;

import dev.weir.proxy.metrics.Latencies;
import dev.weir.proxy.metrics.LatencyHistory;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.LatencySummary;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

/** The page of latencies: where the time of requests goes, of late and since the start. */
final class LatencyPage {
  private static final double[] TABLE = {0.5, 0.9, 0.99, 0.999, 0.9999};
  private static final double[] CHART = PercentileChart.quantiles();
  private static final String NONE = "–";

  private static final String HEAD =
      PageStyle.HEAD
          + """
            <title>Latency – Weir</title>
            <style>
            body { max-width: 76rem; }
            .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0 3rem; }
            section { min-width: 0; overflow-x: auto; }
            table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
            th, td { text-align: right; font-weight: normal; white-space: nowrap; padding: .15rem 0 .15rem .5rem; }
            thead th { font-weight: bold; vertical-align: bottom; }
            tbody th, thead td { text-align: left; padding-left: 0; }
            tbody tr { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
            .key { display: block; width: 100%; max-width: 3rem; height: 6px; margin-left: auto; }
            .chart { width: 100%; margin-top: 1rem; }
            .chart text { font-size: 11px; fill: currentColor; }
            .chart line { stroke: currentColor; stroke-opacity: .15; }
            polyline { fill: none; stroke-width: 2; stroke: var(--ink); }
            .decision { --ink: #0b62c4; }
            .store { --ink: #a8400a; stroke-dasharray: 1 3; stroke-linecap: round; }
            .upstream { --ink: #17752f; stroke-dasharray: 8 3; }
            .overhead { --ink: #a01f74; stroke-dasharray: 4 3; }
            .total { --ink: #5b5b5b; }
            @media (prefers-color-scheme: dark) {
            .decision { --ink: #6cb2ff; }
            .store { --ink: #ffa05c; }
            .upstream { --ink: #52c66d; }
            .overhead { --ink: #f38bcb; }
            .total { --ink: #c9c9c9; }
            }
            @media (max-width: 32rem) { table { font-size: .75rem; } th, td { padding-left: .2rem; } }
            </style>
            </head>
            <body>
            <main>
            <p><a href="/">Weir</a></p>
            <h1>Latency</h1>
            <p>All event loops together. A dash stands where nothing was recorded, or too little for that percentile.
            The same <a href="/latency?format=text">as text</a>, and the last five minutes as an
            <a href="/latency.hlog">interval log</a>.</p>
            """;

  private LatencyPage() {}

  /** The quantiles that the page needs of every step. */
  static double[] quantiles() {
    double[] quantiles = Arrays.copyOf(CHART, CHART.length + TABLE.length);
    System.arraycopy(TABLE, 0, quantiles, CHART.length, TABLE.length);
    return quantiles;
  }

  /**
   * The page.
   *
   * @param sinceStartNs how long ago the first of the times may be.
   * @param recent with {@link #quantiles}.
   */
  static String html(Latencies latencies, long sinceStartNs, LatencyHistory.Recent recent) {
    StringBuilder html = new StringBuilder(HEAD).append("<div class=\"sides\">\n");
    section(html, "The last " + FigureText.ofLength(recent.lengthNs()), recent::of);
    double[] quantiles = quantiles();
    section(
        html,
        "Since the start, " + FigureText.ofLength(sinceStartNs) + " ago",
        step -> latencies.summary(step, quantiles));
    html.append("</div>\n<h2>The steps</h2>\n<dl>\n");
    for (LatencyStep step : LatencyStep.values()) {
      String label = step.label();
      html.append("<dt>" + label + "</dt>\n<dd>" + step.meaning())
          .append(" Since the start, for plotting: <a href=\"/latency/" + label + ".hgrm\">")
          .append(label + ".hgrm</a></dd>\n");
    }
    return html.append("</dl>\n</main>\n</body>\n</html>\n").toString();
  }

  private static void section(
      StringBuilder html, String title, Function<LatencyStep, LatencySummary> source) {
    LatencySummary[] summaries =
        Arrays.stream(LatencyStep.values()).map(source).toArray(LatencySummary[]::new);
    html.append("<section>\n<h2>" + title + "</h2>\n<table>\n<thead><tr><td></td>");
    for (LatencyStep step : LatencyStep.values()) {
      html.append("<th scope=\"col\"><svg class=\"key\" viewBox=\"0 0 48 6\" aria-hidden=\"true\">")
          .append("<polyline class=\"" + step.label() + "\" points=\"1,3 47,3\"/></svg>")
          .append(step.label() + "</th>");
    }
    html.append("</tr></thead>\n<tbody>\n");
    row(html, "count", summaries, summary -> FigureText.ofCount(summary.count()));
    for (int i = 0; i < TABLE.length; i++) {
      int at = i;
      row(html, "p" + percent(TABLE[i]), summaries, summary -> percentile(summary, at));
    }
    row(html, "max", summaries, summary -> FigureText.ofTime(summary.maxNs()));
    html.append("</tbody>\n</table>\n")
        .append(PercentileChart.svg(step -> summaries[step.ordinal()], "Latency by percentile"))
        .append("</section>\n");
  }

  private static String percent(double quantile) {
    String text = String.format(Locale.ROOT, "%.2f", quantile * 100);
    return text.replaceFirst("\\.?0+$", "");
  }

  private static void row(
      StringBuilder html,
      String name,
      LatencySummary[] summaries,
      Function<LatencySummary, String> cell) {
    html.append("<tr><th scope=\"row\">" + name + "</th>");
    for (LatencySummary summary : summaries) {
      html.append("<td>" + (summary.count() == 0 ? NONE : cell.apply(summary)) + "</td>");
    }
    html.append("</tr>\n");
  }

  /** With not one time above it, a percentile would only repeat the longest. */
  private static String percentile(LatencySummary summary, int tableIndex) {
    double above = summary.count() * (1 - TABLE[tableIndex]);
    return above < 0.999 ? NONE : FigureText.ofTime(summary.valuesNs()[CHART.length + tableIndex]);
  }
}
