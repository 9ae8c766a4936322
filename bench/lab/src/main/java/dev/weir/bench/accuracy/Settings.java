package dev.weir.bench.accuracy;

/**
 * The settings of a run.
 *
 * @param seed of all random numbers; the same settings give the same figures.
 * @param requests per scenario.
 * @param population of Zipf traffic.
 */
record Settings(long seed, int requests, Population population) {
  static final int MIN_REQUESTS = 1_000;
  static final int MAX_REQUESTS = 5_000_000;
  static final int MIN_KEYS = 10;

  /** More would take the bucket ring of 1000 sub-windows past 256 MiB. */
  static final int MAX_KEYS = 16_383;

  static final int MAX_EXPONENT = 3;

  /**
   * The senders of {@link Traffic#ZIPF} traffic.
   *
   * @param exponent of Zipf's law.
   */
  record Population(int keys, double exponent) {}
}
