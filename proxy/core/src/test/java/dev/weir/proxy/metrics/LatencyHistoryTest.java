package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Protocol;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;

class LatencyHistoryTest {
  private static final long NOW_MS = 1_700_000_000_123L;

  private final Metrics metrics = new Metrics();
  private final LoopMetrics loop = metrics.newLoop();
  private long nowNs = Long.MAX_VALUE - 5; // it wraps, as System.nanoTime() may
  private final LatencyHistory history = new LatencyHistory(metrics.latencies(), () -> nowNs);

  private List<Histogram> read() {
    List<Histogram> lines = new ArrayList<>();
    HistogramLogReader log = new HistogramLogReader(new ByteArrayInputStream(history.log(NOW_MS)));
    Histogram line;
    while ((line = (Histogram) log.nextIntervalHistogram()) != null) {
      lines.add(line);
    }
    return lines;
  }

  private void endSlice() {
    nowNs += LatencyHistory.SLICE_NS;
    history.endSlice();
  }

  private LatencySummary recent(LatencyStep step) {
    return history.recent(0.5).of(step);
  }

  @Test
  void isALogWithoutLinesBeforeTheFirstRequest() {
    endSlice();
    assertEquals(List.of(), read());
    assertEquals(0, recent(LatencyStep.TOTAL).count());
  }

  @Test
  void tagsEveryStepButTheTotalAndDatesItsLines() {
    loop.decided(1_000);
    loop.store().storeAnswered(2_000);
    endSlice();
    loop.completed(Protocol.HTTP1, 200, 5_000, 4_000, 3_000);
    nowNs += 1_000_000_000L;
    List<Histogram> lines = read();
    assertEquals(
        "[decision, store, upstream, overhead, null]",
        lines.stream().map(Histogram::getTag).toList().toString());
    assertEquals(
        List.of(1_000L, 2_000L, 4_000L, 3_000L, 5_000L),
        lines.stream().map(line -> line.lowestEquivalentValue(line.getMaxValue())).toList());
    assertEquals(NOW_MS - 11_000, lines.get(0).getStartTimeStamp());
    assertEquals(NOW_MS - 1_000, lines.get(0).getEndTimeStamp());
    assertEquals(NOW_MS - 1_000, lines.get(4).getStartTimeStamp());
    assertEquals(NOW_MS, lines.get(4).getEndTimeStamp());
  }

  @Test
  void looksAtTheSliceThatHasNotEndedWithoutEndingIt() {
    loop.decided(1_000);
    assertEquals(1, recent(LatencyStep.DECISION).count());
    assertEquals(1, read().get(0).getTotalCount());
    endSlice();
    assertEquals(1, recent(LatencyStep.DECISION).count());
    assertEquals(1, read().size());
  }

  @Test
  void recentIsTheLastSixSlicesAndTheOneThatHasNotEnded() {
    for (int i = 0; i < 8; i++) {
      loop.decided(1_000);
      endSlice();
    }
    loop.decided(9_000);
    nowNs += 3_000_000_000L;
    LatencyHistory.Recent recent = history.recent(0.5, 1);
    assertEquals(63_000_000_000L, recent.lengthNs());
    assertEquals(7, recent.of(LatencyStep.DECISION).count());
    assertEquals(1_000, recent.of(LatencyStep.DECISION).valuesNs()[0]);
    assertEquals(9_000, recent.of(LatencyStep.DECISION).valuesNs()[1], 9);
  }

  @Test
  void forgetsSlicesOlderThanFiveMinutes() {
    for (int i = 0; i < LatencyHistory.SLICE_COUNT + 1; i++) {
      loop.decided(1_000 + 1_000 * i);
      endSlice();
    }
    List<Histogram> lines = read();
    assertEquals(LatencyHistory.SLICE_COUNT, lines.size());
    assertEquals(1, lines.get(0).getCountAtValue(2_000));
  }

  @Test
  void forgetsEarlierWhereTheTimesHaveNoPattern() {
    long[] timesNs =
        new Random(1).doubles(20_000).mapToLong(x -> (long) Math.exp(x * 28)).toArray();
    for (int i = 0; i < LatencyHistory.SLICE_COUNT; i++) {
      for (long ns : timesNs) {
        loop.completed(Protocol.HTTP1, 200, ns, ns, ns);
        loop.decided(ns);
        loop.store().storeAnswered(ns);
      }
      endSlice();
    }
    int bytes = history.log(NOW_MS).length;
    assertTrue(bytes > LatencyHistory.MOST_BYTES / 2, bytes + " bytes");
    assertTrue(bytes < LatencyHistory.MOST_BYTES + 1_000, bytes + " bytes");
    assertTrue(read().size() < 5 * LatencyHistory.SLICE_COUNT);
  }
}
