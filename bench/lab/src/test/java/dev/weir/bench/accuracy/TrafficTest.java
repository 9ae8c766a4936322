package dev.weir.bench.accuracy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.accuracy.Traffic.Arrivals;
import dev.weir.bench.keys.ZipfKeys;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TrafficTest {
  private static final long WINDOW_NS = Scenario.SECOND_NS;
  private static final int REQUESTS = 50_000;
  private static final Settings.Population POPULATION = new Settings.Population(500, 1);

  private static Trace trace(Traffic traffic, double load, long seed) {
    final Scenario scenario = new Scenario(traffic, 100, WINDOW_NS, load);
    return traffic.generate(scenario, POPULATION, REQUESTS, scenario.random(seed));
  }

  @ParameterizedTest
  @EnumSource(Traffic.class)
  void theSameSeedGivesTheSameRequests(Traffic traffic) {
    final Trace first = trace(traffic, 1, 7);
    final Trace second = trace(traffic, 1, 7);
    assertArrayEquals(first.timesNs(), second.timesNs());
    assertArrayEquals(first.keys(), second.keys());
    assertFalse(Arrays.equals(first.timesNs(), trace(traffic, 1, 8).timesNs()));
  }

  @ParameterizedTest
  @EnumSource(Traffic.class)
  void timesNeverStepBack(Traffic traffic) {
    final long[] timesNs = trace(traffic, 1, 1).timesNs();
    assertTrue(timesNs[0] >= 1);
    for (int i = 1; i < timesNs.length; i++) {
      assertTrue(timesNs[i] >= timesNs[i - 1], "request " + i);
    }
  }

  @ParameterizedTest
  @EnumSource(Traffic.class)
  void theBusiestKeyComesAtTheLoad(Traffic traffic) {
    for (double load : new double[] {0.5, 2}) {
      final Trace trace = trace(traffic, load, 1);
      final long ofFirst = Arrays.stream(trace.keys()).filter(key -> key == 0).count();
      final long[] timesNs = trace.timesNs();
      final double windows = (double) (timesNs[REQUESTS - 1] - timesNs[0]) / WINDOW_NS;
      final double measured = ofFirst / windows / 100;
      // On/off traffic of some hundred cycles varies by this much; the others by much less.
      final double tolerance = traffic == Traffic.BURSTY ? 0.2 : 0.05;
      assertEquals(load, measured, load * tolerance);
    }
  }

  @Test
  void uniformTrafficAtTheLimitIsSpacedToTheNanosecond() {
    final long[] timesNs = trace(Traffic.UNIFORM, 1, 1).timesNs();
    for (int i = 100; i < timesNs.length; i++) {
      assertEquals(WINDOW_NS, timesNs[i] - timesNs[i - 100]);
    }
  }

  @Test
  void burstyTrafficIsSilentMostOfTheTime() {
    final long[] timesNs = trace(Traffic.BURSTY, 1, 1).timesNs();
    long silentNs = 0;
    for (int i = 1; i < timesNs.length; i++) {
      final long gapNs = timesNs[i] - timesNs[i - 1];
      silentNs += gapNs > WINDOW_NS / 10 ? gapNs : 0;
    }
    final double share = (double) silentNs / (timesNs[timesNs.length - 1] - timesNs[0]);
    assertEquals(1 - Arrivals.ON_SHARE, share, 0.1);
  }

  @Test
  void zipfKeysHaveTheirShares() {
    final ZipfKeys zipf = new ZipfKeys(4, 1);
    // 1 + 1/2 + 1/3 + 1/4 = 25/12.
    assertEquals(12.0 / 25, zipf.share(0), 1e-12);
    assertEquals(3.0 / 25, zipf.share(3), 1e-12);
    assertEquals(0.25, new ZipfKeys(4, 0).share(2), 1e-12);
    final int[] counts = new int[500];
    for (int key : trace(Traffic.ZIPF, 1, 1).keys()) {
      counts[key]++;
    }
    assertEquals(2, (double) counts[0] / counts[1], 0.2);
    assertEquals(10, (double) counts[0] / counts[9], 1.5);
  }
}
