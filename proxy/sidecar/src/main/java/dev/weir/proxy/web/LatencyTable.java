package dev.weir.proxy.web;

import dev.weir.proxy.metrics.LatencySummary;
import java.util.Locale;
import java.util.function.Function;

/** A table of times: a column for each of some summaries, a row for each percentile. */
final class LatencyTable {
  private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999, 0.9999};
  private static final String NONE = "–";

  private LatencyTable() {}

  /** The quantiles that it needs, last of each summary's. */
  static double[] quantiles() {
    return QUANTILES.clone();
  }

  /**
   * Appends the table.
   *
   * @param headings of the columns, HTML.
   */
  static void append(StringBuilder html, String[] headings, LatencySummary[] summaries) {
    html.append("<table>\n<thead><tr><td></td>");
    for (String heading : headings) {
      html.append("<th scope=\"col\">" + heading + "</th>");
    }
    html.append("</tr></thead>\n<tbody>\n");
    row(html, "count", summaries, summary -> FigureText.ofCount(summary.count()));
    for (int i = 0; i < QUANTILES.length; i++) {
      int at = i;
      row(html, "p" + percent(QUANTILES[i]), summaries, summary -> percentile(summary, at));
    }
    row(html, "max", summaries, summary -> FigureText.ofTime(summary.maxNs()));
    html.append("</tbody>\n</table>\n");
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
  private static String percentile(LatencySummary summary, int index) {
    double above = summary.count() * (1 - QUANTILES[index]);
    int first = summary.valuesNs().length - QUANTILES.length;
    return above < 0.999 ? NONE : FigureText.ofTime(summary.valuesNs()[first + index]);
  }
}
