package dev.weir.algorithms;

import static dev.weir.algorithms.SlotLayout.EMPTY;

/**
 * A sliding window in steps: the count of the present sub-window (bucket), which has only begun,
 * and of the {@code n - 1} before it.
 *
 * <p>The word holds the stamp of the time at which the newest bucket leaves the window, a CLOSING
 * bit, and the total of the window that ends with that bucket ({@link StateWord}). The newest
 * bucket's own count is what the total has beyond the buckets before it, so within a bucket a check
 * is one CAS. Bucket {@code b} has cell {@code b} modulo the ring's length once it is closed:
 *
 * <pre>
 * bit   63 to s        | s-1 to 0
 *       bucket + 1     | count
 * writer  any
 * store   CAS
 * load    acquire
 * </pre>
 *
 * <p><b>From one bucket to the next.</b> A thread that has something to charge in a later bucket
 * sets CLOSING: from here on nothing is charged to the newest bucket, so its count is settled, and
 * every thread that comes writes the same cell. Then a CAS moves the word to the later bucket, less
 * what has left the window. It costs a look at each cell of the window; a check in the same bucket
 * looks at none, and one after more than a window at none either.
 */
final class BucketRingLimit extends RingLimit {
  private final Divisor width;
  private final int subWindows;
  private final int grain;
  private final int shift;
  private final long closing;
  private final long totalMask;

  BucketRingLimit(long limit, long windowNs, int subWindows) {
    super(limit, cells(windowNs, subWindows));
    this.subWindows = subWindows;
    width = new Divisor(windowNs / subWindows);
    grain = StateWord.grain(width.divisor());
    shift = StateWord.shift(grain);
    closing = 1L << shift;
    totalMask = closing - 1;
    Bounds.countable("limit", limit, totalMask, width.divisor());
  }

  private static int cells(long windowNs, int subWindows) {
    Bounds.range("subWindows", subWindows, 2, MAX_CELL_COUNT);
    if (windowNs % subWindows != 0) {
      throw new IllegalArgumentException(
          "subWindows: " + subWindows + " (expected: a divisor of " + windowNs + " ns)");
    }
    Bounds.range("windowNs / subWindows", windowNs / subWindows, MIN_WINDOW_NS, MAX_WINDOW_NS);
    return subWindows;
  }

  /** The word of the bucket that starts at {@code startNs}, with a total of 0. */
  private long fresh(long startNs) {
    return StateWord.empty(grain, shift, startNs + windowNs());
  }

  private long windowNs() {
    return subWindows * width.divisor();
  }

  /** The newest bucket of a word; exact, as no two buckets share a stamp. */
  private long bucket(long word) {
    final long floorNs = StateWord.expiryFloorNs(word, shift);
    return width.quotient(floorNs + width.divisor() - 1) - subWindows;
  }

  private boolean isClosing(long word) {
    return (word & closing) != 0;
  }

  /** The count of a closed bucket. */
  private long count(Slots slots, int slot, long bucket) {
    final long cell = slots.cellAcquire(slot, bucket);
    return cell >>> shift == bucket + 1 ? cell & totalMask : 0;
  }

  private long sum(Slots slots, int slot, long first, long last) {
    long sum = 0;
    for (long bucket = Math.max(first, 0); bucket <= last; bucket++) {
      sum += count(slots, slot, bucket);
    }
    return sum;
  }

  /** The total of the window that ends with {@code present}, at or after the word's own bucket. */
  private long totalAt(long word, Slots slots, int slot, long newest, long present) {
    if (present - newest >= subWindows) {
      return 0;
    }
    final long left = sum(slots, slot, newest - subWindows + 1, present - subWindows);
    return (word & totalMask) - left;
  }

  /** The bucket in which something would be charged: never before the newest, nor a closing one. */
  private long present(long word, long newest, long nowNs) {
    return Math.max(width.quotient(nowNs), isClosing(word) ? newest + 1 : newest);
  }

  @Override
  boolean fits(long state, Slots slots, int slot, long nowNs, long cost) {
    return cost <= capacity() - current(state, slots, slot, nowNs);
  }

