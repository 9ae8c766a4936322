package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyRecorderTest {
  private final LatencyRecorder recorder = new LatencyRecorder();
  private final Histogram drained = LatencyRecorder.emptyHistogram();
  private final Histogram expected = LatencyRecorder.emptyHistogram();

  private long drain() {
    return recorder.drainInto(List.of(drained), null);
  }

  private long record(long ns) {
    recorder.record(ns);
    expected.recordValue(ns);
    return ns;
  }

  @Test
  void countsEveryTimeWhereAHistogramDoes() {
    long sumNs = 0;
    for (long power = 1; power < LatencyRecorder.MOST_NS; power *= 2) {
      for (long ns = Math.max(power - 3, 1); ns <= power + 3; ns++) {
        sumNs += record(ns);
      }
    }
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      long most = 1L << (1 + random.nextInt(41));
      sumNs += record(1 + (random.nextLong() & most - 1));
    }
    sumNs += record(LatencyRecorder.MOST_NS);
    assertEquals(sumNs, drain());
    assertEquals(expected, drained);
  }

  @Test
  void givesEachTimeOnce() {
    record(1_000_000);
    assertEquals(1_000_000, drain());
    assertEquals(0, drain());
    record(1_000_000);
    record(5);
    assertEquals(1_000_005, drain());
    assertEquals(expected, drained);
  }

  @Test
  void takesTheDifferenceWhenACountHasWrapped() {
    long many = 3L << 30;
    for (int i = 1; i <= 3; i++) {
      recorder.record(7, many);
      drain();
      assertEquals(i * many, drained.getTotalCount());
    }
    assertEquals(3 * many, drained.getCountAtValue(7));
  }
}
