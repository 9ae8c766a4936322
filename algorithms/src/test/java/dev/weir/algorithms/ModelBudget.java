package dev.weir.algorithms;

import java.math.BigInteger;

/**
 * The budget of one key, written from the definition with unbounded integers: virtual scheduling on
 * a clock whose tick is {@code length / 2^62} nanoseconds, the TAT kept as the nanosecond of a
 * tick. Shares no code with the implementation.
 */
final class ModelBudget {
  private static final BigInteger ONE_NS = BigInteger.TWO.pow(62);

  private BigInteger burst;
  private BigInteger scale;
  private BigInteger ticksPerUnit;
  private BigInteger length;
  private BigInteger tatNs = BigInteger.ZERO;

  ModelBudget(long units, long windowNs, long burst, long scale) {
    limit(units, windowNs, burst, scale);
  }

  private void limit(long units, long windowNs, long burst, long scale) {
    final BigInteger unitCount = BigInteger.valueOf(units);
    final BigInteger window = BigInteger.valueOf(windowNs);
    this.burst = BigInteger.valueOf(burst);
    this.scale = BigInteger.valueOf(scale);
    if (window.mod(unitCount).signum() == 0) {
      ticksPerUnit = window.divide(unitCount);
      length = ONE_NS;
      return;
    }
    ticksPerUnit = BigInteger.ONE;
    while (unitCount.multiply(ticksPerUnit).multiply(BigInteger.TWO).compareTo(window) <= 0) {
      ticksPerUnit = ticksPerUnit.multiply(BigInteger.TWO);
    }
    length = window.multiply(ONE_NS).divide(unitCount.multiply(ticksPerUnit));
  }

  /** The first tick whose nanosecond is not before {@code ns}: length * tick > (ns - 1) * 2^62. */
  private BigInteger arrival(BigInteger ns) {
    return ns.subtract(BigInteger.ONE).multiply(ONE_NS).divide(length).add(BigInteger.ONE);
  }

  private BigInteger arrival(long nowNs) {
    return arrival(BigInteger.valueOf(nowNs));
  }

  private BigInteger debt(long nowNs) {
    return tat().subtract(arrival(nowNs)).max(BigInteger.ZERO);
  }

  long available(long nowNs) {
    return burst
        .multiply(ticksPerUnit)
        .subtract(debt(nowNs))
        .max(BigInteger.ZERO)
        .divide(ticksPerUnit)
        .longValueExact();
  }

  boolean passes(long cost, long nowNs) {
    return debt(nowNs)
            .add(BigInteger.valueOf(cost).multiply(ticksPerUnit))
            .compareTo(burst.multiply(ticksPerUnit))
        <= 0;
  }

  void charge(long cost, long nowNs) {
    tatNs =
        nanosecond(tat().max(arrival(nowNs)).add(BigInteger.valueOf(cost).multiply(ticksPerUnit)));
  }

  long resetAtNs(long nowNs) {
    return tatNs.max(BigInteger.valueOf(nowNs)).longValueExact();
  }

  private BigInteger tat() {
    return tatNs.signum() == 0 ? BigInteger.ZERO : arrival(tatNs);
  }

  private BigInteger nanosecond(BigInteger tick) {
    return ceilDiv(tick.multiply(length), ONE_NS);
  }

  void reset() {
    tatNs = BigInteger.ZERO;
  }

  private static BigInteger ceilDiv(BigInteger a, BigInteger b) {
    return a.add(b).subtract(BigInteger.ONE).divide(b);
  }

  /** Units consumed, in units of {@code toScale}, each step rounded up. */
  private BigInteger consumed(long nowNs, BigInteger toScale) {
    final BigInteger units = ceilDiv(debt(nowNs), ticksPerUnit).min(burst);
    return ceilDiv(units.multiply(toScale), scale);
  }

  void changeLimit(long units, long windowNs, long newBurst, long newScale, long nowNs) {
    final BigInteger consumed = consumed(nowNs, BigInteger.valueOf(newScale));
    limit(units, windowNs, newBurst, newScale);
    if (consumed.signum() != 0) {
      tatNs = nanosecond(arrival(nowNs).add(consumed.min(burst).multiply(ticksPerUnit)));
    }
  }

  /** Moves what {@code from} has consumed here; the debt ends at the burst. */
  void carryOver(ModelBudget from, long nowNs) {
    final BigInteger consumed = from.consumed(nowNs, scale).min(burst);
    if (consumed.signum() == 0) {
      return;
    }
    from.reset();
    final BigInteger charged = tat().max(arrival(nowNs)).add(consumed.multiply(ticksPerUnit));
    final BigInteger most = arrival(nowNs).add(burst.multiply(ticksPerUnit));
    tatNs = tatNs.max(nanosecond(charged.min(most)));
  }
}
