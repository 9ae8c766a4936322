package dev.weir.algorithms.lease;

/**
 * A count of arrivals that decays, as one 64-bit word.
 *
 * <pre>
 * bit     63                 34                         0
 *         | time, 4.19 ms    | arrivals, in 256ths      |
 * </pre>
 *
 * <p>What has arrived decays when the time has moved on, by a factor of e in tau; within one step
 * it only grows. The time wraps after 52 days, which is harmless: it is an estimate.
 */
final class DemandWord {
  static final int COUNT_BITS = 34;
  static final int FRACTION_BITS = 8;

  /** Nanoseconds of a step, as a shift. */
  static final int STEP_SHIFT = 22;

  private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;
  private static final long ONE = 1L << FRACTION_BITS;
  private static final long STEP_MASK = (1L << Long.SIZE - COUNT_BITS) - 1;
  private static final double STEP_NS = 1L << STEP_SHIFT;

  /** Decays shorter than this use a quotient in place of the exponential, exact to 0.01 %. */
  private static final double SHORT_DECAY = 0.5;

  private DemandWord() {}

  /** The decay of a step where the count decays by a factor of e in tau. */
  static double decayPerStep(long tauNs) {
    return STEP_NS / tauNs;
  }

  /**
   * The word after one more arrival.
   *
   * @param decayPerStep of {@link #decayPerStep(long)}.
   */
  static long arrived(long word, double decayPerStep, long nowNs) {
    long decayed = decayed(word, decayPerStep, nowNs);
    return (decayed & COUNT_MASK) + ONE > COUNT_MASK ? decayed : decayed + ONE;
  }

  /** The word at a later time, without an arrival since. */
  static long decayed(long word, double decayPerStep, long nowNs) {
    long steps = stepsSince(word, nowNs);
    if (steps == 0) {
      return word;
    }
    long count = (long) ((word & COUNT_MASK) * left(steps * decayPerStep));
    return nowNs >>> STEP_SHIFT << COUNT_BITS | count;
  }

  /** How much is left after a decay, by the Pade approximant of the exponential where it does. */
  private static double left(double decay) {
    if (decay > SHORT_DECAY) {
      return Math.exp(-decay);
    }
    double even = 1 + decay * decay / 12;
    return (even - decay / 2) / (even + decay / 2);
  }

  /** Arrivals before the last one, as far as they have not decayed. */
  static double before(long word) {
    return Math.max(0, (word & COUNT_MASK) - ONE) / (double) ONE;
  }

  /** How long nothing has arrived, in nanoseconds; up to a step more or less. */
  static long idleNs(long word, long nowNs) {
    return stepsSince(word, nowNs) << STEP_SHIFT;
  }

  /** Clocks of threads lie a little apart: one that lags sees the present step. */
  private static long stepsSince(long word, long nowNs) {
    long steps = (nowNs >>> STEP_SHIFT) - (word >>> COUNT_BITS) & STEP_MASK;
    return steps > STEP_MASK >>> 1 ? 0 : steps;
  }
}
