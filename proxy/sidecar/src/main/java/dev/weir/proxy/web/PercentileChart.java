package dev.weir.proxy.web;

import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.LatencySummary;
import java.util.Locale;
import java.util.function.Function;

/**
 * One curve per step of latency against percentile, as SVG: both axes logarithmic, percentiles by
 * what is left above them, so that 90, 99 and 99.9 are as far apart.
 */
final class PercentileChart {
  /** Points of a curve from one such percentile to the next. */
  private static final int POINTS_PER_DECADE = 16;

  /** The curves go to 99.9999 at most. */
  private static final int MOST_DECADES = 6;

  private static final double LEFT = 48;
  private static final double RIGHT = 376;
  private static final double TOP = 8;
  private static final double BOTTOM = 226;

  private final StringBuilder svg = new StringBuilder();
  private final int decades;
  private final int leastExponent;
  private final int mostExponent;

  private PercentileChart(long mostCount, long leastNs, long mostNs) {
    decades = clamp((int) Math.ceil(Math.log10(mostCount)), 1, MOST_DECADES);
    leastExponent = (int) Math.floor(Math.log10(leastNs));
    mostExponent = Math.max(leastExponent + 1, (int) Math.ceil(Math.log10(mostNs)));
  }

  /** The quantiles that {@link #svg} wants to know. */
  static double[] quantiles() {
    double[] quantiles = new double[MOST_DECADES * POINTS_PER_DECADE + 1];
    for (int i = 0; i < quantiles.length; i++) {
      quantiles[i] = 1 - Math.pow(10, -(double) i / POINTS_PER_DECADE);
    }
    return quantiles;
  }

  /**
   * The chart; a text where nothing was recorded.
   *
   * @param summaries with {@link #quantiles}, and maybe others behind them.
   * @param name what the chart shows, for those who cannot see it.
   */
  static String svg(Function<LatencyStep, LatencySummary> summaries, String name) {
    long mostCount = 0;
    long leastNs = Long.MAX_VALUE;
    long mostNs = 1;
    for (LatencyStep step : LatencyStep.values()) {
      LatencySummary summary = summaries.apply(step);
      if (summary.count() > 0) {
        mostCount = Math.max(mostCount, summary.count());
        leastNs = Math.min(leastNs, Math.max(1, summary.valuesNs()[0]));
        mostNs = Math.max(mostNs, summary.maxNs());
      }
    }
    if (mostCount == 0) {
      return "<p>Nothing was recorded.</p>\n";
    }
    PercentileChart chart = new PercentileChart(mostCount, leastNs, mostNs);
    chart.begin(name);
    for (LatencyStep step : LatencyStep.values()) {
      chart.curve(step, summaries.apply(step));
    }
    return chart.svg.append("</svg>\n").toString();
  }

  private void begin(String name) {
    svg.append("<svg class=\"chart\" viewBox=\"0 0 400 262\" role=\"img\" aria-label=\"")
        .append(name)
        .append("\">\n");
    for (int i = 0; i <= decades; i++) {
      double x = x(i);
      line(x, TOP, x, BOTTOM);
      text(x, BOTTOM + 15, "middle", percentile(i));
    }
    for (int exponent = leastExponent; exponent <= mostExponent; exponent++) {
      double y = y(Math.pow(10, exponent));
      line(LEFT, y, RIGHT, y);
      text(LEFT - 5, y + 4, "end", FigureText.ofTimePower(exponent));
    }
    text((LEFT + RIGHT) / 2, BOTTOM + 32, "middle", "percentile");
  }

  /** 0, 90, 99, 99.9 and so on. */
  private static String percentile(int decade) {
    return decade == 0
        ? "0"
        : decade == 1 ? "90" : decade == 2 ? "99" : "99." + "9".repeat(decade - 2);
  }

  /** Draws a step's curve, as far as at least one time is above a percentile. */
  private void curve(LatencyStep step, LatencySummary summary) {
    if (summary.count() == 0) {
      return;
    }
    int end =
        Math.min(
            decades * POINTS_PER_DECADE,
            (int) Math.floor(Math.log10(summary.count()) * POINTS_PER_DECADE));
    svg.append("<polyline class=\"").append(step.label()).append("\" points=\"");
    for (int i = 0; i <= end; i++) {
      point(x((double) i / POINTS_PER_DECADE), y(summary.valuesNs()[i]));
    }
    svg.append("\"/>\n");
  }

  private double x(double decade) {
    return LEFT + (RIGHT - LEFT) * decade / decades;
  }

  private double y(double ns) {
    double share = (Math.log10(Math.max(1, ns)) - leastExponent) / (mostExponent - leastExponent);
    return BOTTOM - (BOTTOM - TOP) * Math.min(1, share);
  }

  private void point(double x, double y) {
    svg.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
  }

  private void line(double fromX, double fromY, double toX, double toY) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            fromX,
            fromY,
            toX,
            toY));
  }

  private void text(double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
            x,
            y,
            anchor,
            text));
  }

  private static int clamp(int value, int least, int most) {
    return Math.min(Math.max(value, least), most);
  }
}
