package dev.weir.algorithms;

import static dev.weir.algorithms.SlotLayout.EMPTY;

/**
 * Charges a key wherever its budget is: in the key's slot, which it is given if it has none, or in
 * the budget that all keys of a limit share which find no room. {@link LimitTable#check} comes here
 * when the key is not in the first slot of its window, or another thread has charged it meanwhile.
 *
 * <p><b>Progress.</b> Lock-free and bounded, as {@link LimitTable} says: after {@value
 * LimitTable#MAX_ATTEMPTS} attempts, each of which another thread undid, the decision is {@link
 * Decision#contended()}.
 */
final class Charger {
  /** The outcome of {@link #decideIn} once it is decided; {@link Slots#insert} has no such one. */
  private static final int DECIDED = -1;

  private final Slots slots;
  private final Slots overflow;
  private final OverflowMarks marks;
  private final Counters counters;

  Charger(TableMemory memory) {
    slots = memory.slots();
    overflow = memory.overflow();
    marks = memory.marks();
    counters = memory.counters();
  }

  /**
   * Decides about one key, from its slot or from the shared budget of its limit.
   *
   * @param held of units that have been used already, how many were held for them.
   * @return whether it was charged, in part at least.
   */
  boolean decide(
      long key, Limit limit, long cost, long held, ChargeKind kind, long nowNs, Decision out) {
    final int result = decideIn(slots, key, limit, cost, held, kind, nowNs, out);
    if (result == DECIDED) {
      return out.allowed();
    }
    if (result == Slots.AWAY) {
      out.set(limit, EMPTY, slots, 0, nowNs, cost, 0).markMoved();
      return false;
    }
    if (result == Slots.FULL && limit instanceof HeldUnits) {
      counters.increment(Counters.OVERFLOW_OFFSET);
      out.set(limit, EMPTY, slots, 0, nowNs, cost, 0).markNoRoom();
      return false;
    }
    // A debt that is owed must not get lost for want of attempts: the shared budget takes it.
    if (result == Slots.FULL || kind != ChargeKind.IF_IT_FITS) {
      counters.increment(Counters.OVERFLOW_OFFSET);
      final long wholeAtNs = limit.wholeAtNs(nowNs);
      // Units that have been used already may be twice as many as fit.
      final boolean mayBeTwice = kind == ChargeKind.USED_ALREADY;
      marks.mark(slots.home(key), mayBeTwice ? limit.wholeAtNs(wholeAtNs) : wholeAtNs);
      final long sharedKey = limit.fingerprint();
      if (decideIn(overflow, sharedKey, limit, cost, 0, kind, nowNs, out) == DECIDED) {
        out.markShared();
        return out.allowed();
      }
    }
    refuseContended(limit, cost, nowNs, out);
    return false;
  }

  /** Refuses without a look at the budget, as so many other threads were in the way. */
  void refuseContended(Limit limit, long cost, long nowNs, Decision out) {
    counters.increment(Counters.CONTENDED_OFFSET);
    out.set(limit, EMPTY, slots, 0, nowNs, cost, 0).markContended();
  }

  /**
   * Decides about one key from its slot in one region.
   *
   * @return {@link #DECIDED} once {@code out} is set; else {@link Slots#FULL}, {@link Slots#LOST}
   *     or {@link Slots#AWAY}.
   */
  private int decideIn(
      Slots region,
      long key,
      Limit limit,
      long cost,
      long held,
      ChargeKind kind,
      long nowNs,
      Decision out) {
    for (int attempt = 0; attempt < LimitTable.MAX_ATTEMPTS; attempt++) {
      final int slot = region.find(key, nowNs, attempt);
      if (slot == Slots.AWAY) {
        return Slots.AWAY;
      }
      if (slot == Slots.BUSY) {
        Thread.onSpinWait();
        continue;
      }
      final boolean absent = slot == Slots.ABSENT;
      if (absent && limit.cells() != 0 && mayOwe(region, key, nowNs)) {
        return Slots.FULL;
      }
      final long state =
          absent ? inheritedState(region, key, limit, nowNs) : region.liveState(slot, key);
      if (state == EMPTY && !absent) {
        continue;
      }
      final long units =
          kind == ChargeKind.USED_ALREADY
              ? Math.min(cost, limit.chargeable(state, region, slot, nowNs, held))
              : cost;
      final long charged =
          switch (kind) {
            case IF_IT_FITS -> limit.charge(state, region, slot, nowNs, cost);
            case USED_ALREADY ->
                units == 0 ? state : limit.chargeOwed(state, region, slot, nowNs, units);
            case CARRIED_OVER -> limit.chargeClamped(state, region, slot, nowNs, cost);
          };
      if (charged == Limit.REFUSED) {
        out.set(limit, state, region, slot, nowNs, cost, 0);
        if (absent && state != EMPTY) {
          counters.increment(Counters.OVERFLOW_OFFSET);
          out.markShared();
        }
        return DECIDED;
      }
      if (!absent) {
        if (region.chargeCas(slot, key, state, charged, nowNs) && !limit.isStep(charged)) {
          out.set(limit, charged, region, slot, nowNs, cost, units);
          return DECIDED;
        }
        continue;
      }
      final int weight =
          state == EMPTY && kind != ChargeKind.CARRIED_OVER
              ? EvictionWeight.of(limit, charged, units, nowNs)
              : EvictionWeight.NEVER;
      // A debt that is carried over is no request: keys give way to it as to the least of them.
      final long yieldingTo = kind == ChargeKind.CARRIED_OVER ? 1 : units / limit.costScale();
      final int result = region.insert(key, charged, limit, units, weight, yieldingTo, nowNs);
      if (result == Slots.FULL) {
        return Slots.FULL;
      }
      if (result != Slots.LOST) {
        countInsert(result);
        setInserted(region, key, limit, charged, nowNs, cost, units, out);
        return DECIDED;
      }
    }
    return Slots.LOST;
  }

  /**
   * Sets the decision about a key that has just got its slot. Which slot that is matters only to
   * the figures of a limit with a ring, so only for those it is looked up.
   */
  private void setInserted(
      Slots region,
      long key,
      Limit limit,
      long state,
      long nowNs,
      long cost,
      long units,
      Decision out) {
    final int slot = limit.cells() == 0 ? 0 : region.find(key, nowNs, 0);
    out.set(limit, slot < 0 ? EMPTY : state, region, slot, nowNs, cost, units);
  }

  /** Whether a key without a slot may owe something to a shared budget. */
  private boolean mayOwe(Slots region, long key, long nowNs) {
    return region != overflow && marks.isMarked(slots.home(key), nowNs);
  }

  /**
   * The state that a key without a slot starts from: EMPTY, or, if the key may owe something, what
   * all such keys of the limit owe together.
   */
  private long inheritedState(Slots region, long key, Limit limit, long nowNs) {
    if (!mayOwe(region, key, nowNs)) {
      return EMPTY;
    }
    final int slot = overflow.find(limit.fingerprint(), nowNs, 0);
    return slot < 0 ? EMPTY : overflow.liveState(slot, limit.fingerprint());
  }

  private void countInsert(int result) {
    counters.increment(Counters.INSERTED_OFFSET);
    if (result == Slots.RECLAIMED) {
      counters.increment(Counters.RECLAIMED_OFFSET);
    }
  }
}
