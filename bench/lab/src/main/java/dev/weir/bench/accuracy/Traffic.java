package dev.weir.bench.accuracy;

import dev.weir.bench.keys.ZipfKeys;
import java.util.Locale;
import java.util.SplittableRandom;

/** How requests come. */
enum Traffic {
  /** One key, evenly spaced. */
  UNIFORM,

  /** One key, requests independent of each other. */
  POISSON,

  /** One key, on for half a window and off for three times as long, on average. */
  BURSTY,

  /** Many keys of very unequal rates, requests independent of each other. */
  ZIPF;

  /** On and off together, in windows. */
  private static final double CYCLE_WINDOWS = 2;

  /** So that a clock starts neither at 0 nor at the edge of a window. */
  private static final int FIRST_WINDOW = 3;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Makes requests: equal ones for equal arguments and an equal state of {@code random}. */
  Trace generate(
      Scenario scenario, Settings.Population population, int requests, SplittableRandom random) {
    final long windowNs = scenario.windowNs();
    final long startNs = FIRST_WINDOW * windowNs + random.nextLong(windowNs);
    final double gapNs = windowNs / (scenario.limit() * scenario.load());
    return switch (this) {
      case UNIFORM -> Trace.ofOneKey(Arrivals.even(requests, gapNs, startNs));
      case POISSON -> Trace.ofOneKey(Arrivals.poisson(requests, gapNs, startNs, random));
      case BURSTY ->
          Trace.ofOneKey(
              Arrivals.onOff(requests, gapNs, CYCLE_WINDOWS * windowNs, startNs, random));
      case ZIPF -> zipf(population, requests, gapNs, startNs, random);
    };
  }

  private static Trace zipf(
      Settings.Population population,
      int requests,
      double gapNs,
      long startNs,
      SplittableRandom random) {
    final ZipfKeys zipf = new ZipfKeys(population.keys(), population.exponent());
    final int[] keys = new int[requests];
    for (int i = 0; i < requests; i++) {
      keys[i] = zipf.next(random);
    }
    final long[] timesNs = Arrivals.poisson(requests, gapNs * zipf.share(0), startNs, random);
    return new Trace(timesNs, keys, population.keys());
  }
}
