package dev.weir.bench.accuracy;

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
}
