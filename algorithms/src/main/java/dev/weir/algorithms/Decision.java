package dev.weir.algorithms;

/**
 * The answer of a {@link LimitTable} to one call. Made once and reused: a call overwrites it whole.
 * Owned by one thread. The figures of a one-word limit are worked out when they are asked for, so
 * an answer nobody prints costs nothing; those of a limit with a ring are taken at the decision.
 */
public final class Decision {
  /** {@link #retryAfterNs()} of a cost that no wait will let pass. */
  public static final long NEVER = Long.MAX_VALUE;

  private Limit limit;
  private long state;
  private long nowNs;
  private long cost;
  private long granted;

  /** Units that the state has charged: all that were granted; of a peek none. */
  private long charged;

  /** The longest wait that any limit of a {@link LimitSet} has told; 0 of one limit. */
  private long leastWaitNs;

  /** Units that are held of the budget, beside those in the state. */
  private long held;

  private boolean shared;
  private boolean contended;
  private boolean moved;
  private boolean noRoom;

  // The figures of a limit with a ring; those of other limits are worked out of the state.
  private long ringCurrent;
  private long ringResetAtNs;
  private long ringRetryAfterNs;

  /**
   * @param slot where the ring is, if the limit has one; nothing if {@code state} is EMPTY.
   */
  Decision set(
      Limit limit, long state, Slots slots, int slot, long nowNs, long cost, long granted) {
    this.limit = limit;
    this.state = state;
    this.nowNs = nowNs;
    this.cost = cost;
    this.granted = granted;
    this.charged = granted;
    this.leastWaitNs = 0;
    this.shared = false;
    this.contended = false;
    this.moved = granted == 0 && limit.isOutdated();
    this.noRoom = false;
    this.held = 0;
    if (limit.cells() != 0) {
      ringCurrent = limit.current(state, slots, slot, nowNs);
      ringResetAtNs = limit.resetAtNs(state, slots, slot, nowNs);
      ringRetryAfterNs = granted > 0 ? 0 : limit.retryAfterNs(state, slots, slot, nowNs, cost);
    }
    return this;
  }

  void markPeeked() {
    charged = 0;
  }

  void markShared() {
    shared = true;
  }

  void markContended() {
    contended = true;
  }

  void markMoved() {
    moved = true;
  }

  void markNoRoom() {
    noRoom = true;
  }

  /** Says how many units of the budget are held, beside those that the state has charged. */
  void hold(long units) {
    held = units;
  }

  /** Makes a decision that allowed one that refuses. */
  void refuse() {
    granted = 0;
  }

  void waitAtLeastNs(long waitNs) {
    leastWaitNs = waitNs;
  }

  /** Whether the whole cost was granted. */
  public boolean allowed() {
    return granted > 0;
  }

  /** Units charged, 0 if refused; for a peek, units that a check would have charged. */
  public long granted() {
    return granted;
  }

  /** Units asked for. */
  public long cost() {
    return cost;
  }

  /** Units of a fresh key: {@link Limit#capacity()}. */
  public long limit() {
    return limit.capacity();
  }

  /** Units left after this decision, from 0 to {@link #limit()}: neither used nor held. */
  public long remaining() {
    final long available =
        limit instanceof WordLimit word
            ? word.available(state, nowNs)
            : limit.capacity() - ringCurrent;
    return Math.max(available - held, 0);
  }

  /**
   * Units that count against the limit after this decision, begun ones whole. More than {@link
   * #limit()} if that was lowered below what counts already, or the clock stepped back; of a
   * sliding log, at most as many as it has cells.
   */
  public long current() {
    return limit instanceof WordLimit word ? word.current(state, nowNs) : ringCurrent;
  }

  /** Units that requests hold until they end, of a budget that holds; this one's included. */
  public long held() {
    return limit instanceof HeldUnits ? current() : held;
  }

  /** When the budget is whole again if nothing else comes, on the caller's clock; now if it is. */
  public long resetAtNs() {
    return limit instanceof WordLimit word ? word.resetAtNs(state, nowNs) : ringResetAtNs;
  }

  /**
   * The least wait after which the same request passes if nobody else comes: 0 if it passed, {@link
   * #NEVER} if it costs more than a whole budget, 1 if it was {@link #contended()}. Units that are
   * held come back with the end of who holds them: of that no time is known, and 1 s is told.
   */
  public long retryAfterNs() {
    if (granted > 0) {
      return 0;
    }
    if (contended) {
      return 1;
    }
    // If the cost would fit without the units that are held, those are the reason for the refusal.
    if (held > 0 && cost <= limit.capacity() - current()) {
      return HeldUnits.RETRY_NS;
    }
    return limit instanceof WordLimit word
        ? word.retryAfterNs(state, nowNs, cost)
        : ringRetryAfterNs;
  }

  /**
   * How long the caller has to hold an allowed request until its slot comes, for a {@link
   * Limit#leakyBucketQueue}; 0 for all others.
   */
  public long waitNs() {
    return granted > 0 ? Math.max(limit.waitNs(state, nowNs, charged), leastWaitNs) : 0;
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

  /** Refused, as the table has no room to keep what the key would hold. */
  public boolean noRoom() {
    return noRoom;
  }

  /**
   * Refused without a look at the budget, because what the key has consumed has been carried over
   * to another key, which decides; or because the user's plan has changed meanwhile.
   */
  public boolean moved() {
    return moved;
  }
}
