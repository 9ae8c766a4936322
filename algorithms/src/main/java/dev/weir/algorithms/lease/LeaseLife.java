package dev.weir.algorithms.lease;

/**
 * How long units of a limit may be kept by whoever has been granted them, and until when they may
 * be used.
 */
public final class LeaseLife {
  /** The longest life, whatever the limit: so long is a lost reply, or process, felt. */
  public static final long LONGEST_US = 2_000_000;

  /** Two clocks may drift apart by 1,000 ppm: so much of a life is left to them. */
  private static final int DRIFT_SHARE = 512;

  private static final long NS_PER_US = 1_000;

  private LeaseLife() {}

  /**
   * The longest life for a paced limit: a tenth of the time in which all of it comes back, as kept
   * units hold up what drains meanwhile. At least 1.
   *
   * @param capacity units at once; {@code capacity * periodUs} fits a long.
   * @param units that come back per {@code periodUs}.
   */
  public static long ofPacedUs(long capacity, long units, long periodUs) {
    return bounded(capacity * periodUs / units / 10);
  }

  /** The longest life for a limit that counts in windows: a tenth of one. At least 1. */
  public static long ofWindowUs(long windowUs) {
    return bounded(windowUs / 10);
  }

  /**
   * The longest life for a sliding log: a fiftieth, as its units leave so much later. At least 1.
   */
  public static long ofLogUs(long windowUs) {
    return bounded(windowUs / 50);
  }

  private static long bounded(long us) {
    return Math.max(1, Math.min(us, LONGEST_US));
  }

  /**
   * From when on kept units may not be used any more, on the clock of who keeps them.
   *
   * @param sentNs when they were asked for: they cannot have been granted earlier.
   * @param lifeUs as the store granted it, 0 or more.
   */
  public static long endNs(long sentNs, long lifeUs) {
    final long lifeNs = lifeUs * NS_PER_US;
    return sentNs + lifeNs - (lifeNs + DRIFT_SHARE - 1) / DRIFT_SHARE;
  }
}
