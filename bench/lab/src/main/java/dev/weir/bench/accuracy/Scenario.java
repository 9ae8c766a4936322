package dev.weir.bench.accuracy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A limit and the traffic against it.
 *
 * @param limit requests per window and key.
 * @param load offered over allowed rate, 1 at the limit; of Zipf traffic, that of the busiest key.
 */
record Scenario(Traffic traffic, int limit, long windowNs, double load) {
  static final long SECOND_NS = 1_000_000_000L;
  static final long SHORT_NS = SECOND_NS;
  static final long LONG_NS = 60 * SECOND_NS;
  static final int LIMIT = 100;

  static final List<Integer> LIMITS = List.of(10, LIMIT, 1000);

  /** Below the limit, just below, at, just above, far above. */
  static final List<Double> LOADS = List.of(0.5, 0.9, 1.0, 1.1, 2.0);

  static final List<Double> SWEEP =
      List.of(0.5, 0.6, 0.65, 0.7, 0.72, 0.75, 0.8, 0.85, 0.9, 1.0, 1.2, 1.5, 2.0, 5.0, 10.0);

  String label() {
    return String.format(
        Locale.ROOT,
        "%s, %d per %d s, load %s",
        traffic.label(),
        limit,
        windowNs / SECOND_NS,
        Numbers.plain(load));
  }

  /** Random numbers of this scenario's own: they do not depend on what else is measured. */
  SplittableRandom random(long seed) {
    return new SplittableRandom(seed * 0x9e3779b97f4a7c15L + label().hashCode());
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
