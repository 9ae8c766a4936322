package dev.weir.proxy.store;

/** What the leases of a batch are to keep, by check. Made with the first lease of its batch. */
final class BatchLeases {
  private final int[] indexes = new int[BatchChecks.MAX_KEYS];
  private final long[] keeps = new long[BatchChecks.MAX_KEYS];
  private final long[] livesUs = new long[BatchChecks.MAX_KEYS];

  /**
   * Adds one.
   *
   * @param index which of the batch's leases it is.
   */
  void add(int check, int index, StoreQuestion question) {
    indexes[check] = index;
    keeps[check] = question.keep;
    livesUs[check] = question.lifeUs;
  }

  int index(int check) {
    return indexes[check];
  }

  long keep(int check) {
    return keeps[check];
  }

  long lifeUs(int check) {
    return livesUs[check];
  }
}
