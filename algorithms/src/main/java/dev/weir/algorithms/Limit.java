package dev.weir.algorithms;

import dev.weir.algorithms.adaptive.AdaptiveLimit;
import java.time.ZoneId;

/**
 * How much may pass, and how it comes back: one of seven algorithms with its numbers. Immutable;
 * any thread; but for {@link PlannedLimit}. {@link LimitTable} applies it to the budgets of many
 * keys.
 *
 * <p>A limit counts in <i>units</i>: requests, bytes, or fractions of a token. Costs, grants and
 * what remains are all in units.
 *
 * <table>
 * <caption>The algorithms</caption>
 * <tr><th>factory</th><th>promise</th><th>state of a key</th></tr>
 * <tr><td>{@link #gcra}</td><td>so many per window on average, a burst at once</td><td>16 bytes</td></tr>
 * <tr><td>{@link #tokenBucket}</td><td>as gcra, in tokens that come back; fractions</td><td>16 bytes</td></tr>
 * <tr><td>{@link #leakyBucket}</td><td>as gcra, by a level that sinks</td><td>16 bytes</td></tr>
 * <tr><td>{@link #leakyBucketQueue}</td><td>a steady outflow: tells each request its wait</td><td>16 bytes</td></tr>
 * <tr><td>{@link #fixedWindow}</td><td>so many per window of the clock or the calendar; up to twice
 *     as many across an edge</td><td>16 bytes</td></tr>
 * <tr><td>{@link #slidingCounter}</td><td>two counts stand for a sliding window; approximate</td><td>16 bytes</td></tr>
 * <tr><td>{@link #slidingLog}</td><td>never more in any window; exact</td><td>16 bytes, and 8 per unit</td></tr>
 * <tr><td>{@link #bucketRing}</td><td>a sliding window in steps of a sub-window</td><td>16 bytes, and 8 per sub-window</td></tr>
 * </table>
 *
 * <p>{@link #heldUnits} bounds what is taken and given back: units that are held until they are
 * released, whatever the time.
 *
 * <p>All factories throw {@link IllegalArgumentException} with the value and what was expected;
 * nothing is clamped.
 */
public abstract sealed class Limit permits WordLimit, RingLimit {
  /** Times are 1 or more, and at most this: 2^58 ns, nine years. */
  public static final long MAX_TIME_NS = 1L << 58;

  /** The largest cost scale of a token bucket. */
  public static final long MAX_COST_SCALE = 1_000_000;

  /** The shortest window, and sub-window of a ring, of an algorithm that counts in windows. */
  public static final long MIN_WINDOW_NS = StateWord.MIN_SPACING_NS;

  /** The longest window of an algorithm that counts in windows: four and a half years. */
  public static final long MAX_WINDOW_NS = MAX_TIME_NS / 2 - 1;

  /** The most cells that a key's ring may have: 2 MiB. */
  public static final int MAX_CELL_COUNT = 1 << 18;

  /** The result of {@link #charge} if nothing fits; a state is always positive. */
  static final long REFUSED = 0;

  private final long capacity;
  private final int cells;

  Limit(long capacity, int cells) {
    this.capacity = capacity;
    this.cells = cells;
  }

  /**
   * Admits a count per window on average, never more than {@code burst} at once (generic cell rate
   * algorithm; ITU-T I.371). See {@link PacedLimit} for what is exact about it.
   *
   * @param limit units per window, 1 or more and at most one per nanosecond.
   * @param windowNs 1 or more, less than {@link #MAX_TIME_NS}.
   * @param burst 1 or more, and {@code burst * windowNs / limit} less than {@link #MAX_TIME_NS}.
   */
  public static Limit gcra(long limit, long windowNs, long burst) {
    return PacedLimit.ofGcra(limit, windowNs, burst);
  }

  /** A token bucket whose costs are whole tokens: a cost scale of 1. */
  public static Limit tokenBucket(long capacity, long refillTokens, long refillPeriodNs) {
    return tokenBucket(capacity, refillTokens, refillPeriodNs, 1);
  }

