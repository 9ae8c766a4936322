package dev.weir.proxy.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.LatencySummary;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PercentileChartTest {
  private final Metrics metrics = new Metrics();
  private final LoopMetrics loop = metrics.newLoop();

  private String svg() {
    return PercentileChart.svg(this::summary, "name");
  }

  private LatencySummary summary(LatencyStep step) {
    return metrics.latencies().summary(step, PercentileChart.quantiles());
  }

  private static List<String> points(String svg, LatencyStep step) {
    Matcher curve =
        Pattern.compile("<polyline class=\"" + step.label() + "\" points=\"([^\"]*)\"/>")
            .matcher(svg);
    return curve.find() ? Arrays.asList(curve.group(1).strip().split(" ")) : List.of();
  }

  @Test
  void isATextWhereNothingWasRecorded() {
    assertEquals("<p>Nothing was recorded.</p>\n", svg());
  }

  @Test
  void hasACurveForEachStepThatWasRecorded() {
    loop.completed(Protocol.HTTP1, 200, 3_000, 2_000, 1_000);
    String svg = svg();
    assertEquals(0, points(svg, LatencyStep.DECISION).size());
    assertEquals(1, points(svg, LatencyStep.TOTAL).size());
  }

  @Test
  void endsACurveWhereNoTimeIsLeftAboveIt() {
    for (int i = 0; i < 1_000; i++) {
      loop.decided(1_000 + i);
    }
    List<String> points = points(svg(), LatencyStep.DECISION);
    assertEquals(3 * 16 + 1, points.size());
    assertTrue(points.get(0).startsWith("48.0,"), points.get(0));
    assertTrue(points.get(points.size() - 1).startsWith("376.0,"), points.toString());
  }

  @Test
  void staysWithinItsFrameFromTheShortestTimeToTheLongest() {
    loop.decided(1);
    loop.decided(Long.MAX_VALUE);
    loop.decided(Long.MAX_VALUE);
    String svg = svg();
    assertFalse(svg.contains("NaN") || svg.contains("Infinity"), svg);
    for (String point : points(svg, LatencyStep.DECISION)) {
      double y = Double.parseDouble(point.substring(point.indexOf(',') + 1));
      assertTrue(y >= 8 && y <= 226, point);
    }
  }
}
