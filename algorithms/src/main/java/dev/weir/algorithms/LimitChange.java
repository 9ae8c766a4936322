package dev.weir.algorithms;

import static dev.weir.algorithms.SlotLayout.EMPTY;
import static dev.weir.algorithms.SlotLayout.moved;
import static dev.weir.algorithms.SlotLayout.tombstone;

/**
 * Moves what keys have consumed when limits change: under another limit, or to another key. The
 * state of a key is held meanwhile ({@link Slots#hold}): others wait for it, or are refused as
 * contended; none finds a fresh budget.
 */
final class LimitChange {
  private final Slots slots;
  private final Counters counters;
  private final Charger charger;

  LimitChange(TableMemory memory, Charger charger) {
    slots = memory.slots();
    counters = memory.counters();
    this.charger = charger;
  }

  /** Puts a key under another limit, as {@link LimitTable#changeLimit} says. */
  boolean changeLimit(long keyHash, Limit from, Limit to, long nowNs) {
    for (int attempt = 0; attempt < LimitTable.MAX_ATTEMPTS; attempt++) {
      final int slot = slots.findSettled(keyHash, nowNs);
      if (slot < 0) {
        return false;
      }
      final long state = slots.liveState(slot, keyHash);
      if (state == EMPTY) {
        continue;
      }
      if (to.takesStatesOf(from)) {
        return true;
      }
      if (changed(keyHash, slot, state, from, to, nowNs)) {
        return true;
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    return false;
  }

  /** Puts the slot of a key under another limit; false if its state has changed meanwhile. */
  private boolean changed(long key, int slot, long state, Limit from, Limit to, long nowNs) {
    final long units = to.unitsFrom(from, from.current(state, slots, slot, nowNs));
    if (units == 0) {
      // A time in the past means the same to every paced limit, and another clock may lag behind.
      return from instanceof PacedLimit && to instanceof PacedLimit
          || slots.remove(slot, key, state, nowNs);
    }
    final long held = slots.hold(slot, key, state);
    if (held == EMPTY) {
      return false;
    }
    slots.weigh(slot, EvictionWeight.NEVER);
    if (to.cells() != 0) {
      slots.openRing(slot, to, nowNs, units);
    }
    slots.stateCas(slot, held, to.chargeClamped(EMPTY, slots, slot, nowNs, units));
    return true;
  }

  /** Rewrites a key's state, as {@link LimitTable#convert} says. */
  boolean convert(long keyHash, PlannedLimit limit, long nowNs) {
    for (int attempt = 0; attempt < LimitTable.MAX_ATTEMPTS; attempt++) {
      final int slot = slots.find(keyHash, nowNs, attempt);
      if (slot == Slots.ABSENT || slot == Slots.AWAY) {
        return limit.isStillUsed();
      }
      final long state = slot == Slots.BUSY ? EMPTY : slots.liveState(slot, keyHash);
      if (state == EMPTY) {
        Thread.onSpinWait();
        continue;
      }
      final long converted = limit.converted(state, slots, slot, nowNs);
      if (converted == EMPTY) {
        return false;
      }
      if (converted == state || slots.refundCas(slot, keyHash, state, converted)) {
        return true;
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    return false;
  }

  /** Carries a debt over to another key, as {@link LimitTable#carryOver} says. */
  boolean carryOver(
      long fromKey,
      Limit fromLimit,
      Charger to,
      long toKey,
      Limit toLimit,
      boolean isLast,
      long nowNs,
      Decision scratch) {
    for (int attempt = 0; attempt < LimitTable.MAX_ATTEMPTS; attempt++) {
      final int slot = slots.find(fromKey, nowNs, attempt);
      if (slot == Slots.AWAY || slot == Slots.ABSENT && isLast) {
        return true;
      }
      if (slot == Slots.ABSENT) {
        final int marked =
            slots.insert(fromKey, moved(nowNs), fromLimit, 0, EvictionWeight.NEVER, 0, nowNs);
        if (marked == Slots.FULL) {
          break;
        }
        continue;
      }
      if (slot == Slots.BUSY) {
        Thread.onSpinWait();
        continue;
      }
      final long state = slots.liveState(slot, fromKey);
      if (state == EMPTY) {
        continue;
      }
      final long consumed = fromLimit.current(state, slots, slot, nowNs);
      if (fromLimit.isOutdated()) {
        break;
      }
      final long units = toLimit.unitsFrom(fromLimit, consumed);
      if (units == 0 && isLast) {
        return true;
      }
      final long held = slots.hold(slot, fromKey, state);
      if (held == EMPTY) {
        continue;
      }
      if (units > 0) {
        to.decide(toKey, toLimit, units, 0, ChargeKind.CARRIED_OVER, nowNs, scratch);
        if (scratch.moved() || scratch.contended()) {
          slots.stateCas(slot, held, state);
          return false;
        }
      }
      slots.stateCas(slot, held, isLast ? tombstone(nowNs) : moved(nowNs));
      return true;
    }
    charger.refuseContended(toLimit, 1, nowNs, scratch);
    return false;
  }
}
