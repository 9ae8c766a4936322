package dev.weir.bench.accuracy;

import java.util.ArrayList;
import java.util.List;

/** Which limits and loads are measured. */
final class Scenarios {
  static final long SHORT_NS = Scenario.SECOND_NS;
  static final long LONG_NS = 60 * Scenario.SECOND_NS;
  static final int LIMIT = 100;

  private static final List<Integer> LIMITS = List.of(10, LIMIT, 1000);
  private static final List<Double> LOADS = List.of(0.5, 0.9, 1.0, 1.1, 2.0);
  private static final List<Double> SWEEP =
      List.of(0.5, 0.6, 0.65, 0.7, 0.72, 0.75, 0.8, 0.85, 0.9, 1.0, 1.2, 1.5, 2.0, 5.0, 10.0);

  private Scenarios() {}

  static List<Integer> limits() {
    return LIMITS;
  }

  /** Below the limit, just below, at, just above, far above. */
  static List<Double> loads() {
    return LOADS;
  }

  /** The loads of the busiest key of the Zipf sweep. */
  static List<Double> sweepLoads() {
    return SWEEP;
  }

  /**
   * Every traffic at every load: one key at all limits, many keys at one; per second and minute.
   */
  static List<Scenario> all() {
    final List<Scenario> all = new ArrayList<>();
    for (Traffic traffic : Traffic.values()) {
      for (double load : LOADS) {
        for (int limit : traffic == Traffic.ZIPF ? List.of(LIMIT) : LIMITS) {
          all.add(new Scenario(traffic, limit, SHORT_NS, load));
        }
        all.add(new Scenario(traffic, LIMIT, LONG_NS, load));
      }
    }
    return all;
  }
}
