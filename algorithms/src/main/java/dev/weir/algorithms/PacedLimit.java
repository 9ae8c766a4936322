package dev.weir.algorithms;

import java.math.BigInteger;

/**
 * A limit whose budget comes back at a steady pace: GCRA, token bucket and leaky bucket, which are
 * three readings of one stored time. The word is the theoretical arrival time (TAT) in nanoseconds:
 * when everything charged so far will have been paid for, refilled, or leaked.
 *
 * <p><b>Exact.</b> One unit takes {@code T = windowNs / limit} nanoseconds. If that is a whole
 * number, every decision equals the one of real-number GCRA. If not, it equals the one of
 * real-number GCRA on a clock that ticks every {@code T / 2^m} nanoseconds, between 1 and 2, and
 * rounds an arrival up to the next tick: nothing is rounded per charge, so N units in a row take N
 * * T within 2 ns for every N. One per day, three per second and 9,999,999 per second do not drift.
 */
final class PacedLimit extends WordLimit {
  /**
   * The longest debt after a change of plan, 2^57 ticks: four and a half years at least. So a time
   * stays below 2^59.
   */
  static final long MAX_CONVERTED_TICKS = 1L << 57;

  private final long costScale;
  private final long ticksPerUnit;
  private final long ceilingTicks;
  private final long tickLength;
  private final long tickRate;

  /** How long a request may have to wait for its slot. */
  private final long maxWaitNs;

  /** Whether requests are told to wait for their slot. */
  private final boolean queues;

  private final long fingerprint;

  private PacedLimit(
      long units, long windowNs, long burst, long costScale, long maxWaitNs, boolean queues) {
    super(burst);
    final BigInteger gcd = BigInteger.valueOf(units).gcd(BigInteger.valueOf(windowNs));
    final long unitsReduced = units / gcd.longValue();
    final long windowReduced = windowNs / gcd.longValue();
    this.costScale = costScale;
    this.maxWaitNs = maxWaitNs;
    this.queues = queues;
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
    final long pace =
        SipHash.mix(SipHash.mix(SipHash.mix(unitsReduced) + windowReduced) + burst) + costScale;
    fingerprint = SipHash.mix(queues ? SipHash.mix(pace) + maxWaitNs : pace);
  }

  static PacedLimit ofGcra(long limit, long windowNs, long burst) {
    Bounds.atLeastOne("limit", limit);
    Bounds.range("windowNs", windowNs, 1, MAX_TIME_NS - 1);
    Bounds.atLeastOne("burst", burst);
    if (limit > windowNs) {
      throw new IllegalArgumentException(
          "limit: " + limit + " per " + windowNs + " ns (expected: at most one per nanosecond)");
    }
    comesBack("burst", burst, limit, windowNs, 1);
    return new PacedLimit(limit, windowNs, burst, 1, MAX_TIME_NS, false);
  }

  static PacedLimit ofTokenBucket(
      long capacity, long refillTokens, long refillPeriodNs, long costScale) {
    Bounds.atLeastOne("capacity", capacity);
    Bounds.atLeastOne("refillTokens", refillTokens);
    Bounds.range("refillPeriodNs", refillPeriodNs, 1, MAX_TIME_NS - 1);
    Bounds.range("costScale", costScale, 1, MAX_COST_SCALE);
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
    final long burst = capacity * costScale;
    final long units = refillTokens * costScale;
    comesBack("capacity", burst, units, refillPeriodNs, costScale);
    return new PacedLimit(units, refillPeriodNs, burst, costScale, MAX_TIME_NS, false);
  }

  static PacedLimit ofUnits(long capacity, long refillUnits, long refillPeriodNs, long costScale) {
    Bounds.atLeastOne("capacityUnits", capacity);
    Bounds.atLeastOne("refillUnits", refillUnits);
    Bounds.range("refillPeriodNs", refillPeriodNs, 1, MAX_TIME_NS - 1);
    Bounds.range("costScale", costScale, 1, MAX_COST_SCALE);
    if (refillUnits > refillPeriodNs) {
      throw new IllegalArgumentException(
          "refillUnits: "
              + refillUnits
              + " per "
              + refillPeriodNs
              + " ns (expected: at most one per nanosecond)");
    }
    comesBack("capacityUnits", capacity, refillUnits, refillPeriodNs, 1);
    return new PacedLimit(refillUnits, refillPeriodNs, capacity, costScale, MAX_TIME_NS, false);
  }

  static PacedLimit ofLeakyBucket(
      long capacity, long leakUnits, long leakPeriodNs, long maxWaitNs, boolean queues) {
    Bounds.atLeastOne("capacity", capacity);
    Bounds.atLeastOne("leakUnits", leakUnits);
    Bounds.range("leakPeriodNs", leakPeriodNs, 1, MAX_TIME_NS - 1);
    Bounds.range("maxWaitNs", maxWaitNs, 0, MAX_TIME_NS);
    if (leakUnits > leakPeriodNs) {
      throw new IllegalArgumentException(
          "leakUnits: "
              + leakUnits
              + " per "
              + leakPeriodNs
              + " ns (expected: at most one per nanosecond)");
    }
    comesBack("capacity", capacity, leakUnits, leakPeriodNs, 1);
    return new PacedLimit(leakUnits, leakPeriodNs, capacity, 1, maxWaitNs, queues);
  }

  private static void comesBack(
      String name, long burst, long units, long windowNs, long costScale) {
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
  }

  @Override
  public long costScale() {
    return costScale;
  }

