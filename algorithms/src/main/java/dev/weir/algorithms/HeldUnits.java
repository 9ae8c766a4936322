package dev.weir.algorithms;

import dev.weir.algorithms.adaptive.AdaptiveLimit;

/**
 * Units that are held: taken by a request's verdict, and released at its end. They count for as
 * long as they are held, and not by time.
 *
 * <p>As a limit of its own it admits a request while no more than its capacity is held, which
 * bounds requests in flight. Beside another limit it is what {@link HeldBudget} adds to the units
 * that count under that one.
 *
 * <p>The word has the form of {@link StateWord}, with a stamp beyond all times, so it never expires
 * and its key never gives way to another. Once nothing is held it is the time of the last release,
 * and the slot is reused a second later.
 *
 * <pre>
 * bit  63 | 62 to 60 | 59 to 47 | 46 to 0
 *       0 | grain 7  | all ones | units, 1 or more
 * </pre>
 */
final class HeldUnits extends WordLimit {
  /** The most units that the holders of one key may hold together. */
  static final long MAX_UNITS = (1L << 47) - 1;

  private static final long STAMP = Long.MAX_VALUE & ~MAX_UNITS;

  /** The wait that a refused request is told, 1 s: no clock tells when others end. */
  static final long RETRY_NS = 1_000_000_000L;

  private final AdaptiveLimit adaptive;

  /**
   * @param adaptive the capacity at any moment, {@code capacity} at most; null if it never changes.
   */
  HeldUnits(long capacity, AdaptiveLimit adaptive) {
    super(capacity);
    Bounds.range("capacity", capacity, 1, MAX_UNITS);
    this.adaptive = adaptive;
  }

  @Override
  public long capacity() {
    return adaptive == null ? super.capacity() : adaptive.limit();
  }

  @Override
  public AdaptiveLimit adaptive() {
    return adaptive;
  }

  /** Units held in a word; 0 in one of any other limit. */
  static long units(long word) {
    return (word & STAMP) == STAMP ? word & MAX_UNITS : 0;
  }

  /** The word after units of it have been released, or all if they are more than is held. */
  static long released(long word, long units, long nowNs) {
    final long left = units(word) - units;
    return left > 0 ? STAMP | left : nowNs;
  }

  @Override
  long charge(long state, long nowNs, long cost) {
    final long units = units(state);
    return cost <= capacity() - units ? STAMP | (units + cost) : REFUSED;
  }

  @Override
  long refunded(long state, long units, long chargedAtNs, long nowNs) {
    return released(state, units, nowNs);
  }

  @Override
  long chargeable(long state, Slots slots, int slot, long nowNs, long held) {
    return 0;
  }

  @Override
  long chargeOwed(long state, Slots slots, int slot, long nowNs, long units) {
    throw new UnsupportedOperationException("units that are held are never used");
  }

  @Override
  long current(long state, long nowNs) {
    return units(state);
  }

  @Override
  long resetAtNs(long state, long nowNs) {
    return units(state) == 0 ? nowNs : nowNs + RETRY_NS;
  }

  @Override
  long retryAfterNs(long state, long nowNs, long cost) {
    return cost > capacity() ? Decision.NEVER : RETRY_NS;
  }

  @Override
  long wholeAtNs(long nowNs) {
    return nowNs;
  }

  @Override
  boolean takesStatesOf(Limit from) {
    return from instanceof HeldUnits;
  }

  @Override
  long fingerprint() {
    return SipHash.mix(SipHash.mix(super.capacity()) + 5);
  }
}
