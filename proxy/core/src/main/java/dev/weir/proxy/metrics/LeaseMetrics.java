package dev.weir.proxy.metrics;

/**
 * Counts of what one event loop has in hand of budgets of the store. Every method is called by that
 * loop only and neither allocates, locks nor waits.
 */
public final class LeaseMetrics {
  private static final int NEEDED = 0;
  private static final int AHEAD = 1;
  private static final int HAND = 0;
  private static final int STORE = 1;
  private static final int SPACING = 2;
  private static final int SERVED = 0;
  private static final int IN_VAIN = 1;

  private final Counters counters;

  /**
   * @param counters the event loop's row.
   */
  LeaseMetrics(Counters counters) {
    this.counters = counters;
  }

  /**
   * The store was asked for units to keep.
   *
   * @param isAhead whether no request needs one at once.
   */
  public void asked(boolean isAhead) {
    counters.increment(LoopFigures.LEASE_ASKS.word() + (isAhead ? AHEAD : NEEDED));
  }

  /** The store gave units to keep. */
  public void kept(long units) {
    counters.add(LoopFigures.LEASE_UNITS_KEPT.word(), units);
  }

  /** Units were given back. */
  public void givenBack(long units) {
    counters.add(LoopFigures.LEASE_UNITS_GIVEN_BACK.word(), units);
  }

  /** Units were dropped. */
  public void died(long units) {
    counters.add(LoopFigures.LEASE_UNITS_DIED.word(), units);
  }

  /** A request took what it costs from what was in hand. */
  public void byHand(long units) {
    counters.add(LoopFigures.LEASE_UNITS_USED.word(), units);
    counters.increment(LoopFigures.LEASE_ADMISSIONS.word() + HAND);
  }

  /** A request found the hand empty, and the store was to decide, or its last answer did. */
  public void byStore() {
    counters.increment(LoopFigures.LEASE_ADMISSIONS.word() + STORE);
  }

  /** A request that waited for an ask under way took what it costs from what that brought. */
  public void served(long units) {
    counters.add(LoopFigures.LEASE_UNITS_USED.word(), units);
    counters.increment(LoopFigures.LEASE_WAITS.word() + SERVED);
  }

  /** A request that waited for an ask under way found nothing after it. */
  public void waitedInVain() {
    counters.increment(LoopFigures.LEASE_WAITS.word() + IN_VAIN);
  }

  /** A request found the hand empty, and it was not time to ask for more. */
  public void bySpacing() {
    counters.increment(LoopFigures.LEASE_ADMISSIONS.word() + SPACING);
  }
}
