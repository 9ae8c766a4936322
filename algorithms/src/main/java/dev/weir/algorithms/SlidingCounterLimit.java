package dev.weir.algorithms;

/**
 * Two counts: of the present window, and of the one before, which weighs as much as a window that
 * ends now still covers of it. The word is the stamp of the end of the window after the present
 * one, when both counts have lost all weight; then the earlier count, then the present one ({@link
 * StateWord}).
 *
 * <p>The weight is a rational number and nothing is rounded before it is compared: {@code previous
 * * rest <= (limit - count - cost) * window}, where the products have up to 128 bits.
 */
final class SlidingCounterLimit extends WordLimit {
  private final Divisor window;
  private final int grain;
  private final int shift;
  private final int countBits;
  private final long countMask;

  SlidingCounterLimit(long limit, long windowNs) {
    super(limit);
    window = new Divisor(windowNs);
    grain = StateWord.grain(windowNs);
    shift = StateWord.shift(grain);
    countBits = StateWord.countBits(grain) / 2;
    countMask = (1L << countBits) - 1;
    Bounds.countable("limit", limit, countMask, windowNs);
  }

  private long windowNs() {
    return window.divisor();
  }

  /** The word of the window that starts at {@code startNs}, with counts of 0. */
  private long fresh(long startNs) {
    return StateWord.empty(grain, shift, startNs + 2 * windowNs());
  }

  private long stamp(long word) {
    return word >>> (shift + 1);
  }

  /**
   * The word as it is in the window that starts at {@code startNs}, or in a later one if stored.
   */
  private long rolled(long state, long startNs) {
    final long fresh = fresh(startNs);
    if (stamp(state) >= stamp(fresh)) {
      return state;
    }
    return startNs > 0 && stamp(state) == stamp(fresh(startNs - windowNs()))
        ? fresh | ((state & countMask) << countBits)
        : fresh;
  }

  /** The rest of the window of {@code word}: all of it if the clock is not there yet. */
  private long restNs(long word, long startNs, long nowNs) {
    return stamp(word) == stamp(fresh(startNs)) ? startNs + windowNs() - nowNs : windowNs();
  }

  private long count(long word) {
    return word & countMask;
  }

  private long previous(long word) {
    return (word >>> countBits) & countMask;
  }

  /** The start of a word's window; exact, as no two starts share a stamp. */
  private long startNs(long word) {
    // The expiry is the first multiple of the window at or after the floor.
    final long floorNs = StateWord.expiryFloorNs(word, shift);
    return window.floor(floorNs + windowNs() - 1) - 2 * windowNs();
  }

  @Override
  long charge(long state, long nowNs, long cost) {
    final long startNs = window.floor(nowNs);
    final long word = rolled(state, startNs);
    final long room = capacity() - count(word) - cost;
    if (room < 0) {
      return REFUSED;
    }
    final long previous = previous(word);
    if (previous > room && !fits(previous, restNs(word, startNs, nowNs), room)) {
      return REFUSED;
    }
    return word + cost;
  }

  @Override
  long chargeable(long state, Slots slots, int slot, long nowNs, long held) {
    return countMask - count(rolled(state, window.floor(nowNs)));
  }

  @Override
  long chargeOwed(long state, Slots slots, int slot, long nowNs, long units) {
    return rolled(state, window.floor(nowNs)) + units;
  }

  /** Whether {@code previous * restNs <= room * window}. */
  private boolean fits(long previous, long restNs, long room) {
    final long weightHigh = Math.multiplyHigh(previous, restNs);
    final long roomHigh = Math.multiplyHigh(room, windowNs());
    return weightHigh != roomHigh
        ? weightHigh < roomHigh
        : Long.compareUnsigned(previous * restNs, room * windowNs()) <= 0;
  }

  @Override
  long current(long state, long nowNs) {
    final long startNs = window.floor(nowNs);
    final long word = rolled(state, startNs);
    final long previous = previous(word);
    final long restNs = restNs(word, startNs, nowNs);
    // The least whole number that is not below the weight, from an estimate that may be one off.
    long weight = (long) ((double) previous * restNs / windowNs());
    while (weight > 0 && fits(previous, restNs, weight - 1)) {
      weight--;
    }
    while (!fits(previous, restNs, weight)) {
      weight++;
    }
    return count(word) + weight;
  }

  @Override
  long refunded(long state, long units, long chargedAtNs, long nowNs) {
    final long chargedStart = window.floor(chargedAtNs);
    if (stamp(state) == stamp(fresh(chargedStart))) {
      return state - Math.min(units, count(state));
    }
    return stamp(state) == stamp(fresh(chargedStart + windowNs()))
        ? state - (Math.min(units, previous(state)) << countBits)
        : state;
  }

  @Override
  long resetAtNs(long state, long nowNs) {
    final long word = rolled(state, window.floor(nowNs));
    if (count(word) > 0) {
      return startNs(word) + 2 * windowNs();
    }
    return previous(word) > 0 ? startNs(word) + windowNs() : nowNs;
  }

  @Override
  long retryAfterNs(long state, long nowNs, long cost) {
    if (cost > capacity()) {
      return Decision.NEVER;
    }
    final long word = rolled(state, window.floor(nowNs));
    final long nextNs = startNs(word) + windowNs();
    final long room = capacity() - count(word) - cost;
    final long passesAtNs =
        room >= 0
            ? nextNs - weightlessNs(previous(word), room)
            : nextNs + windowNs() - weightlessNs(count(word), capacity() - cost);
    return Math.max(passesAtNs - nowNs, 0);
  }

  /**
   * How long before the end of its weight a count weighs no more than {@code room}: {@code
   * floor(room * window / count)}, at most a window.
   */
  private long weightlessNs(long count, long room) {
    if (count <= room) {
      return windowNs();
    }
    // In two steps, as the product may not fit: room < count, and both have 23 bits at most.
    return room * (windowNs() / count) + room * (windowNs() % count) / count;
  }

  @Override
  long wholeAtNs(long nowNs) {
    return window.floor(nowNs) + 2 * windowNs();
  }

  @Override
  boolean takesStatesOf(Limit from) {
    return from instanceof SlidingCounterLimit that && windowNs() == that.windowNs();
  }

  @Override
  long fingerprint() {
    return SipHash.mix(SipHash.mix(capacity()) + windowNs() + 2);
  }
}
