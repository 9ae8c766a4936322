package dev.weir.algorithms;

/**
 * A count per window. The word is the stamp of the window's end, and the count ({@link StateWord}).
 * A clock that has stepped back counts in the window that is stored.
 */
final class FixedWindowLimit extends WordLimit {
  private final Windows windows;
  private final int grain;
  private final int shift;
  private final long countMask;

  FixedWindowLimit(long limit, Windows windows) {
    super(limit);
    this.windows = windows;
    grain = StateWord.grain(windows.shortestNs());
    shift = StateWord.shift(grain);
    countMask = (1L << StateWord.countBits(grain)) - 1;
    Bounds.countable("limit", limit, countMask, windows.shortestNs());
  }

  Windows windows() {
    return windows;
  }

  /** The word of the window that is at {@code nowNs}, with a count of 0. */
  private long fresh(long nowNs) {
    return StateWord.empty(grain, shift, windows.endNs(nowNs));
  }

  @Override
  long charge(long state, long nowNs, long cost) {
    final long word = Math.max(state, fresh(nowNs));
    return cost <= capacity() - (word & countMask) ? word + cost : REFUSED;
  }

  @Override
  long chargeable(long state, Slots slots, int slot, long nowNs, long held) {
    return countMask - current(state, nowNs);
  }

  @Override
  long chargeOwed(long state, Slots slots, int slot, long nowNs, long units) {
    return Math.max(state, fresh(nowNs)) + units;
  }

  @Override
  long refunded(long state, long units, long chargedAtNs, long nowNs) {
    return (state & ~countMask) == fresh(chargedAtNs)
        ? state - Math.min(units, state & countMask)
        : state;
  }

  @Override
  long current(long state, long nowNs) {
    return Math.max(state, fresh(nowNs)) & countMask;
  }

  @Override
  long resetAtNs(long state, long nowNs) {
    final long word = Math.max(state, fresh(nowNs));
    return (word & countMask) == 0 ? nowNs : windows.endOf(word, shift);
  }

  @Override
  long retryAfterNs(long state, long nowNs, long cost) {
    if (cost > capacity()) {
      return Decision.NEVER;
    }
    return windows.endOf(Math.max(state, fresh(nowNs)), shift) - nowNs;
  }

  @Override
  long wholeAtNs(long nowNs) {
    return windows.endNs(nowNs);
  }

  @Override
  boolean takesStatesOf(Limit from) {
    return from instanceof FixedWindowLimit that && windows.equals(that.windows);
  }

  @Override
  long fingerprint() {
    return SipHash.mix(SipHash.mix(capacity()) + 31 * windows.hashCode() + 1);
  }
}
