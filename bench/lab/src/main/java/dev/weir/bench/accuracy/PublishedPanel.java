package dev.weir.bench.accuracy;

import dev.weir.bench.accuracy.Results.SweepPoint;

/** Published figures and ours on one axis of percent. */
final class PublishedPanel {
  private static final double ROW_HEIGHT = 28;
  private static final double[] TICKS = {0.001, 0.01, 0.1, 1, 10};

  private final Svg svg;
  private final LogScale scale =
      new LogScale(TICKS[0], TICKS[TICKS.length - 1], Picture.PLOT_LEFT + 6, Picture.RIGHT - 112);
  private double y;

  private PublishedPanel(Svg svg, double top) {
    this.svg = svg;
    y = top;
  }

  /** Returns where the panel ends. */
  static double draw(Svg svg, double top, Results results) {
    return new PublishedPanel(svg, top).rows(results);
  }

  private double rows(Results results) {
    final PublishedFigures published = new PublishedFigures(results);
    final SweepPoint point = published.matching();
    final double bottom = y + 5 * ROW_HEIGHT - 8;
    for (double tick : TICKS) {
      svg.line(scale.at(tick), y - 4, scale.at(tick), bottom, "rule");
      svg.textCentred(scale.at(tick), bottom + 18, "soft", Numbers.plain(tick));
    }
    row("ring, 100 ms of 1 s", Algorithm.BUCKET_RING_10, published);
    row("ring, 10 ms of 1 s", Algorithm.BUCKET_RING_100, published);
    row("ring, 1 ms of 1 s", Algorithm.BUCKET_RING_1000, published);
    row(
        "counter, rate",
        PublishedFigures.COUNTER_DIFFERENCE_PERCENT,
        100 * point.meter().meanDifference());
    row(
        "counter, wrong *",
        PublishedFigures.COUNTER_WRONG_PERCENT,
        PublishedFigures.wrongPercent(point));
    svg.text(
        Picture.LEFT,
        bottom + 42,
        "soft",
        "* "
            + results.settings().population().keys()
            + " keys, busiest at "
            + Numbers.plain(point.load())
            + " of its limit: see below.");
    return bottom + 48;
  }

  private void row(String name, Algorithm ring, PublishedFigures published) {
    row(name, PublishedFigures.ringPercent(ring), published.measuredRingPercent(ring));
  }

  private void row(String name, double theirs, double ours) {
    final double middle = y + ROW_HEIGHT / 2 - 4;
    svg.textEnding(Picture.PLOT_LEFT - 8, middle + 5, "ink", name);
    svg.dot(scale.at(ours), middle, 4.5, "many");
    svg.dot(scale.at(theirs), middle, 8, "theirs");
    svg.textEnding(
        Picture.RIGHT,
        middle + 5,
        "ink",
        Numbers.plain(theirs) + " | " + Numbers.significant(ours, 2));
    y += ROW_HEIGHT;
  }
}
