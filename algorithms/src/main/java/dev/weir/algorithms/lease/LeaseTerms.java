package dev.weir.algorithms.lease;

/** The bounds of leases of one group of limits. Immutable; any thread. */
public final class LeaseTerms {
  private static final long LEAST_TAU_NS = 250_000_000;

  /** A life shorter than so many round trips is spent on the way. */
  private static final int LEAST_ROUND_TRIPS = 4;

  private final long lifeNs;
  private final boolean isSpaced;
  private final double decayPerStep;

  /**
   * @param lifeNs the longest life of a kept unit, 1 or more: A.
   * @param isSpaced whether a key that was refused waits before it asks again: not where a refusal
   *     proves all that follow until the window ends.
   */
  public LeaseTerms(long lifeNs, boolean isSpaced) {
    this.lifeNs = lifeNs;
    this.isSpaced = isSpaced;
    this.decayPerStep = DemandWord.decayPerStep(tauNs());
  }

  /** The longest life of a kept unit. */
  public long lifeNs() {
    return lifeNs;
  }

  /** Whether a key that was refused waits before it asks again. */
  boolean isSpaced() {
    return isSpaced;
  }

  /** How fast the count of arrivals decays: by a factor of e in so long. */
  private long tauNs() {
    return Math.max(2 * lifeNs, LEAST_TAU_NS);
  }

  /** How fast the count of arrivals decays, as {@link DemandWord#arrived} has it. */
  double decayPerStep() {
    return decayPerStep;
  }

  /**
   * Whether leases pay at all.
   *
   * @param roundTripNs the median of late; 0 if none is known.
   */
  boolean pays(long roundTripNs) {
    return lifeNs >= LEAST_ROUND_TRIPS * roundTripNs;
  }

  /**
   * How many requests to keep: half of those that are likely to come in a life.
   *
   * @param before arrivals but for the present one, decayed over tau.
   * @return 2 or more, or 0.
   */
  long want(double before) {
    long want = (long) (before * lifeNs / tauNs() / 2);
    return want < 2 ? 0 : want;
  }

  /**
   * Counts an arrival of a key whose demand is kept outside of a hand.
   *
   * @param demand what this returned last; 0 at first.
   */
  public long arrived(long demand, long nowNs) {
    return DemandWord.arrived(demand, decayPerStep, nowNs);
  }

  /**
   * How many requests to keep by such a demand: half of those that are likely to come in a life.
   *
   * @return 2 or more, or 0.
   */
  public long want(long demand, long nowNs) {
    return want(DemandWord.before(DemandWord.decayed(demand, decayPerStep, nowNs)));
  }

  /** From when on before a lease's end the next one is asked for. */
  long aheadNs() {
    return lifeNs / 5;
  }

  /**
   * The longest time for which nothing is asked, after there was nothing to be had: units that are
   * out may come back.
   */
  public long pauseNs() {
    return lifeNs / 4;
  }
}