  /**
   * A bucket that starts full and is refilled continuously.
   *
   * @param capacity tokens, 1 or more, and the time to refill it whole less than {@link
   *     #MAX_TIME_NS}.
   * @param refillTokens tokens per period, 1 or more.
   * @param refillPeriodNs 1 or more, less than {@link #MAX_TIME_NS}.
   * @param costScale units per token, from 1 to {@link #MAX_COST_SCALE}: with 1000, a cost of 1 is
   *     a thousandth of a token. Units come at most once per nanosecond.
   */
  public static Limit tokenBucket(
      long capacity, long refillTokens, long refillPeriodNs, long costScale) {
    return PacedLimit.ofTokenBucket(capacity, refillTokens, refillPeriodNs, costScale);
  }

  /**
   * A token bucket whose capacity and refill may be fractions of a token.
   *
   * @param capacityUnits 1 or more, with the bounds of {@link #tokenBucket}.
   * @param refillUnits units per period, 1 or more, and at most one per nanosecond.
   * @param refillPeriodNs 1 or more, less than {@link #MAX_TIME_NS}.
   * @param costScale units per token, from 1 to {@link #MAX_COST_SCALE}.
   */
  public static Limit tokenBucketOfUnits(
      long capacityUnits, long refillUnits, long refillPeriodNs, long costScale) {
    return PacedLimit.ofUnits(capacityUnits, refillUnits, refillPeriodNs, costScale);
  }

  /**
   * A bucket that starts empty, is filled by what passes and leaks continuously; what would spill
   * over is refused. The token bucket's decisions, read from the other end.
   *
   * @param capacity units the bucket holds, with the bounds of {@link #tokenBucket}.
   * @param leakUnits units that leak per period, 1 or more.
   * @param leakPeriodNs 1 or more, less than {@link #MAX_TIME_NS}.
   */
  public static Limit leakyBucket(long capacity, long leakUnits, long leakPeriodNs) {
    return PacedLimit.ofLeakyBucket(capacity, leakUnits, leakPeriodNs, Limit.MAX_TIME_NS, false);
  }

  /**
   * A queue with a steady outflow: a request is accepted if it fits, and told in {@link
   * Decision#waitNs()} how long its caller has to hold it.
   *
   * @param capacity units that may be in the bucket, the one flowing out included.
   * @param leakUnits units that flow out per period, 1 or more.
   * @param leakPeriodNs 1 or more, less than {@link #MAX_TIME_NS}.
   * @param maxWaitNs a request that would have to wait longer is refused; 0 or more, at most {@link
   *     #MAX_TIME_NS}.
   */
  public static Limit leakyBucketQueue(
      long capacity, long leakUnits, long leakPeriodNs, long maxWaitNs) {
    return PacedLimit.ofLeakyBucket(capacity, leakUnits, leakPeriodNs, maxWaitNs, true);
  }

  /**
   * Admits a count per window of the clock. Across an edge, up to twice as many pass within one
   * window's length.
   *
   * @param limit 1 or more. The count shares a word with the window's stamp: at most 2^20 - 1 for
   *     windows below 8 ms, 2^30 - 1 for one second, more for longer ones.
   * @param windowNs from {@link #MIN_WINDOW_NS} to {@link #MAX_WINDOW_NS}.
   * @param epochNs a time on the caller's clock at which a window starts; any. For windows that
   *     start with the second, minute or hour of Unix time: the Unix epoch on that clock.
   */
  public static Limit fixedWindow(long limit, long windowNs, long epochNs) {
    Bounds.window("windowNs", windowNs);
    return new FixedWindowLimit(limit, new EvenWindows(windowNs, epochNs));
  }

