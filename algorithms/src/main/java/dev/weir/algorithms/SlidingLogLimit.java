package dev.weir.algorithms;

import static dev.weir.algorithms.SlotLayout.EMPTY;

/**
 * A record of when each unit that passed will have left the window. Exact: a unit passes if the one
 * that passed {@code limit} units before it has left.
 *
 * <p>The word holds the stamp of the newest leaving time and the number of units ever passed,
 * modulo 2^(s+1) ({@link StateWord}): the index of the next unit. Unit {@code i} has cell {@code i}
 * modulo the ring's length:
 *
 * <pre>
 * bit   63 to 1              | 0
 *       leaving time in ns   | lap: which turn around the ring wrote it
 * writer  any
 * store   CAS, within a lap only upwards; opaque by the owner of a CLAIM
 * load    acquire
 * </pre>
 *
 * <p><b>How a unit passes.</b> A thread writes its leaving time into the cells from the next index
 * on; they are nobody's as long as the word does not count them. Then its CAS on the word makes
 * them count. Of two threads both may write, and only one CAS succeeds; the cells then hold the
 * later of two times that were both "now" a moment ago. So a unit may count longer than it should
 * by as much as concurrent callers' clocks differ, and never shorter. With one caller at a time it
 * is exact.
 *
 * <p>A cell whose lap says that it has been overwritten for a unit that does not count yet, or did
 * not come to count, stood for a unit that had left at that time: its writer had looked. It reads
 * as a window before what is in it.
 */
final class SlidingLogLimit extends RingLimit {
  private final long windowNs;
  private final int grain;
  private final int shift;
  private final long indexMask;

  SlidingLogLimit(long limit, long windowNs) {
    super(limit, cells(limit));
    this.windowNs = windowNs;
    grain = StateWord.grain(windowNs);
    shift = StateWord.shift(grain);
    // Twice around the largest ring at least, so that a lap is one bit of the index.
    indexMask = (1L << StateWord.countBits(grain)) - 1;
  }

  private static int cells(long limit) {
    Bounds.range("limit", limit, 1, MAX_CELL_COUNT);
    return (int) limit;
  }

  /** Cells of a new ring are 0, so the first lap is 1 and what lies before it has left. */
  private static long lap(Slots slots, long index) {
    return ((index >>> slots.cellBits()) & 1) ^ 1;
  }

  private long word(long leavesAtNs, long index) {
    return StateWord.empty(grain, shift, leavesAtNs) | (index & indexMask);
  }

  /** When a unit that counts, or one before those, has left. */
  private long leavesAtNs(Slots slots, int slot, long unmaskedIndex) {
    final long index = unmaskedIndex & indexMask;
    final long cell = slots.cellAcquire(slot, index);
    final long timeNs = cell >>> 1;
    return (cell & 1) == lap(slots, index) ? timeNs : timeNs - windowNs;
  }

  @Override
  boolean fits(long state, Slots slots, int slot, long nowNs, long cost) {
    return cost <= capacity() && (state == EMPTY || awaitedNs(state, slots, slot, cost) <= nowNs);
  }

  /** When the unit that has to have left before {@code cost} more may pass has left. */
  private long awaitedNs(long state, Slots slots, int slot, long cost) {
    return leavesAtNs(slots, slot, (state & indexMask) + cost - 1 - capacity());
  }

  @Override
  long charge(long state, Slots slots, int slot, long nowNs, long cost) {
    if (!fits(state, slots, slot, nowNs, cost)) {
      return REFUSED;
    }
    return chargeOwed(state, slots, slot, nowNs, cost);
  }

  @Override
  long chargeable(long state, Slots slots, int slot, long nowNs, long held) {
    return slots.cellsPerSlot() - current(state, slots, slot, nowNs);
  }

  /**
   * Charges a debt without asking again whether it fits: it must not be lost because a clock lags
   * and sees a unit that has left.
   */
  @Override
  long chargeClamped(long state, Slots slots, int slot, long nowNs, long units) {
    final long fitting = Math.min(units, available(state, slots, slot, nowNs));
    return fitting == 0 ? state : chargeOwed(state, slots, slot, nowNs, fitting);
  }

