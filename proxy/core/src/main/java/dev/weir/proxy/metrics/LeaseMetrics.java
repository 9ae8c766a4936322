package dev.weir.proxy.metrics;

/**
 * Counts an event loop's decisions of mode leased, and its leased units. Every method is called by
 * that loop only and neither allocates, locks nor waits.
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
   * A lease was requested.
   *
   * @param isAhead whether no request needs a unit at once.
   */
  public void asked(boolean isAhead) {
    counters.increment(LoopFigures.LEASE_ASKS.word() + (isAhead ? AHEAD : NEEDED));
  }

  /** Counts units that the store leased. */
  public void kept(long units) {
    counters.add(LoopFigures.LEASE_UNITS_KEPT.word(), units);
  }

  /** Counts leased units that were returned. */
  public void givenBack(long units) {
    counters.add(LoopFigures.LEASE_UNITS_GIVEN_BACK.word(), units);
  }

  /** Counts leased units that were dropped. */
  public void died(long units) {
    counters.add(LoopFigures.LEASE_UNITS_DIED.word(), units);
  }

  /** A request was decided by leased units. */
  public void byHand(long units) {
    counters.add(LoopFigures.LEASE_UNITS_USED.word(), units);
    counters.increment(LoopFigures.LEASE_ADMISSIONS.word() + HAND);
  }

  /** A request found too few leased units, and the store decided, or its remembered refusal. */
  public void byStore() {
    counters.increment(LoopFigures.LEASE_ADMISSIONS.word() + STORE);
  }

  /** A request that waited for a lease was decided by its units. */
  public void served(long units) {
    counters.add(LoopFigures.LEASE_UNITS_USED.word(), units);
    counters.increment(LoopFigures.LEASE_WAITS.word() + SERVED);
  }

  /** A request that waited for a lease found too few units after it. */
  public void waitedInVain() {
    counters.increment(LoopFigures.LEASE_WAITS.word() + IN_VAIN);
  }

  /** A request found too few leased units, and it was too early to ask again. */
  public void bySpacing() {
    counters.increment(LoopFigures.LEASE_ADMISSIONS.word() + SPACING);
  }
}
