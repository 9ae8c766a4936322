package dev.weir.algorithms;

/**
 * What {@link LimitTable} decided. Made once and reused: a call overwrites it whole. Owned by one
 * thread. The figures are worked out when they are asked for, so an answer nobody prints costs
 * nothing.
 */
public final class Decision {
  /** {@link #retryAfterNs()} of a cost that no wait will let pass. */
  public static final long NEVER = Long.MAX_VALUE;

  private Limit limit;
  private long tatNs;
  private long nowNs;
  private long cost;
  private long granted;
  private boolean shared;
  private boolean contended;

  Decision set(Limit limit, long tatNs, long nowNs, long cost, long granted) {
    this.limit = limit;
    this.tatNs = tatNs;
    this.nowNs = nowNs;
    this.cost = cost;
    this.granted = granted;
    this.shared = false;
    this.contended = false;
    return this;
  }

  void markShared() {
    shared = true;
  }

  void markContended() {
    contended = true;
  }

  /** Whether anything was granted: for a check the whole cost, for a grant one unit or more. */
  public boolean allowed() {
    return granted > 0;
  }

  /** Units charged, 0 if refused; for a peek, units that a check would have charged. */
  public long granted() {
    return granted;
  }

  /** Units of a fresh key: {@link Limit#burst()}. */
  public long limit() {
    return limit.burst();
  }

  /** Units left after this decision, from 0 to {@link #limit()}. */
  public long remaining() {
    return limit.available(tatNs, nowNs);
  }

  /** When the budget is whole again if nothing else comes, on the caller's clock; now if it is. */
  public long resetAtNs() {
    return Math.max(tatNs, nowNs);
  }

  /**
   * The least wait after which the same request passes if nobody else comes: 0 if it passed, {@link
   * #NEVER} if it costs more than a whole budget, 1 if it was {@link #contended()}. After a grant
   * of nothing, the wait for one unit.
   */
  public long retryAfterNs() {
    if (granted > 0) {
      return 0;
    }
    return contended ? 1 : limit.retryAfterNs(tatNs, nowNs, cost);
  }

  /** Decided by what keys share for which the table had no room. */
  public boolean shared() {
    return shared;
  }

  /**
   * Refused without a look at the budget, because other threads changed the slot more often than a
   * bounded number of attempts allows for.
   */
  public boolean contended() {
    return contended;
  }
}
