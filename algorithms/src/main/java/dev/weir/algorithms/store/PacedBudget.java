package dev.weir.algorithms.store;

/**
 * A budget that comes back at a steady pace: GCRA, token bucket, leaky bucket as a meter. One
 * stored time, when all is paid for, in ticks of {@code 1 / units} microsecond, of which a unit
 * takes {@code periodUs}: nothing is rounded per charge.
 */
public class PacedBudget extends StoredBudget {
  /** Marks count by this; a counter starts at 256 per microsecond of its first moment. */
  static final long COUNTS = 1L << 40;

  private static final long COUNTS_PER_US = 256;

  /** The end of the last lease is kept in such steps, modulo a number of them, as in a value. */
  private static final long HELD_STEP_US = 64;

  private static final long HELD_STEPS = 1L << 24;

  /** No life is longer: what seems to be further ahead is over. */
  private static final long LONGEST_STEPS = 1L << 18;

  private final long ticksPerUs;
  private final long ticksPerUnit;
  private final long longestLifeUs;
  private boolean isStored;
  private long tatUs;
  private long tatTicks;
  private long storedCounter;
  private long storedHeld;
  private long debt;
  private long counter;

  /** Until when kept units may be used; 0 if none may be any more. */
  private long heldUs;

  private boolean isClamped;

  /**
   * @param capacity units at once; {@code 2 * capacity * periodUs + units} is below 2^53.
   * @param units that come back per {@code periodUs}, in lowest terms.
   * @param longestLifeUs the longest life of any of its leases; 0 if it is never leased.
   */
  public PacedBudget(long capacity, long units, long periodUs, long longestLifeUs) {
    super(capacity);
    ticksPerUs = positive("units", units);
    ticksPerUnit = positive("periodUs", periodUs);
    this.longestLifeUs = longestLifeUs;
  }

  /** Ticks that are owed, as of the last {@link #arrive}. */
  protected final long debt() {
    return debt;
  }

  /** Sets the ticks that are owed, and counts units as granted. */
  protected final void owe(long ticks, long units) {
    debt = ticks;
    counter = counter + units & COUNTS - 1;
  }

  /** Ticks that are owed if nothing is left. */
  protected final long ceiling() {
    return capacity() * ticksPerUnit;
  }

  protected final long ticksOf(long units) {
    return units * ticksPerUnit;
  }

  protected final long ticksIn(long us) {
    return us * ticksPerUs;
  }

  @Override
  public void arrive(long nowUs) {
    isClamped = false;
    debt = 0;
    counter = isStored ? storedCounter : nowUs * COUNTS_PER_US & COUNTS - 1;
    heldUs = isStored ? held(storedHeld, nowUs) : 0;
    final long ahead = tatUs - nowUs;
    if (!isStored || ahead < 0) {
      return;
    }
    if (ahead > 2 * ceiling() / ticksPerUs + Math.max(heldUs - nowUs, 0)) {
      debt = ceiling();
      isClamped = true;
    } else {
      debt = ticksIn(ahead) + tatTicks;
    }
  }

  private static long held(long steps, long nowUs) {
    final long ahead = steps - nowUs / HELD_STEP_US & HELD_STEPS - 1;
    return steps == 0 || ahead > LONGEST_STEPS ? 0 : (nowUs / HELD_STEP_US + ahead) * HELD_STEP_US;
  }

  private static long steps(long heldUs, long nowUs) {
    final long steps = ceilDiv(heldUs, HELD_STEP_US) & HELD_STEPS - 1;
    return heldUs <= nowUs ? 0 : Math.max(steps, 1);
  }

  @Override
  public boolean isClamped() {
    return isClamped;
  }

  @Override
  public void commit(long nowUs) {
    isStored = true;
    tatUs = nowUs + debt / ticksPerUs;
    tatTicks = debt % ticksPerUs;
    storedCounter = counter;
    storedHeld = steps(heldUs, nowUs);
  }

  @Override
  public long available(long nowUs) {
    return Math.max((ceiling() - debt) / ticksPerUnit, 0);
  }

  @Override
  public void charge(long nowUs, long units) {
    owe(debt + ticksOf(units), units);
  }

  @Override
  public long longestLifeUs(long nowUs) {
    return longestLifeUs;
  }

  @Override
  public long lendable(long nowUs, long lifeUs) {
    if (lifeUs > ceiling() / ticksPerUs) {
      return 0;
    }
    return Math.max((ceiling() - Math.max(debt, ticksIn(lifeUs))) / ticksPerUnit, 0);
  }

  /** Until the end of its life others may drain before it. */
  @Override
  public void keep(long nowUs, long units, long lifeUs) {
    heldUs = Math.max(heldUs, nowUs + lifeUs);
    owe(Math.max(debt, ticksIn(lifeUs)) + ticksOf(units), units);
  }

  @Override
  public boolean giveBack(long nowUs, long units, long chargedAtUs, long lifeUs, long mark) {
    if (debt == 0) {
      return false;
    }
    final long owed = ticksOf(Math.min(units, capacity()));
    final long aheadUs = Math.max(heldUs - nowUs, 0);
    final long ageUs = Math.max(Math.max(nowUs - chargedAtUs, 0) + aheadUs - lifeUs, 0);
    final long back = Math.max(undrained(owed, ageUs), stillOwed(owed, aheadUs, mark));
    if (back <= 0) {
      return false;
    }
    debt = Math.max(debt - back, 0);
    return true;
  }

  /**
   * Units of a charge that surely have not drained.
   *
   * @param ageUs from the last moment at which its units might be used to that of all others.
   */
  private long undrained(long owed, long ageUs) {
    return ageUs < ceilDiv(owed, ticksPerUs) ? owed - ticksIn(ageUs) : 0;
  }

  /**
   * Units of a charge that are surely still owed, beside those granted after it and those that
   * leases hold.
   *
   * @param aheadUs for how long kept units may still be used.
   */
  private long stillOwed(long owed, long aheadUs, long mark) {
    if (mark < 0 || longestLifeUs == 0 || aheadUs > debt / ticksPerUs) {
      return 0;
    }
    final long others = debt - ticksIn(aheadUs);
    final long since = counter - mark & COUNTS - 1;
    return since <= others / ticksPerUnit ? Math.min(owed, others - ticksOf(since)) : 0;
  }

  @Override
  public long resetAtUs(long nowUs) {
    return nowUs + ceilDiv(debt, ticksPerUs);
  }

  @Override
  public long drainedUs(long nowUs, long room) {
    return ceilDiv(Math.max(debt - ticksOf(Math.min(room, 2 * capacity())), 0), ticksPerUs);
  }

  @Override
  public long mark() {
    return longestLifeUs == 0 ? NO_MARK : counter;
  }
}
