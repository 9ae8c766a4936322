package dev.weir.bench.accuracy;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;

/**
 * An algorithm that refuses nothing and only counts: how many requests does it believe the last
 * window held? Its limit is far away, and the count is what its decisions say is current.
 *
 * <p>The algorithms round what is current up to whole units, so a request is several units here.
 */
final class Meter implements AutoCloseable {
  /** A length that fits each algorithm at the shortest window here, 1 s. */
  private static final int CAPACITY_UNITS = (1 << 15) - 1;

  private static final int MAX_UNITS_PER_REQUEST = 64;

  private final BudgetTable budgets;
  private final int unitsPerRequest;

  /**
   * @param most requests of one key that a window may hold, from 1 to 2^15 - 1, here or by the
   *     algorithm's belief.
   */
  Meter(Algorithm algorithm, int most, long windowNs, int keyCount) {
    final Limit limit = algorithm.limit(CAPACITY_UNITS, windowNs);
    unitsPerRequest = Math.max(1, Math.min(MAX_UNITS_PER_REQUEST, CAPACITY_UNITS / most));
    budgets = new BudgetTable(limit, keyCount);
  }

  /** Enters a request and returns the count after it. */
  double count(int key, long nowNs) {
    final Decision decision = budgets.check(key, unitsPerRequest, nowNs);
    if (!decision.allowed()) {
      throw new IllegalStateException(
          "key "
              + key
              + ": more than "
              + CAPACITY_UNITS / unitsPerRequest
              + " requests in a window do not fit the meter");
    }
    return (double) decision.current() / unitsPerRequest;
  }

  @Override
  public void close() {
    budgets.close();
  }
}
