package dev.weir.algorithms;

import java.math.BigInteger;

/**
 * GCRA, token bucket and both leaky buckets: virtual scheduling on a clock whose tick is {@code
 * length / 2^62} nanoseconds, the TAT kept as the nanosecond of a tick. Ticks fit a long; what they
 * are multiplied by does not.
 */
final class ModelBudget extends Model {
  private static final BigInteger ONE_NS = BigInteger.TWO.pow(62);
  private static final long UNLIMITED = Long.MAX_VALUE;

  private final long maxWaitNs;
  private final boolean queue;
  private final long ticksPerUnit;
  private final BigInteger length;
  private long tatNs;

  private ModelBudget(
      long units, long windowNs, long burst, long costScale, long maxWaitNs, boolean queue) {
    super(burst, costScale);
    this.maxWaitNs = maxWaitNs;
    this.queue = queue;
    if (windowNs % units == 0) {
      ticksPerUnit = windowNs / units;
      length = ONE_NS;
      return;
    }
    long ticks = 1;
    while (Math.multiplyExact(Math.multiplyExact(units, ticks), 2) <= windowNs) {
      ticks *= 2;
    }
    ticksPerUnit = ticks;
    length =
        BigInteger.valueOf(windowNs).multiply(ONE_NS).divide(BigInteger.valueOf(units * ticks));
  }

  /** GCRA, a token bucket or a leaky bucket. */
  static ModelBudget meter(long units, long windowNs, long burst, long costScale) {
    return new ModelBudget(units, windowNs, burst, costScale, UNLIMITED, false);
  }

  /** A leaky bucket that tells requests to wait. */
  static ModelBudget queue(long units, long windowNs, long burst, long maxWaitNs) {
    return new ModelBudget(units, windowNs, burst, 1, maxWaitNs, true);
  }

  /** The first tick whose nanosecond is not before {@code ns}: length * tick > (ns - 1) * 2^62. */
  private long arrival(long ns) {
    if (length.equals(ONE_NS)) {
      return ns;
    }
    return BigInteger.valueOf(ns - 1).multiply(ONE_NS).divide(length).longValueExact() + 1;
  }

  private long nanosecond(long tick) {
    if (length.equals(ONE_NS)) {
      return tick;
    }
    return ceilDiv(BigInteger.valueOf(tick).multiply(length), ONE_NS).longValueExact();
  }

  private long tat() {
    return tatNs == 0 ? 0 : arrival(tatNs);
  }

  private long debt(long nowNs) {
    return Math.max(tat() - arrival(nowNs), 0);
  }

  private boolean waitsTooLong(long nowNs) {
    return Math.max(tatNs - nowNs, 0) > maxWaitNs;
  }

  @Override
  boolean passes(long cost, long nowNs) {
    return cost <= capacity
        && !waitsTooLong(nowNs)
        && debt(nowNs) + cost * ticksPerUnit <= capacity * ticksPerUnit;
  }

  @Override
  long available(long nowNs) {
    return waitsTooLong(nowNs)
        ? 0
        : Math.max(capacity * ticksPerUnit - debt(nowNs), 0) / ticksPerUnit;
  }

  @Override
  long current(long nowNs) {
    return Math.min((debt(nowNs) + ticksPerUnit - 1) / ticksPerUnit, capacity);
  }

  @Override
  long waitNs(long nowNs) {
    return queue ? nanosecond(Math.max(tat(), arrival(nowNs))) - nowNs : 0;
  }

  @Override
  void charge(long units, long nowNs) {
    tatNs = nanosecond(Math.max(tat(), arrival(nowNs)) + units * ticksPerUnit);
  }

  /** Whether it fits or not; the debt ends at the capacity. */
  @Override
  void owe(long units, long nowNs) {
    final long charged = Math.max(tat(), arrival(nowNs)) + units * ticksPerUnit;
    final long most = arrival(nowNs) + capacity * ticksPerUnit;
    tatNs = Math.max(tatNs, nanosecond(Math.min(charged, most)));
  }

  @Override
  long resetAtNs(long nowNs) {
    return Math.max(tatNs, nowNs);
  }

  /**
   * The part of each unit that has not been paid for since; none of a queue, where others wait
   * behind.
   */
  @Override
  void refund(long units, long chargedAtNs, long nowNs) {
    final long drained = Math.max(arrival(nowNs) - arrival(chargedAtNs), 0);
    final long occupied = units * ticksPerUnit - drained;
    if (!queue && occupied > 0 && tatNs > nowNs) {
      tatNs = nanosecond(Math.max(tat() - occupied, arrival(nowNs)));
    }
  }

  @Override
  void reset() {
    tatNs = 0;
  }

  void stateOf(ModelBudget other) {
    tatNs = other.tatNs;
  }

  @Override
  long edgeNs(long nowNs) {
    return nanosecond(arrival(nowNs) + ticksPerUnit);
  }

  @Override
  Model sameStateUnder(Model to) {
    return null;
  }
}
