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

  /** Times of arrival at a mean rate of one per {@code gapNs}, all after {@code startNs}. */
  static final class Arrivals {
    /**
     * Share of the time in which on/off traffic is on; then it comes at 1 / this times the mean.
     */
    static final double ON_SHARE = 0.25;

    private Arrivals() {}

    /** One every {@code gapNs}, rounded down to whole nanoseconds each. */
    static long[] even(int count, double gapNs, long startNs) {
      final long[] timesNs = new long[count];
      for (int i = 0; i < count; i++) {
        timesNs[i] = startNs + (long) (i * gapNs);
      }
      return timesNs;
    }

    static long[] poisson(int count, double gapNs, long startNs, SplittableRandom random) {
      final long[] timesNs = new long[count];
      double elapsedNs = 0;
      for (int i = 0; i < count; i++) {
        elapsedNs += exponential(gapNs, random);
        timesNs[i] = startNs + (long) elapsedNs;
      }
      return timesNs;
    }

    /**
     * Silence and bursts: Poisson arrivals at {@code 1 / ON_SHARE} times the mean rate while on,
     * none while off; both last exponentially long, on and off together {@code cycleNs} on average.
     */
    static long[] onOff(
        int count, double gapNs, double cycleNs, long startNs, SplittableRandom random) {
      final long[] timesNs = new long[count];
      double onNs = exponential(cycleNs * ON_SHARE, random);
      double offNs = 0;
      double elapsedNs = 0;
      for (int i = 0; i < count; i++) {
        // Time runs only while it is on; the silence is added to what has run.
        elapsedNs += exponential(gapNs * ON_SHARE, random);
        while (elapsedNs > onNs) {
          onNs += exponential(cycleNs * ON_SHARE, random);
          offNs += exponential(cycleNs * (1 - ON_SHARE), random);
        }
        timesNs[i] = startNs + (long) (elapsedNs + offNs);
      }
      return timesNs;
    }

    /** A wait by StrictMath, so that every machine and Java gives the same times. */
    private static double exponential(double mean, SplittableRandom random) {
      return -StrictMath.log1p(-random.nextDouble()) * mean;
    }
  }
}