  @Override
  long fingerprint() {
    return fingerprint;
  }

  @Override
  long charge(long tatNs, long nowNs, long cost) {
    if (cost > capacity()) {
      return REFUSED;
    }
    if (queues && tatNs - nowNs > maxWaitNs) {
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

  /**
   * A debt of twice the capacity, and beyond it what was held: a plan may have had more than twice
   * as much when that was taken, and have it again.
   */
  @Override
  long chargeable(long tatNs, Slots slots, int slot, long nowNs, long held) {
    final long tat = ticks(tatNs);
    final long now = ticks(nowNs);
    final long countable = Gcra.available(tat, now, MAX_CONVERTED_TICKS, ticksPerUnit);
    return Math.max(
        Gcra.available(tat, now, 2 * ceilingTicks, ticksPerUnit), Math.min(held, countable));
  }

  @Override
  long chargeOwed(long tatNs, Slots slots, int slot, long nowNs, long units) {
    return nanoseconds(Gcra.charged(ticks(tatNs), ticks(nowNs), units * ticksPerUnit));
  }

  /** Charges whether it fits or not; the debt ends at the capacity. */
  @Override
  long chargeClamped(long tatNs, Slots slots, int slot, long nowNs, long units) {
    final long now = ticks(nowNs);
    final long charged =
        Gcra.charged(ticks(tatNs), now, Math.min(units, capacity()) * ticksPerUnit);
    return Math.max(tatNs, nanoseconds(Math.min(charged, now + ceilingTicks)));
  }

  /**
   * Gives back what surely has not drained since: all units, less the time that has passed. Without
   * the charge the TAT would be earlier by no less than that, whatever was charged or given back
   * meanwhile: the two differ by all units at first, and come closer only while the one without has
   * nothing to drain.
   *
   * <p>A queue takes nothing back: who came behind has been told a slot, and the next comer would
   * get it too.
   */
  @Override
  long refunded(long tatNs, long units, long chargedAtNs, long nowNs) {
    if (queues || tatNs <= nowNs) {
      return tatNs;
    }
    final long now = ticks(nowNs);
    final long drained = Math.max(now - ticks(chargedAtNs), 0);
    final long back = Math.min(units, capacity()) * ticksPerUnit - drained;
    return back <= 0 ? tatNs : nanoseconds(Math.max(ticks(tatNs) - back, now));
  }

  @Override
  long wholeAtNs(long nowNs) {
    return nowNs + (tickLength == 0 ? ceilingTicks : Ticks.toNs(ceilingTicks, tickLength) + 2);
  }

  @Override
  long available(long tatNs, long nowNs) {
    return queues && tatNs - nowNs > maxWaitNs
        ? 0
        : Gcra.available(ticks(tatNs), ticks(nowNs), ceilingTicks, ticksPerUnit);
  }

  @Override
  long current(long tatNs, long nowNs) {
    return Math.min(Gcra.consumed(ticks(tatNs), ticks(nowNs), ticksPerUnit), capacity());
  }

  @Override
  long resetAtNs(long tatNs, long nowNs) {
    return Math.max(tatNs, nowNs);
  }

  @Override
  long retryAfterNs(long tatNs, long nowNs, long cost) {
    if (cost > capacity()) {
      return Decision.NEVER;
    }
    final long passesAt = Gcra.passesAt(ticks(tatNs), cost * ticksPerUnit, ceilingTicks);
    // An arrival counts from the first tick not before it, so the tick before passesAt must be
    // past.
    final long fitsAtNs = tickLength == 0 ? passesAt : Ticks.toNs(passesAt - 1, tickLength) + 1;
    final long passesAtNs = queues ? Math.max(fitsAtNs, tatNs - maxWaitNs) : fitsAtNs;
    return Math.max(passesAtNs - nowNs, 0);
  }

  @Override
  long waitNs(long tatNs, long nowNs, long charged) {
    if (!queues) {
      return 0;
    }
    final long freeAt = ticks(tatNs) - charged * ticksPerUnit;
    return nanoseconds(Math.max(freeAt, ticks(nowNs))) - nowNs;
  }

  @Override
  boolean takesStatesOf(Limit from) {
    return false;
  }

  /**
   * The time at which as many units of this limit have come back as another one's time owes at
   * {@code nowNs}, rounded up to this one's next tick; of more than {@link #MAX_CONVERTED_TICKS}
   * that many. A time that has passed stays as it is: another thread's clock may lag behind.
   */
  long tatOf(PacedLimit other, long tatNs, long nowNs) {
    if (other == this || tatNs <= nowNs) {
      return tatNs;
    }
    final long debt = Gcra.debt(other.ticks(tatNs), other.ticks(nowNs));
    final long whole = debt / other.ticksPerUnit;
    final long converted =
        whole > MAX_CONVERTED_TICKS / ticksPerUnit
            ? MAX_CONVERTED_TICKS
            : whole * ticksPerUnit
                + Ticks.rescaled(debt % other.ticksPerUnit, ticksPerUnit, other.ticksPerUnit);
    return nanoseconds(ticks(nowNs) + Math.min(converted, MAX_CONVERTED_TICKS));
  }

  private long ticks(long ns) {
    return tickLength == 0 || ns == 0 ? ns : Ticks.ofNs(ns, tickLength, tickRate);
  }

  private long nanoseconds(long ticks) {
    return tickLength == 0 ? ticks : Ticks.toNs(ticks, tickLength);
  }
}