  @Override
  long chargeOwed(long state, Slots slots, int slot, long nowNs, long cost) {
    if (state == EMPTY) {
      return word(nowNs + windowNs, cost);
    }
    final long next = state & indexMask;
    final long leavesAtNs = Math.max(nowNs + windowNs, leavesAtNs(slots, slot, next - 1));
    for (long index = next; index < next + cost; index++) {
      if (!raise(state, slots, slot, index, leavesAtNs)) {
        // The CAS on the word will tell.
        break;
      }
    }
    return word(leavesAtNs, next + cost);
  }

  /** Writes a time into a cell unless a later one is there; false if the word has changed. */
  private boolean raise(long state, Slots slots, int slot, long unmaskedIndex, long timeNs) {
    final long index = unmaskedIndex & indexMask;
    final long lap = lap(slots, index);
    // Ends: every failure means that another thread has raised the cell.
    while (true) {
      final long cell = slots.cellAcquire(slot, index);
      if (slots.stateAcquire(slot) != state) {
        return false;
      }
      if ((cell & 1) == lap && cell >>> 1 >= timeNs) {
        return true;
      }
      final long raised = Math.max(cell >>> 1, timeNs) << 1 | lap;
      if (slots.cellCas(slot, index, cell, raised)) {
        return true;
      }
    }
  }

  @Override
  void open(Slots slots, int slot, long nowNs, long units) {
    for (long index = 0; index < units; index++) {
      slots.cellOpaque(slot, index, (nowNs + windowNs) << 1 | lap(slots, index));
    }
  }

  /** The first unit that counts and has not left, from {@code next - ring} to {@code next}. */
  private long firstPresent(Slots slots, int slot, long next, long nowNs) {
    long low = next - slots.cellsPerSlot();
    long high = next;
    while (low < high) {
      final long middle = (low + high) >> 1;
      if (leavesAtNs(slots, slot, middle) > nowNs) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Override
  long current(long state, Slots slots, int slot, long nowNs) {
    if (state == EMPTY) {
      return 0;
    }
    final long next = state & indexMask;
    return next - firstPresent(slots, slot, next, nowNs);
  }

  @Override
  long refunded(long state, Slots slots, int slot, long units, long chargedAtNs, long nowNs) {
    final long next = state & indexMask;
    final long leavesAtNs = chargedAtNs + windowNs;
    final long present = firstPresent(slots, slot, next, nowNs);
    final long refundable = Math.min(units, next - present);
    if (refundable == 0 || leavesAtNs <= nowNs) {
      return state;
    }
    // Units that leave when the charge does; older ones only if there are none.
    final long after = firstPresent(slots, slot, next, leavesAtNs);
    for (long index = Math.max(after - refundable, present); index + refundable < next; index++) {
      final long later = leavesAtNs(slots, slot, index + refundable);
      if (!raise(state, slots, slot, index, later)) {
        break;
      }
    }
    return (state & ~indexMask) | ((next - refundable) & indexMask);
  }

  @Override
  long resetAtNs(long state, Slots slots, int slot, long nowNs) {
    return state == EMPTY
        ? nowNs
        : Math.max(leavesAtNs(slots, slot, (state & indexMask) - 1), nowNs);
  }

  @Override
  long retryAfterNs(long state, Slots slots, int slot, long nowNs, long cost) {
    if (cost > capacity()) {
      return Decision.NEVER;
    }
    if (state == EMPTY) {
      return 0;
    }
    return Math.max(awaitedNs(state, slots, slot, cost) - nowNs, 0);
  }

  @Override
  long wholeAtNs(long nowNs) {
    return nowNs + windowNs;
  }

  @Override
  boolean takesStatesOf(Limit from) {
    return from instanceof SlidingLogLimit that && windowNs == that.windowNs;
  }

  @Override
  long fingerprint() {
    return SipHash.mix(SipHash.mix(capacity()) + windowNs + 3);
  }
}
