package dev.weir.proxy.web;

import dev.weir.proxy.metrics.Latencies;
import dev.weir.proxy.metrics.LatencyHistory;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.LatencySummary;
import dev.weir.proxy.request.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** The page of latencies: where the time of requests goes, of late and since the start. */
final class LatencyPage {
  private static final double[] TABLE = LatencyTable.quantiles();
  private static final double[] CHART = PercentileChart.quantiles();

  /** The line of a step's curve, beside its name. */
  private static final String KEY =
      "<svg class=\"key\" viewBox=\"0 0 48 6\" aria-hidden=\"true\">"
          + "<polyline class=\"<step>\" points=\"1,3 47,3\"/></svg>";

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
            .hand { --ink: #0b62c4; stroke-dasharray: 2 2; }
            .asked { --ink: #a8400a; stroke-dasharray: 6 2; }
            .store { --ink: #a8400a; stroke-dasharray: 1 3; stroke-linecap: round; }
            .upstream { --ink: #17752f; stroke-dasharray: 8 3; }
            .overhead { --ink: #a01f74; stroke-dasharray: 4 3; }
            .total { --ink: #5b5b5b; }
            @media (prefers-color-scheme: dark) {
            .decision { --ink: #6cb2ff; }
            .hand { --ink: #6cb2ff; }
            .asked { --ink: #ffa05c; }
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
    html.append("</div>\n");
    protocols(html, latencies);
    html.append("<h2>The steps</h2>\n<dl>\n");
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
    String[] headings =
        Arrays.stream(LatencyStep.values())
            .map(step -> KEY.replace("<step>", step.label()) + step.label())
            .toArray(String[]::new);
    html.append("<section>\n<h2>" + title + "</h2>\n");
    LatencyTable.append(html, headings, summaries);
    html.append(PercentileChart.svg(step -> summaries[step.ordinal()], "Latency by percentile"))
        .append("</section>\n");
  }

  /** The times of each protocol, where there was another than HTTP/1.1. */
  private static void protocols(StringBuilder html, Latencies latencies) {
    List<Protocol> protocols = latencies.protocols();
    if (protocols.isEmpty() || protocols.equals(List.of(Protocol.HTTP1))) {
      return;
    }
    String[] headings = protocols.stream().map(Protocol::toString).toArray(String[]::new);
    html.append("<h2>By protocol, since the start</h2>\n<div class=\"sides\">\n");
    for (LatencyStep step : LatencyStep.values()) {
      if (step.isByProtocol()) {
        LatencySummary[] summaries =
            protocols.stream()
                .map(protocol -> latencies.summary(step, protocol, TABLE))
                .toArray(LatencySummary[]::new);
        html.append("<section>\n<h3>" + step.label() + "</h3>\n");
        LatencyTable.append(html, headings, summaries);
        html.append("</section>\n");
      }
    }
    html.append("</div>\n");
  }
}