  /**
   * Admits a count per minute, hour, day, week or month of a time zone.
   *
   * @param epochNs the Unix epoch, 1970-01-01T00:00Z, on the caller's clock: negative if the clock
   *     has been started since. From -2^62 to {@link #MAX_TIME_NS}.
   */
  public static Limit fixedWindow(long limit, CalendarUnit unit, ZoneId zone, long epochNs) {
    if (epochNs < -(1L << 62) || epochNs > MAX_TIME_NS) {
      throw Bounds.outside("epochNs", epochNs, -(1L << 62), MAX_TIME_NS);
    }
    return new FixedWindowLimit(
        limit,
        unit == CalendarUnit.MINUTE
            ? new EvenWindows(60_000_000_000L, epochNs)
            : new CalendarWindows(unit, zone, epochNs));
  }

  /**
   * Admits a count per window of another such limit, whose windows are not computed again: those of
   * a calendar are some thousands. Either limit takes the other's states as they are.
   *
   * @param windowsOf from {@link #fixedWindow}.
   */
  public static Limit fixedWindow(long limit, Limit windowsOf) {
    if (!(windowsOf instanceof FixedWindowLimit fixed)) {
      throw new IllegalArgumentException(
          "windowsOf: a " + windowsOf.getClass().getSimpleName() + " (expected: a fixed window)");
    }
    return new FixedWindowLimit(limit, fixed.windows());
  }

  /**
   * The count of the present window, and that of the one before by the share of it that a window
   * ending now still covers.
   *
   * @param limit 1 or more. Both counts share a word with the window's stamp: at most 1,023 for
   *     windows below 8 ms, 8,191 from 67 ms, 32,767 for a second, 262,143 for a minute, 2,097,151
   *     for an hour, 8,388,607 for a day. For more, see {@link #bucketRing}.
   * @param windowNs from {@link #MIN_WINDOW_NS} to {@link #MAX_WINDOW_NS}.
   */
  public static Limit slidingCounter(long limit, long windowNs) {
    Bounds.window("windowNs", windowNs);
    return new SlidingCounterLimit(limit, windowNs);
  }

  /**
   * Never more than {@code limit} in any window: a record of each unit that passed.
   *
   * @param limit from 1 to {@link #MAX_CELL_COUNT}; a key has a cell for each unit.
   * @param windowNs from {@link #MIN_WINDOW_NS} to {@link #MAX_WINDOW_NS}.
   */
  public static Limit slidingLog(long limit, long windowNs) {
    Bounds.window("windowNs", windowNs);
    return new SlidingLogLimit(limit, windowNs);
  }

  /**
   * A count per sub-window; the present one, which has only begun, and those before it make the
   * window. So a unit counts for a window, less up to one sub-window.
   *
   * @param limit 1 or more, at most 524,287 for sub-windows below 8 ms, 8,388,607 below 67 ms,
   *     67,108,863 below half a second, more for longer ones.
   * @param subWindows from 2 to {@link #MAX_CELL_COUNT}; {@code windowNs} is a multiple of it, and
   *     the quotient from {@link #MIN_WINDOW_NS}.
   */
  public static Limit bucketRing(long limit, long windowNs, int subWindows) {
    Bounds.window("windowNs", windowNs);
    return new BucketRingLimit(limit, windowNs, subWindows);
  }

  /**
   * Admits units while no more than {@code capacity} are held; they are released by {@link
   * LimitTable#release}, and time gives none of them back.
   *
   * @param capacity from 1 to 2^47 - 1.
   */
  public static Limit heldUnits(long capacity) {
    return new HeldUnits(capacity, null);
  }

  /**
   * Admits units while no more are held than a number that moves; its {@link #capacity} is that
   * number.
   */
  public static Limit heldUnits(AdaptiveLimit capacity) {
    return new HeldUnits(capacity.max(), capacity);
  }

  /**
   * The units that a fresh key has: the burst, the bucket's depth, the limit of a window. It never
   * changes, but for {@link #adaptive}.
   */
  public long capacity() {
    return capacity;
  }

  /** The number that moves, by which units are held; null of every other limit. */
  public AdaptiveLimit adaptive() {
    return null;
  }

  /** Units per token, 1 unless said otherwise. */
  public long costScale() {
    return 1;
  }

