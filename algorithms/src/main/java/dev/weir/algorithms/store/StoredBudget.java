package dev.weir.algorithms.store;

/**
 * A budget as a store keeps it, in memory: what one identity has used of one limit, brought up to
 * each moment at which somebody asks. It decides as the script in Redis does, number by number, in
 * whole microseconds of the store's time, of which it has no clock of its own; a time that is
 * before an earlier one is taken as the script takes it.
 *
 * <p>All of it goes by one rule: a unit that is kept to be used later is charged as if it came at
 * the last moment at which it may still be used. So no order of grants, uses and refunds lets more
 * pass than the limit, at the moments of use.
 *
 * <p>Used through {@link StoredBudgets}: {@link #arrive} begins every look at it, {@link #commit}
 * keeps what was changed since, and without it nothing was. Owned by one thread.
 */
public abstract class StoredBudget {
  /** There is no mark: what comes back is what surely has not drained. */
  public static final long NO_MARK = -1;

  private final long capacity;

  StoredBudget(long capacity) {
    this.capacity = positive("capacity", capacity);
  }

  static long positive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: 1 or more)");
    }
    return value;
  }

  static long ceilDiv(long value, long by) {
    return -Math.floorDiv(-value, by);
  }

  /** Units at once. */
  public final long capacity() {
    return capacity;
  }

  /** Brings what was committed up to a moment. */
  public abstract void arrive(long nowUs);

  /** Whether it has to be committed even if nothing is charged: the clock has stepped far back. */
  public abstract boolean isClamped();

  /** Keeps what was changed since {@link #arrive}, of that moment. */
  public abstract void commit(long nowUs);

  /** Units that may be used at once. */
  public abstract long available(long nowUs);

  /** Charges units that are used at once. */
  public abstract void charge(long nowUs, long units);

  /** How long units that are kept now may be used at most; 0 if none may be kept. */
  public abstract long longestLifeUs(long nowUs);

  /** Units that may be kept for so long. */
  public long lendable(long nowUs, long lifeUs) {
    return available(nowUs);
  }

  /** Charges units that are kept for so long. */
  public void keep(long nowUs, long units, long lifeUs) {
    charge(nowUs, units);
  }

  /**
   * Gives back at most what a charge still occupies.
   *
   * @param lifeUs for how long its units were kept; 0 if they were to be used at once.
   * @param mark {@link LeaseGrant#keptMark} or {@link LeaseGrant#grantedMark}, or {@link #NO_MARK}.
   * @return whether anything came back.
   */
  public abstract boolean giveBack(
      long nowUs, long units, long chargedAtUs, long lifeUs, long mark);

  /** When all that counts has gone, {@code nowUs} or later. */
  public abstract long resetAtUs(long nowUs);

  /** The least wait until no more than so many units count. */
  public abstract long drainedUs(long nowUs, long room);

  /** Units granted so far, which tell a refund what was granted after; or NO_MARK. */
  public long mark() {
    return NO_MARK;
  }
}
