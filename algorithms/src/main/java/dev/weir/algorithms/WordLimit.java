package dev.weir.algorithms;

/** A limit whose whole state is one word: one load and one CAS make a check. */
abstract sealed class WordLimit extends Limit
    permits PacedLimit, PlannedLimit, FixedWindowLimit, SlidingCounterLimit, HeldUnits {
  WordLimit(long capacity) {
    super(capacity, 0);
  }

  abstract long charge(long state, long nowNs, long cost);

  abstract long refunded(long state, long units, long chargedAtNs, long nowNs);

  abstract long current(long state, long nowNs);

  abstract long resetAtNs(long state, long nowNs);

  abstract long retryAfterNs(long state, long nowNs, long cost);

  long available(long state, long nowNs) {
    return Math.max(capacity() - current(state, nowNs), 0);
  }

  @Override
  long charge(long state, Slots slots, int slot, long nowNs, long cost) {
    return charge(state, nowNs, cost);
  }

  @Override
  boolean fits(long state, Slots slots, int slot, long nowNs, long cost) {
    return charge(state, nowNs, cost) != REFUSED;
  }

  @Override
  long refunded(long state, Slots slots, int slot, long units, long chargedAtNs, long nowNs) {
    return refunded(state, units, chargedAtNs, nowNs);
  }

  @Override
  long current(long state, Slots slots, int slot, long nowNs) {
    return current(state, nowNs);
  }

  @Override
  final long available(long state, Slots slots, int slot, long nowNs) {
    return available(state, nowNs);
  }

  @Override
  final long resetAtNs(long state, Slots slots, int slot, long nowNs) {
    return resetAtNs(state, nowNs);
  }

  @Override
  final long retryAfterNs(long state, Slots slots, int slot, long nowNs, long cost) {
    return retryAfterNs(state, nowNs, cost);
  }
}
