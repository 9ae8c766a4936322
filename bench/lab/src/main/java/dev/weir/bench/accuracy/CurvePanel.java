package dev.weir.bench.accuracy;

import dev.weir.bench.accuracy.Results.CurvePoint;
import dev.weir.bench.accuracy.Results.SweepPoint;
import java.util.ArrayList;
import java.util.List;

/** Wrong decisions of the sliding counter by load: of one key, and of many unequal ones. */
final class CurvePanel {
  private static final double HEIGHT = 260;
  private static final double[] LOADS = {0.5, 1, 2, 5, 10};
  private static final double[] PERCENTS = {0.001, 0.01, 0.1, 1, 10, 100};
  private static final double AXIS_LEFT = Picture.LEFT + 50;

  private final Svg svg;
  private final double top;
  private final LogScale x =
      new LogScale(LOADS[0], LOADS[LOADS.length - 1], AXIS_LEFT, Picture.RIGHT - 12);
  private final LogScale y;

  private record Point(double load, double percent) {}

  private CurvePanel(Svg svg, double top) {
    this.svg = svg;
    this.top = top;
    y = new LogScale(PERCENTS[0], PERCENTS[PERCENTS.length - 1], top + HEIGHT, top);
  }

  /** Returns where the panel ends. */
  static double draw(Svg svg, double top, Results results) {
    final CurvePanel panel = new CurvePanel(svg, top);
    panel.axes();
    panel.curves(results);
    return top + HEIGHT + 48;
  }

  private void axes() {
    for (double percent : PERCENTS) {
      svg.line(AXIS_LEFT, y.at(percent), Picture.RIGHT, y.at(percent), "rule");
      svg.textEnding(AXIS_LEFT - 8, y.at(percent) + 5, "soft", Numbers.plain(percent));
    }
    for (double load : LOADS) {
      svg.line(x.at(load), top + HEIGHT, x.at(load), top + HEIGHT + 5, "rule");
      svg.textCentred(x.at(load), top + HEIGHT + 22, "soft", Numbers.plain(load));
    }
    svg.textCentred(
        (AXIS_LEFT + Picture.RIGHT) / 2, top + HEIGHT + 42, "soft", "load of the busiest key");
  }

  private void curves(Results results) {
    final List<Point> many = new ArrayList<>();
    for (SweepPoint point : results.sweep()) {
      many.add(new Point(point.load(), PublishedFigures.wrongPercent(point)));
    }
    final List<Point> one = new ArrayList<>();
    for (CurvePoint point : results.curve()) {
      if (point.limit() == Scenarios.LIMIT) {
        final MeterTally meter = point.meter();
        one.add(
            new Point(
                point.load(),
                100.0 * (meter.wronglyAllowed() + meter.wronglyRefused()) / meter.requests()));
      }
    }
    curve(one, "one");
    curve(many, "many");
    final double published = y.at(PublishedFigures.COUNTER_WRONG_PERCENT);
    svg.line(AXIS_LEFT, published, Picture.RIGHT, published, "mark");
    svg.textEnding(Picture.RIGHT, published - 7, "ink", "Cloudflare: 0.003 %");
    svg.text(x.at(1.28), y.at(4), "ink", "one key");
    svg.textEnding(
        Picture.RIGHT, y.at(0.6), "ink", results.settings().population().keys() + " keys, Zipf");
  }

  /** Points with nothing wrong are below every scale: they are left out, and end a line. */
  private void curve(List<Point> points, String look) {
    Point before = null;
    for (Point point : points) {
      final boolean shown = point.percent >= PERCENTS[0];
      if (shown) {
        svg.dot(x.at(point.load), y.at(point.percent), 4, look);
        if (before != null) {
          svg.line(
              x.at(before.load),
              y.at(before.percent),
              x.at(point.load),
              y.at(point.percent),
              look + "-line");
        }
      }
      before = shown ? point : null;
    }
  }
}
