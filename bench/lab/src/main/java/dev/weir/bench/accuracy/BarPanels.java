package dev.weir.bench.accuracy;

import dev.weir.bench.accuracy.Results.EdgeRow;
import java.util.List;

/** One bar per algorithm. Token and leaky bucket decide as GCRA does and share its bar. */
final class BarPanels {
  private static final double ROW_HEIGHT = 26;
  private static final double BAR_HEIGHT = 16;

  /** Room for the figures beside the longest bar. */
  private static final double VALUE_WIDTH = 118;

  private static final List<Algorithm> SHOWN =
      List.of(
          Algorithm.SLIDING_LOG,
          Algorithm.BUCKET_RING_1000,
          Algorithm.BUCKET_RING_100,
          Algorithm.BUCKET_RING_10,
          Algorithm.SLIDING_COUNTER,
          Algorithm.FIXED_WINDOW,
          Algorithm.GCRA_SMALL_BURST,
          Algorithm.GCRA);

  private BarPanels() {}

  /** Returns where the panel ends. */
  static double wrong(Svg svg, double top, Results results) {
    double most = 0;
    for (Algorithm algorithm : SHOWN) {
      most = Math.max(most, allowed(results, algorithm) + refused(results, algorithm));
    }
    double y = top;
    legend(svg, y);
    y += ROW_HEIGHT - 4;
    final double scale =
        (Picture.RIGHT - VALUE_WIDTH - Picture.PLOT_LEFT) / Math.max(most, Double.MIN_NORMAL);
    for (Algorithm algorithm : SHOWN) {
      final double allowed = allowed(results, algorithm);
      final double refused = refused(results, algorithm);
      name(svg, y, algorithm);
      svg.bar(Picture.PLOT_LEFT, y, allowed * scale, BAR_HEIGHT, "allowed");
      svg.bar(Picture.PLOT_LEFT + allowed * scale, y, refused * scale, BAR_HEIGHT, "refused");
      final String values =
          Numbers.significant(allowed, 2)
              + (refused > 0 ? " + " + Numbers.significant(refused, 2) : "");
      value(svg, Picture.PLOT_LEFT + (allowed + refused) * scale, y, values);
      y += ROW_HEIGHT;
    }
    note(svg, y, "GCRA means a burst and a rate: for it, this is no fault but a difference.");
    return y + ROW_HEIGHT / 2;
  }

  /** Returns where the panel ends. */
  static double worst(Svg svg, double top, Results results) {
    final double scale = (Picture.RIGHT - VALUE_WIDTH - Picture.PLOT_LEFT) / 2;
    final double limitX = Picture.PLOT_LEFT + scale;
    double y = top + 14;
    svg.textCentred(limitX, y - 6, "soft", "the limit");
    for (Algorithm algorithm : SHOWN) {
      final EdgeRow edge = results.edge(algorithm);
      final double times = (double) edge.flood().worst() / Scenarios.LIMIT;
      name(svg, y, algorithm);
      svg.bar(Picture.PLOT_LEFT, y, Math.min(times, 1) * scale, BAR_HEIGHT, "within");
      svg.bar(limitX, y, Math.max(times - 1, 0) * scale, BAR_HEIGHT, "allowed");
      final double early = 100.0 * edge.flood().earlyMaxNs() / Scenarios.SHORT_NS;
      value(
          svg,
          Picture.PLOT_LEFT + times * scale,
          y,
          edge.flood().worst()
              + (early > 0 ? ", " + Numbers.significant(early, 2) + " % early" : ""));
      y += ROW_HEIGHT;
    }
    svg.line(limitX, top + 12, limitX, y - ROW_HEIGHT + BAR_HEIGHT + 2, "mark");
    return y - ROW_HEIGHT / 2;
  }

  private static void legend(Svg svg, double y) {
    svg.bar(Picture.PLOT_LEFT, y, 12, 12, "allowed");
    svg.text(Picture.PLOT_LEFT + 18, y + 11, "ink", "wrongly allowed");
    svg.bar(Picture.PLOT_LEFT + 146, y, 12, 12, "refused");
    svg.text(Picture.PLOT_LEFT + 164, y + 11, "ink", "wrongly refused");
  }

  private static void name(Svg svg, double y, Algorithm algorithm) {
    final String label = algorithm == Algorithm.GCRA ? "gcra, burst = limit" : algorithm.label();
    svg.textEnding(Picture.PLOT_LEFT - 8, y + BAR_HEIGHT - 3, "ink", label);
  }

  private static void value(Svg svg, double x, double y, String value) {
    svg.text(x + 6, y + BAR_HEIGHT - 3, "ink", value);
  }

  private static void note(Svg svg, double y, String note) {
    svg.text(Picture.LEFT, y + BAR_HEIGHT - 2, "soft", note);
  }

  private static double allowed(Results results, Algorithm algorithm) {
    final Tally tally = tally(results, algorithm);
    return 100.0 * tally.ownWronglyAllowed() / tally.requests();
  }

  private static double refused(Results results, Algorithm algorithm) {
    final Tally tally = tally(results, algorithm);
    return 100.0 * tally.ownWronglyRefused() / tally.requests();
  }

  private static Tally tally(Results results, Algorithm algorithm) {
    return results.row(Traffic.POISSON, Scenarios.LIMIT, Scenarios.SHORT_NS, 1, algorithm).tally();
  }
}
