package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Protocol;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  private static final long HOUR_NS = 3_600_000_000_000L;

  private final Metrics metrics = new Metrics();
  private final Latencies latencies = metrics.latencies();

  @Test
  void isZeroWhereNothingWasRecorded() {
    metrics.newLoop();
    LatencySummary none = latencies.summary(LatencyStep.TOTAL, 0.5, 1);
    assertEquals(0, none.count());
    assertEquals(0, none.sumNs());
    assertEquals(0, none.maxNs());
    assertEquals(0, none.valuesNs()[1]);
  }

  @Test
  void countsATimeOutsideTheRangeAsTheNearerEnd() {
    LoopMetrics loop = metrics.newLoop();
    long[] times = {Long.MIN_VALUE, -1, 0, 1, HOUR_NS, HOUR_NS + 1, Long.MAX_VALUE};
    for (long time : times) {
      loop.decided(time);
    }
    LatencySummary all = latencies.summary(LatencyStep.DECISION, 0.0, 1.0);
    assertEquals(times.length, all.count());
    assertEquals(4.0 + 3.0 * HOUR_NS, all.sumNs());
    assertEquals(1, all.valuesNs()[0]);
    assertTrue(Math.abs(all.valuesNs()[1] - HOUR_NS) <= HOUR_NS / 1_000);
  }

  @Test
  void mergesLoopsAndKeepsWhatWasReadBefore() {
    LoopMetrics one = metrics.newLoop();
    LoopMetrics two = metrics.newLoop();
    for (int us = 1; us <= 50; us++) {
      one.decided(us * 1_000L);
    }
    assertEquals(50, latencies.summary(LatencyStep.DECISION).count());
    for (int us = 51; us <= 100; us++) {
      two.decided(us * 1_000L);
    }
    LatencySummary all = latencies.summary(LatencyStep.DECISION, 0.5, 0.99);
    assertEquals(100, all.count());
    assertEquals(5_050_000.0, all.sumNs());
    assertEquals(50_000, all.valuesNs()[0], 50);
    assertEquals(99_000, all.valuesNs()[1], 99);
    assertEquals(100_000, all.maxNs(), 100);
    assertEquals(0, latencies.summary(LatencyStep.UPSTREAM).count());
  }

  @Test
  void eachReaderTakesWhatIsNewToItAndNothingFromAnother() {
    LoopMetrics loop = metrics.newLoop();
    loop.decided(7);
    Latencies.Reader often = latencies.newReader();
    Latencies.Reader seldom = latencies.newReader();
    loop.decided(1_000);
    assertEquals(1, taken(often));
    assertEquals(0, taken(often));
    loop.decided(2_000);
    metrics.newLoop().decided(3_000);
    assertEquals(2, taken(often));
    Histogram twice = LatencyRecorder.emptyHistogram();
    seldom.peek(LatencyStep.DECISION, twice);
    seldom.take(LatencyStep.DECISION, twice);
    assertEquals(6, twice.getTotalCount());
    assertEquals(2, twice.getCountAtValue(3_000));
    assertEquals(0, twice.getCountAtValue(7));
    assertEquals(0, taken(seldom));
    assertEquals(4, latencies.summary(LatencyStep.DECISION).count());
  }

  private static long taken(Latencies.Reader reader) {
    Histogram times = LatencyRecorder.emptyHistogram();
    reader.take(LatencyStep.DECISION, times);
    return times.getTotalCount();
  }

  @Test
  void tableHasARowPerStepInMicroseconds() {
    metrics.newLoop().decided(2_000_000);
    String[] lines = latencies.table().split("\n");
    assertTrue(lines[0].contains("microseconds"), lines[0]);
    assertEquals("step p50 p90 p99 p99.9 p99.99 max count", lines[2].replaceAll(" +", " "));
    assertTrue(lines[3].matches("decision +(200[01]\\.[0-9]{2} +){6}1"), lines[3]);
    assertTrue(lines[4].startsWith("hand "), lines[4]);
    assertTrue(lines[5].startsWith("asked "), lines[5]);
    assertTrue(lines[6].matches("store +(- +){6}0"), lines[6]);
    assertTrue(lines[7].startsWith("upstream "), lines[7]);
    assertTrue(lines[8].startsWith("overhead "), lines[8]);
    assertTrue(lines[9].startsWith("total "), lines[9]);
    assertEquals(10, lines.length);
  }

  @Test
  void hgrmIsWhatPlottersReadAndNamesItsUnit() {
    LoopMetrics loop = metrics.newLoop();
    for (int us = 1; us <= 1_000; us++) {
      loop.completed(Protocol.HTTP1, 200, us * 1_000L, 1, 1);
    }
    String[] lines = latencies.hgrm(LatencyStep.TOTAL).split("\n");
    assertEquals(
        "Value Percentile TotalCount 1/(1-Percentile)", lines[0].strip().replaceAll(" +", " "));
    int i = 2;
    while (!lines[i].startsWith("#")) {
      assertTrue(lines[i].matches(" *[0-9.]+ [0-9.]+ +[0-9]+( +[0-9.]+)?"), lines[i]);
      i++;
    }
    String[] last = lines[i - 1].strip().split(" +");
    assertEquals(1_000, Double.parseDouble(last[0]), 1);
    assertEquals("1000", last[2]);
    assertEquals("#[Step    = total, Unit           = microseconds]", lines[lines.length - 1]);
  }

  @Test
  void parsesLabelsOfSteps() {
    for (LatencyStep step : LatencyStep.values()) {
      assertEquals(Optional.of(step), LatencyStep.parse(step.label()));
    }
    assertEquals(Optional.empty(), LatencyStep.parse("TOTAL"));
    assertEquals(Optional.empty(), LatencyStep.parse(""));
  }
}
