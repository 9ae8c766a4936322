package dev.weir.bench.accuracy;

import java.util.SplittableRandom;

/** Times of arrival at a mean rate of one per {@code gapNs}, all after {@code startNs}. */
final class Arrivals {
  /** Share of the time in which on/off traffic is on; then it comes at 1 / this times the mean. */
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

  /** Independent of each other: exponential gaps. */
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
   * Silence and bursts: Poisson arrivals at {@code 1 / ON_SHARE} times the mean rate while on, none
   * while off; both last exponentially long, on and off together {@code cycleNs} on average.
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