  /** Cells that a table must have for each key: a power of two; 0 if the state is one word. */
  public final int cells() {
    return cells;
  }

  /** The name under which keys without a slot share one budget: equal for equal limits. */
  abstract long fingerprint();

  /**
   * The state after charging {@code cost} units, to be put in place by a CAS on {@code state}. What
   * a ring needs is written before; it means nothing until the CAS.
   *
   * @param state a LIVE word of this limit, or EMPTY: then {@code slots} is not looked at.
   * @param slot where the ring is, for limits that have one.
   * @return {@link #REFUSED} if it does not fit.
   */
  abstract long charge(long state, Slots slots, int slot, long nowNs, long cost);

  /** Whether {@link #charge} would charge, without writing anything. */
  abstract boolean fits(long state, Slots slots, int slot, long nowNs, long cost);

  /**
   * Whether a state that was worked out may be put in place: not if it was for a user's plan that
   * has changed meanwhile.
   */
  boolean isStillUsed() {
    return true;
  }

  /** Whether the last state was worked out for nothing, as {@link #isStillUsed} says. */
  boolean isOutdated() {
    return false;
  }

  /** Whether a state charges nothing yet, but is a step that has to be put in place on the way. */
  boolean isStep(long state) {
    return false;
  }

  /** The state after charging {@code units}, or as many of them as still fit. */
  long chargeClamped(long state, Slots slots, int slot, long nowNs, long units) {
    final long fitting = Math.min(units, available(state, slots, slot, nowNs));
    return fitting == 0 ? state : charge(state, slots, slot, nowNs, fitting);
  }

  /**
   * Units that can be charged although they may not fit, as they have been used already: as many as
   * the state can count. A pace can owe twice its capacity, and all that was held.
   *
   * @param held units that were held for them, 0 or more.
   */
  abstract long chargeable(long state, Slots slots, int slot, long nowNs, long held);

  /**
   * The state after charging units whether they fit or not.
   *
   * @param units from 1 to {@link #chargeable}.
   */
  abstract long chargeOwed(long state, Slots slots, int slot, long nowNs, long units);

  /**
   * The state after giving back {@code units} of a charge; {@code state} if that changes nothing.
   */
  abstract long refunded(
      long state, Slots slots, int slot, long units, long chargedAtNs, long nowNs);

  /** Writes the ring of a slot that nobody else may touch, for a first charge. */
  void open(Slots slots, int slot, long nowNs, long units) {}

  /** Units that count against the limit; above the capacity where that was lowered. */
  abstract long current(long state, Slots slots, int slot, long nowNs);

  /** Units that would pass at once, from 0 to the capacity. */
  long available(long state, Slots slots, int slot, long nowNs) {
    return Math.max(capacity - current(state, slots, slot, nowNs), 0);
  }

  /** When all that counts has gone, at least {@code nowNs}. */
  abstract long resetAtNs(long state, Slots slots, int slot, long nowNs);

  /** The least wait after which a refused cost passes if nobody else comes. */
  abstract long retryAfterNs(long state, Slots slots, int slot, long nowNs, long cost);

  /** How long a request has to be held, of which {@code charged} units are in the state. */
  long waitNs(long state, long nowNs, long charged) {
    return 0;
  }

  /** When every debt that can be made now is paid for, or a little later. */
  abstract long wholeAtNs(long nowNs);

  /** Whether states of {@code from} mean the same under this limit. */
  abstract boolean takesStatesOf(Limit from);

  /**
   * Converts units of {@code other} into units of this limit, rounding up, at most the capacity.
   */
  final long unitsFrom(Limit other, long units) {
    if (costScale() == other.costScale()) {
      return Math.min(units, capacity());
    }
    final long tokens = units / other.costScale();
    if (tokens >= capacity() / costScale() + 1) {
      return capacity();
    }
    final long rest = units % other.costScale();
    final long restUnits = (rest * costScale() + other.costScale() - 1) / other.costScale();
    return Math.min(tokens * costScale() + restUnits, capacity());
  }
}
