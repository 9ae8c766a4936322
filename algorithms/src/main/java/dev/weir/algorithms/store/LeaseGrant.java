package dev.weir.algorithms.store;

/** The decision on a lease, or on a check, which is a lease that keeps nothing. Reused. */
public final class LeaseGrant {
  /** {@link #retryAfterUs}: no wait lets it pass. */
  public static final long NEVER = -1;

  long granted;
  long kept;
  long lifeUs;
  long decidedAtUs;
  int limitIndex;
  long remaining;
  long capacity;
  long resetAtUs;
  long retryAfterUs;
  final long[] marks;
  final long[] costs;

  /**
   * @param limits the most that a decision is of.
   */
  public LeaseGrant(int limits) {
    marks = new long[limits];
    costs = new long[limits];
  }

  /** Requests that may pass now. */
  public long granted() {
    return granted;
  }

  /** Further requests, that may be used within {@link #lifeUs}. */
  public long kept() {
    return kept;
  }

  /** How long from the decision on; 0 if nothing is kept. */
  public long lifeUs() {
    return lifeUs;
  }

  public long decidedAtUs() {
    return decidedAtUs;
  }

  /**
   * The limit that the figures are about: that with the longest wait, or the smallest share left.
   */
  public int limitIndex() {
    return limitIndex;
  }

  public long remaining() {
    return remaining;
  }

  public long capacity() {
    return capacity;
  }

  public long resetAtUs() {
    return resetAtUs;
  }

  /** Until the first request that was not granted passes; 0 if all were; {@link #NEVER}. */
  public long retryAfterUs() {
    return retryAfterUs;
  }

  /**
   * The mark for a refund of units that were kept; {@link StoredBudget#NO_MARK} if there is none.
   */
  public long keptMark(int limit) {
    return marks[limit];
  }

  /** The mark for a refund of units that were granted at once. */
  public long grantedMark(int limit) {
    final long mark = marks[limit];
    return mark < 0 ? mark : mark - kept * costs[limit] & PacedBudget.COUNTS - 1;
  }
}
