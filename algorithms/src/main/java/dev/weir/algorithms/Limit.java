package dev.weir.algorithms;

import java.math.BigInteger;

/**
 * How much may pass, and how fast it comes back. Immutable; any thread.
 *
 * <p>A limit counts in <i>units</i>: requests, bytes, or fractions of a token. Costs, grants and
 * what remains are all in units. Two ways to say the same thing: GCRA ("so many per window, never
 * more than a burst at once") and token bucket ("a capacity, refilled continuously").
 *
 * <p><b>Exact.</b> One unit takes {@code T = windowNs / limit} nanoseconds. If that is a whole
 * number, every decision equals the one of real-number GCRA. If not, it equals the one of
 * real-number GCRA on a clock that ticks every {@code T / 2^m} nanoseconds, between 1 and 2, and
 * rounds an arrival up to the next tick: nothing is rounded per charge, so N units in a row take N
 * * T within 2 ns for every N. One per day, three per second and 9,999,999 per second do not drift.
 */
public final class Limit {
  /** Times are 1 or more, and less than this: 2^60 ns, 36 years. */
  public static final long MAX_TIME_NS = 1L << 60;

  /** The largest cost scale of a token bucket. */
  public static final long MAX_COST_SCALE = 1_000_000;

  /** Returned by {@link #charge} instead of a TAT, which is always positive. */
  static final long REFUSED = 0;

  private final long burst;
  private final long costScale;
  private final long ticksPerUnit;
  private final long ceilingTicks;
  private final long tickLength;
  private final long tickRate;
  private final long fingerprint;

  private Limit(long units, long windowNs, long burst, long costScale) {
    final BigInteger gcd = BigInteger.valueOf(units).gcd(BigInteger.valueOf(windowNs));
    final long unitsReduced = units / gcd.longValue();
    final long windowReduced = windowNs / gcd.longValue();
    this.burst = burst;
    this.costScale = costScale;
    if (unitsReduced == 1) {
      ticksPerUnit = windowReduced;
      tickLength = 0;
      tickRate = 0;
    } else {
      ticksPerUnit = Long.highestOneBit(windowReduced / unitsReduced);
      final BigInteger ticks =
          BigInteger.valueOf(unitsReduced).multiply(BigInteger.valueOf(ticksPerUnit));
      final BigInteger length =
          BigInteger.valueOf(windowReduced).shiftLeft(Ticks.LENGTH_BITS).divide(ticks);
      tickLength = length.longValueExact();
      tickRate =
          BigInteger.ONE
              .shiftLeft(Ticks.LENGTH_BITS + Ticks.RATE_BITS)
              .divide(length)
              .longValueExact();
    }
    ceilingTicks = Math.multiplyExact(burst, ticksPerUnit);
    fingerprint = mix(mix(mix(mix(unitsReduced) + windowReduced) + burst) + costScale);
  }

