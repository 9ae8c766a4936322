package dev.weir.bench.accuracy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small runs over the real implementations. */
class MeasurementTest {
  private static final Settings SETTINGS = new Settings(1, 20_000, new Settings.Population(200, 1));
  private static final int LIMIT = Scenario.LIMIT;

  private final Measurement measurement = new Measurement(SETTINGS, step -> {});

  private Map<Algorithm, Results.Row> rows(Traffic traffic, double load) {
    final Map<Algorithm, Results.Row> rows = new EnumMap<>(Algorithm.class);
    for (Results.Row row :
        measurement.rows(new Scenario(traffic, LIMIT, Scenario.SHORT_NS, load))) {
      rows.put(row.algorithm(), row);
    }
    return rows;
  }

  @ParameterizedTest
  @EnumSource(Traffic.class)
  void theSlidingLogIsNeverWrong(Traffic traffic) {
    for (double load : Scenario.LOADS) {
      final Tally log = rows(traffic, load).get(Algorithm.SLIDING_LOG).tally();
      assertEquals(0, log.ownWronglyAllowed + log.ownWronglyRefused);
      assertEquals(0, log.aloneWronglyAllowed + log.aloneWronglyRefused);
      assertTrue(log.worst <= LIMIT, log.worst + " in a window");
    }
  }

  @ParameterizedTest
  @EnumSource(Traffic.class)
  void theGcraFamilyDecidesAlike(Traffic traffic) {
    final Map<Algorithm, Results.Row> rows = rows(traffic, 1.1);
    final Tally gcra = rows.get(Algorithm.GCRA).tally();
    for (Algorithm other : new Algorithm[] {Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET}) {
      final Tally tally = rows.get(other).tally();
      assertEquals(gcra.refused, tally.refused);
      assertEquals(gcra.aloneWronglyAllowed, tally.aloneWronglyAllowed);
      assertEquals(gcra.earlyMaxNs, tally.earlyMaxNs);
    }
  }

  @Test
  void aRingErrsByHalfItsWidthAndToOneSide() {
    final Map<Algorithm, Results.Row> rows = rows(Traffic.POISSON, 1);
    int more = Integer.MAX_VALUE;
    for (Algorithm ring :
        new Algorithm[] {
          Algorithm.BUCKET_RING_10, Algorithm.BUCKET_RING_100, Algorithm.BUCKET_RING_1000
        }) {
      final Results.Row row = rows.get(ring);
      final double half = 0.5 / ring.subWindows();
      assertEquals(half, row.meter().meanDifference(), half * 0.1, ring.label);
      assertEquals(-half, row.meter().meanSigned(), half * 0.1, ring.label);
      assertEquals(0, row.tally().ownWronglyRefused, ring.label);
      assertTrue(row.tally().earlyMaxNs <= Scenario.SHORT_NS / ring.subWindows(), ring.label);
      assertTrue(row.tally().ownWronglyAllowed < more, ring.label);
      more = row.tally().ownWronglyAllowed;
    }
  }

  @Test
  void theCountersEstimateIsOffByWhatTheoryGives() {
    final Results.Row row = rows(Traffic.POISSON, 1).get(Algorithm.SLIDING_COUNTER);
    final double theory = Math.PI / 8 * Math.sqrt(2 / Math.PI) / Math.sqrt(LIMIT);
    assertEquals(theory, row.meter().meanDifference(), theory * 0.15);
  }

  @Test
  void twiceTheLimitPassesAtTheEdgeOfAFixedWindow() {
    for (Results.EdgeRow row : measurement.edges()) {
      final int expected =
          switch (row.algorithm()) {
            case FIXED_WINDOW -> 2 * LIMIT;
            case GCRA_SMALL_BURST -> LIMIT / 10;
            default -> LIMIT;
          };
      assertEquals(expected, row.bursts().worst, row.algorithm().label);
    }
  }

  @Test
  void whatIsFarFromTheLimitIsDecidedRightly() {
    for (Results.Row row : rows(Traffic.POISSON, 0.5).values()) {
      if (row.algorithm() != Algorithm.GCRA_SMALL_BURST) {
        assertEquals(0, row.tally().refused, row.algorithm().label);
        assertEquals(0, row.tally().ownWronglyAllowed, row.algorithm().label);
      }
    }
  }
}