  @Override
  long charge(long state, Slots slots, int slot, long nowNs, long cost) {
    return charge(state, slots, slot, nowNs, cost, capacity());
  }

  @Override
  long chargeable(long state, Slots slots, int slot, long nowNs, long held) {
    return totalMask - current(state, slots, slot, nowNs);
  }

  @Override
  long chargeOwed(long state, Slots slots, int slot, long nowNs, long units) {
    return charge(state, slots, slot, nowNs, units, totalMask);
  }

  /** The state after a charge, unless more than {@code most} would count then. */
  private long charge(long state, Slots slots, int slot, long nowNs, long cost, long most) {
    if (cost > most) {
      return REFUSED;
    }
    final long fresh = fresh(width.floor(nowNs));
    if (state == EMPTY) {
      return fresh + cost;
    }
    if (state >= fresh && !isClosing(state)) {
      return cost <= most - (state & totalMask) ? state + cost : REFUSED;
    }
    return chargeLater(state, slots, slot, nowNs, cost, most);
  }

  private long chargeLater(long state, Slots slots, int slot, long nowNs, long cost, long most) {
    final long newest = bucket(state);
    final long present = present(state, newest, nowNs);
    final long total = totalAt(state, slots, slot, newest, present);
    if (cost > most - total) {
      return REFUSED;
    }
    if (present - newest < subWindows) {
      if (!isClosing(state)) {
        return state | closing;
      }
      close(state, slots, slot, newest);
    }
    return fresh(present * width.divisor()) + total + cost;
  }

  /** Writes the newest bucket's cell, unless another thread has. */
  private void close(long state, Slots slots, int slot, long newest) {
    final long earlier = sum(slots, slot, newest - subWindows + 1, newest - 1);
    final long cell = slots.cellAcquire(slot, newest);
    // Only what was read while the word was this one may be replaced: a later bucket may have it.
    if (cell >>> shift != newest + 1 && slots.stateAcquire(slot) == state) {
      slots.cellCas(slot, newest, cell, (newest + 1) << shift | ((state & totalMask) - earlier));
    }
  }

  @Override
  boolean isStep(long state) {
    return isClosing(state);
  }

  @Override
  long refunded(long state, Slots slots, int slot, long units, long chargedAtNs, long nowNs) {
    final long newest = bucket(state);
    if (isClosing(state) || width.quotient(chargedAtNs) != newest) {
      return state;
    }
    final long earlier = sum(slots, slot, newest - subWindows + 1, newest - 1);
    return state - Math.min(units, (state & totalMask) - earlier);
  }

  @Override
  long current(long state, Slots slots, int slot, long nowNs) {
    if (state == EMPTY) {
      return 0;
    }
    final long newest = bucket(state);
    return totalAt(state, slots, slot, newest, present(state, newest, nowNs));
  }

  @Override
  long resetAtNs(long state, Slots slots, int slot, long nowNs) {
    // Units given back in the newest bucket do not make this earlier.
    return (state & totalMask) == 0
        ? nowNs
        : Math.max(bucket(state) * width.divisor() + windowNs(), nowNs);
  }

  @Override
  long retryAfterNs(long state, Slots slots, int slot, long nowNs, long cost) {
    if (cost > capacity()) {
      return Decision.NEVER;
    }
    if (state == EMPTY) {
      return 0;
    }
    final long newest = bucket(state);
    long present = present(state, newest, nowNs);
    long total = totalAt(state, slots, slot, newest, present);
    if (cost <= capacity() - total) {
      return 0;
    }
    while (cost > capacity() - total) {
      present++;
      total -= present - newest < subWindows ? count(slots, slot, present - subWindows) : total;
    }
    return Math.max(present * width.divisor() - nowNs, 0);
  }

  @Override
  long wholeAtNs(long nowNs) {
    return width.floor(nowNs) + windowNs();
  }

  @Override
  boolean takesStatesOf(Limit from) {
    return from instanceof BucketRingLimit that
        && width.divisor() == that.width.divisor()
        && subWindows == that.subWindows;
  }

  @Override
  long fingerprint() {
    return SipHash.mix(SipHash.mix(SipHash.mix(capacity()) + width.divisor()) + subWindows + 4);
  }
}