  /**
   * So many per window, never more than {@code burst} at once.
   *
   * @param limit units per window, 1 or more and at most one per nanosecond.
   * @param windowNs 1 or more, less than {@link #MAX_TIME_NS}.
   * @param burst 1 or more, and {@code burst * windowNs / limit} less than {@link #MAX_TIME_NS}.
   * @throws IllegalArgumentException naming the value and what was expected.
   */
  public static Limit gcra(long limit, long windowNs, long burst) {
    atLeastOne("limit", limit);
    timeRange("windowNs", windowNs);
    atLeastOne("burst", burst);
    if (limit > windowNs) {
      throw new IllegalArgumentException(
          "limit: " + limit + " per " + windowNs + " ns (expected: at most one per nanosecond)");
    }
    return checked("burst", burst, limit, windowNs, 1);
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
   * @throws IllegalArgumentException naming the value and what was expected.
   */
  public static Limit tokenBucket(
      long capacity, long refillTokens, long refillPeriodNs, long costScale) {
    atLeastOne("capacity", capacity);
    atLeastOne("refillTokens", refillTokens);
    timeRange("refillPeriodNs", refillPeriodNs);
    if (costScale < 1 || costScale > MAX_COST_SCALE) {
      throw new IllegalArgumentException(
          "costScale: " + costScale + " (expected: from 1 to " + MAX_COST_SCALE + ")");
    }
    if (refillTokens > refillPeriodNs / costScale) {
      throw new IllegalArgumentException(
          "refillTokens: "
              + refillTokens
              + " per "
              + refillPeriodNs
              + " ns at costScale "
              + costScale
              + " (expected: at most one unit, 1/costScale of a token, per nanosecond)");
    }
    if (capacity > MAX_TIME_NS / costScale) {
      throw new IllegalArgumentException(
          "capacity: "
              + capacity
              + " at costScale "
              + costScale
              + " (expected: at most "
              + MAX_TIME_NS / costScale
              + ")");
    }
    return checked(
        "capacity", capacity * costScale, refillTokens * costScale, refillPeriodNs, costScale);
  }

  private static Limit checked(String name, long burst, long units, long windowNs, long costScale) {
    final BigInteger most =
        BigInteger.valueOf(MAX_TIME_NS - 1)
            .multiply(BigInteger.valueOf(units))
            .divide(BigInteger.valueOf(windowNs));
    if (BigInteger.valueOf(burst).compareTo(most) > 0) {
      throw new IllegalArgumentException(
          name
              + ": "
              + burst / costScale
              + " (expected: at most "
              + most.divide(BigInteger.valueOf(costScale))
              + ", as a whole budget must come back in less than "
              + MAX_TIME_NS
              + " ns)");
    }
    return new Limit(units, windowNs, burst, costScale);
  }

  private static void atLeastOne(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: 1 or more)");
    }
  }

  private static void timeRange(String name, long value) {
    if (value < 1 || value >= MAX_TIME_NS) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: from 1 to " + (MAX_TIME_NS - 1) + ")");
    }
  }

  /** The finaliser of SplitMix64: every bit of the argument reaches every bit of the result. */
  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  /** What a fresh key has, in units: the burst of GCRA, the capacity of a token bucket. */
  public long burst() {
    return burst;
  }

  /** Units per token, 1 unless said otherwise. */
  public long costScale() {
    return costScale;
  }

  /** The same for equal limits: the name under which keys without a slot share one budget. */
  long fingerprint() {
    return fingerprint;
  }

  /**
   * The TAT after charging {@code cost} units.
   *
   * @return {@link #REFUSED} if it does not fit.
   */
  long charge(long tatNs, long nowNs, long cost) {
    if (cost > burst) {
      return REFUSED;
    }
    if (tickLength == 0) {
      final long charged = Gcra.charged(tatNs, nowNs, cost * ticksPerUnit);
      return charged - nowNs <= ceilingTicks ? charged : REFUSED;
    }
    final long now = ticks(nowNs);
    final long charged = Gcra.charged(ticks(tatNs), now, cost * ticksPerUnit);
    return charged - now <= ceilingTicks ? Ticks.toNs(charged, tickLength) : REFUSED;
  }

  /** The TAT after charging {@code units} whether they fit or not; the debt ends at the burst. */
  long chargeClamped(long tatNs, long nowNs, long units) {
    final long now = ticks(nowNs);
    final long charged = Gcra.charged(ticks(tatNs), now, Math.min(units, burst) * ticksPerUnit);
    return Math.max(tatNs, nanoseconds(Math.min(charged, now + ceilingTicks)));
  }

  /** When every debt that can be made now is paid for, or a little later. */
  long wholeAtNs(long nowNs) {
    return nowNs + (tickLength == 0 ? ceilingTicks : Ticks.toNs(ceilingTicks, tickLength) + 2);
  }

  /** Units that would pass at once, from 0 to the burst. */
  long available(long tatNs, long nowNs) {
    return Gcra.available(ticks(tatNs), ticks(nowNs), ceilingTicks, ticksPerUnit);
  }

  /** Units charged and not yet paid for, from 0 to the burst. */
  long consumed(long tatNs, long nowNs) {
    return Math.min(Gcra.consumed(ticks(tatNs), ticks(nowNs), ticksPerUnit), burst);
  }

  /** The least wait after which a refused cost passes if nobody else comes. */
  long retryAfterNs(long tatNs, long nowNs, long cost) {
    if (cost > burst) {
      return Decision.NEVER;
    }
    final long passesAt = Gcra.passesAt(ticks(tatNs), cost * ticksPerUnit, ceilingTicks);
    // An arrival counts from the first tick not before it, so the tick before passesAt must be
    // past.
    final long passesAtNs = tickLength == 0 ? passesAt : Ticks.toNs(passesAt - 1, tickLength) + 1;
    return Math.max(passesAtNs - nowNs, 0);
  }

  /** Converts units of {@code other} into units of this limit, rounding up, at most the burst. */
  long unitsFrom(Limit other, long units) {
    if (costScale == other.costScale) {
      return Math.min(units, burst);
    }
    final long tokens = units / other.costScale;
    if (tokens >= burst / costScale + 1) {
      return burst;
    }
    final long rest = units % other.costScale;
    final long restUnits = (rest * costScale + other.costScale - 1) / other.costScale;
    return Math.min(tokens * costScale + restUnits, burst);
  }

  private long ticks(long ns) {
    return tickLength == 0 || ns == 0 ? ns : Ticks.ofNs(ns, tickLength, tickRate);
  }

  private long nanoseconds(long ticks) {
    return tickLength == 0 ? ticks : Ticks.toNs(ticks, tickLength);
  }
}
