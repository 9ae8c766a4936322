package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.weir.bench.report.RunResult.Check;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
  private static final String HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\u2028\u2029<!--";
  private static final Pattern DATA =
      Pattern.compile("<script type=\"application/json\" id=\"runs\">(.*?)</script>");

  private static String page(RunResult... runs) {
    return new HtmlReport(List.of(runs)).page();
  }

  private static JsonNode data(String page) throws IOException {
    final Matcher data = DATA.matcher(page);
    assertTrue(data.find());
    return new JsonMapper().readTree(data.group(1));
  }

  private static int count(String page, String text) {
    return page.split(Pattern.quote(text), -1).length - 1;
  }

  /** The page but for what the library brought. */
  private static String own(String page) {
    final int from = page.indexOf("<!--\nThe MIT License");
    final int to = page.indexOf("</script>", from);
    assertTrue(from > 0 && to > from);
    return page.substring(0, from) + page.substring(to);
  }

  @Test
  void thePageNeedsNothingElse() throws IOException {
    final String page = page(SampleRuns.run("steady", 25, 1));
    assertTrue(page.contains("content=\"default-src 'none'; script-src 'unsafe-inline'; "));
    assertFalse(page.contains("sourceMappingURL"));
    assertFalse(own(page).matches("(?s).*(src|href|url\\()\\s*=?[\"']?\\s*(https?:)?//.*"));
    assertFalse(own(page).contains("@import"));
  }

  @Test
  void theLicenceOfTheChartsStaysInThePage() throws IOException {
    final String page = page(SampleRuns.run("steady", 2, 1));
    assertTrue(page.contains("Copyright (c) 2014-2024 Chart.js Contributors"));
    assertTrue(page.contains("Chart.js v4.5.1"));
  }

  @Test
  void noTextBreaksOutOfItsPlace() throws IOException {
    final RunResult hostile =
        new RunResult(
            HOSTILE,
            Map.of(HOSTILE, HOSTILE),
            List.of(HOSTILE),
            List.of(new Check(HOSTILE, HOSTILE, false)),
            SampleRuns.run("steady", 2, 1).slices(),
            List.of(
                new LatencySeries(
                    "", HOSTILE, SampleRuns.run("steady", 2, 1).latencies().get(0).slices())));
    final String page = page(hostile);
    assertEquals(0, count(page, "<img"));
    assertEquals(3, count(page, "</script>"));
    assertEquals(1, count(page, "<!--"));
    assertEquals(HOSTILE, data(page).get(0).get("name").asText());
    assertEquals(
        -1, DATA.matcher(page).results().findFirst().orElseThrow().group(1).indexOf('\u2028'));
    assertTrue(count(page(hostile, hostile), "<img") == 0);
  }

  @Test
  void theFiguresAreThereWithoutScripts() throws IOException {
    final RunResult run = SampleRuns.run("steady", 25, 1);
    final String page = page(run);
    final Histogram corrected = run.latencies().get(0).total();
    final String p99 = FigureText.plain(FigureText.ms(corrected.getValueAtPercentile(99)));
    assertTrue(page.contains("<tr><th scope=\"row\">p99</th><td>" + p99 + "</td>"), p99);
    assertTrue(page.contains("<dt>p99</dt><dd>" + p99 + "<"), p99);
    assertTrue(page.contains("1 of 3 thresholds missed"));
    assertTrue(page.contains("<noscript>"));
    final String overTime = page.substring(page.indexOf("<details>"), page.indexOf("</details>"));
    assertEquals(run.slices().size(), count(overTime, "<tr><th scope=\"row\">"));
  }

  @Test
  void everyElementIsClosed() throws IOException {
    for (String page :
        List.of(
            page(SampleRuns.run("steady", 25, 1)),
            page(SampleRuns.warned(), SampleRuns.refused()),
            page(SampleRuns.empty()))) {
      final String markup = own(page).replaceAll("(?s)<(script|style)\\b.*?</\\1>", "");
      for (String name :
          List.of(
              "main", "section", "div", "table", "thead", "tbody", "tr", "td", "th", "p", "dl",
              "dt", "dd", "ul", "li", "details", "h1", "h2", "span", "code", "canvas")) {
        final Pattern open = Pattern.compile("<" + name + "[ >]");
        assertEquals(
            open.matcher(markup).results().count(), count(markup, "</" + name + ">"), name);
      }
    }
  }

  @Test
  void everyChartHasALabelAndATitle() throws IOException {
    final String page = page(SampleRuns.run("steady", 25, 1));
    for (String id : List.of("curves", "rates", "errors", "percentiles", "heat-0")) {
      assertTrue(page.matches("(?s).*<canvas id=\"" + id + "\"[^>]* role=\"img\" aria-label=.*"));
      assertTrue(page.contains("<section class=\"chart\" aria-labelledby=\"" + id + "-title\">"));
    }
    assertFalse(page(SampleRuns.refused()).contains("id=\"errors\""));
  }

  @Test
  void warningsComeBeforeTheFigures() throws IOException {
    final String page = page(SampleRuns.warned());
    final int warning = page.indexOf("<li>Client and target shared a core.</li>");
    assertTrue(warning > 0 && warning < page.indexOf("<dl class=\"tiles\">"));
  }

  @Test
  void anEmptyRunSaysSo() throws IOException {
    final String page = page(SampleRuns.empty());
    assertTrue(page.contains("Nothing was measured"));
    assertFalse(page.contains("<canvas"));
  }

  @Test
  void theRateOfALogIsThatOfItsWholeTime() throws IOException {
    final RunResult run = SampleRuns.run("idle", 4, 1);
    final LatencySeries all = run.latencies().get(0);
    final LatencySeries some =
        new LatencySeries("", "total", List.of(all.slices().get(0), all.slices().get(3)));
    final String page =
        page(new RunResult("idle", Map.of(), List.of(), List.of(), List.of(), List.of(some)));
    assertTrue(page.contains("<dt>Recorded</dt><dd>10,000<"));
    assertTrue(page.contains("<p class=\"when\">4 s</p>"));
  }

  @Test
  void severalRunsStandBesideTheFirst() throws IOException {
    final String page = page(SampleRuns.run("weir", 25, 1), SampleRuns.run("nginx", 25, 2));
    assertTrue(page.contains("<title>2 runs beside weir – weir bench</title>"));
    assertTrue(page.contains("<span class=\"ratio\">1.00×</span>"));
    assertTrue(page.contains("id=\"heat-1\""));
    assertEquals(1, data(page).get(1).get("curves").size());
  }

  @Test
  void aLongRunIsDrawnWithAsManyPointsAsCanBeToldApart() throws IOException {
    final JsonNode run = data(page(SampleRuns.run("long", 1000, 1))).get(0);
    assertEquals(250, run.get("parts").size());
    assertEquals(1000, run.get("parts").get(249).get(1).asInt());
    assertEquals(112, run.get("heat").get("columns").size());
    assertTrue(run.get("heat").get("rows").asInt() <= 60);
  }

  @Test
  void theHeatMapHoldsEveryLatency() throws IOException {
    final RunResult run = SampleRuns.run("steady", 200, 1);
    final JsonNode heat = data(page(run)).get(0).get("heat");
    long count = 0;
    for (JsonNode column : heat.get("columns")) {
      for (int i = 3; i < column.size(); i += 2) {
        count += column.get(i).asLong();
      }
    }
    assertEquals(run.latencies().get(0).total().getTotalCount(), count);
  }

  @Test
  void curvesRiseToTheMaximumAtTheSamePercentiles() throws IOException {
    final RunResult run = SampleRuns.run("steady", 25, 1);
    final JsonNode curves = data(page(run)).get(0).get("curves");
    final JsonNode points = curves.get(0).get("points");
    final List<Double> values = new ArrayList<>();
    points.forEach(point -> values.add(point.get(1).asDouble()));
    assertEquals(values.stream().sorted().toList(), values);
    final double max = FigureText.ms(run.latencies().get(0).total().getMaxValue());
    assertEquals(max, values.get(values.size() - 1), max / 1000);
    assertEquals(points.get(7).get(0), curves.get(1).get("points").get(7).get(0));
  }
}
