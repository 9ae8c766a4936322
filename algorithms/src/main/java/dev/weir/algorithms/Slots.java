package dev.weir.algorithms;

import static dev.weir.algorithms.SlotLayout.CLAIMED;
import static dev.weir.algorithms.SlotLayout.EMPTY;
import static dev.weir.algorithms.SlotLayout.HELD;
import static dev.weir.algorithms.SlotLayout.KEY_OFFSET;
import static dev.weir.algorithms.SlotLayout.PAYLOAD_MASK;
import static dev.weir.algorithms.SlotLayout.PENDING;
import static dev.weir.algorithms.SlotLayout.SLOTS_PER_LINE;
import static dev.weir.algorithms.SlotLayout.SLOT_BYTES;
import static dev.weir.algorithms.SlotLayout.STATE_OFFSET;
import static dev.weir.algorithms.SlotLayout.expiresAtNs;
import static dev.weir.algorithms.SlotLayout.isClaimable;
import static dev.weir.algorithms.SlotLayout.isHeld;
import static dev.weir.algorithms.SlotLayout.isLive;
import static dev.weir.algorithms.SlotLayout.isMoved;
import static dev.weir.algorithms.SlotLayout.isPending;
import static dev.weir.algorithms.SlotLayout.tombstone;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The slots of a table: where a key lives, and how it gets there. Knows keys, state words and, if
 * there are any, the ring of cells that belongs to each slot; of a limit only that it fills a ring.
 *
 * <p><b>Probing.</b> A key has a window of {@value #WINDOW} slots: the cache line of its home slot,
 * then lines at triangular distances, so that full lines do not grow together and the whole window
 * stays within 2 KiB. A probe ends at an EMPTY slot; a slot never becomes EMPTY again, and a new
 * key takes the first slot it may, so no key lies behind an EMPTY one.
 *
 * <p><b>Reading.</b> State first, key second. If the key is the sought one and the CAS on that
 * state succeeds, the slot was that key's all the while: whoever takes a slot changes its state
 * first, and a state comes back only in a slot that has been another key's, which the key tells
 * after the CAS. A slot that is reclaimed cannot even come to the same word: its time is past by
 * more than the grace, and the new one is in the future. One that was evicted can: two keys of one
 * window with a count of 1 have one word. A charge that meets the wrong key so stays with it, and
 * the right one is charged too: too much, never too little.
 *
 * <p>Left open is a thread that stops between two of its steps until the slot has been evicted and
 * charged to the same word again, and then evicts a key that owes as much by cheaper requests, or
 * until it has become its own key's again after another's; and a cell that a thread writes into a
 * ring after stopping for longer than its key's window and the grace.
 *
 * <p><b>Moving.</b> A key that is moved to another leaves its slot MOVED for the grace: who still
 * comes with the old key is told so, instead of finding a key that owes nothing. A key without a
 * slot gets one that is MOVED from the start, by the steps of an insert.
 *
 * <p><b>Evicting.</b> A key that finds no slot to claim takes that of a LIVE key which owes no more
 * than one request ({@link EvictionWeight}), by a CAS from the very state that it was judged by: if
 * the key is charged meanwhile, it stays. From there on it is an insert like any other.
 *
 * <p><b>Inserting.</b> One key must never be LIVE twice: that would be two budgets. So:
 *
 * <ol>
 *   <li>CAS a claimable slot, or one whose key gives way, to CLAIMED. Now it is one thread's own,
 *       and only now are key and ring written: a slot that others could take back while its key is
 *       being written would end up with one key's budget under another key's name.
 *   <li>CAS it to PENDING, which publishes the key; full fence.
 *   <li>Scan the window for the key. LIVE elsewhere: leave the slot, use that one. PENDING earlier
 *       in the probe order: leave the slot, it goes first. PENDING later: kill it. Leave the slot
 *       also if the first state was worked out for a plan that has changed meanwhile.
 *   <li>CAS PENDING to the first state. If that fails, another thread killed it: start over.
 * </ol>
 *
 * Of two threads that insert one key, at least one sees the other, as each publishes before it
 * scans. If the earlier one sees the later one, it kills it, or finds it LIVE and leaves; if the
 * later one sees the earlier one, it leaves. So both never commit. A thread that stops in between
 * blocks nobody: a CLAIMED slot is passed over, a PENDING one is waited for, then killed.
 */
final class Slots {
  /** Slots in which a key may lie. */
  static final int WINDOW = 32;

  /** The result of {@link #find} if the key has no slot. */
  static final int ABSENT = -1;

  /**
   * The result of {@link #find} if another thread is about to give the key its slot, or holds what
   * it owes.
   */
  static final int BUSY = -2;

  /** The result of {@link #find} if the key has been moved to another, not long ago. */
  static final int AWAY = -3;

  /** The result of {@link #insert} if the key has got a slot. */
  static final int INSERTED = 0;

  /** The result of {@link #insert} if the key has got a slot that another key had. */
  static final int RECLAIMED = 1;

  /** The result of {@link #insert} if the key may have a slot by now, and is to be looked for. */
  static final int LOST = 2;

  /**
   * The result of {@link #insert} if every slot of the window is another key's, which owes too much
   * to give way.
   */
  static final int FULL = 3;

  /** Attempts for which a PENDING slot is waited for; then it is killed. */
  static final int PATIENCE = 64;

  private static final int MAX_FIND_ATTEMPTS = 4 * PATIENCE;
  private static final int CELL_SHIFT = 3;
  private static final int LINE_BITS = Integer.numberOfTrailingZeros(SLOTS_PER_LINE);
  private static final int LINE_MASK = SLOTS_PER_LINE - 1;

  private final UnsafeBuffer memory;
  private final UnsafeBuffer cells;
  private final UnsafeBuffer weights;
  private final int cellBits;
  private final int cellMask;
  private final int slotMask;
  private final int window;
  private final Counters counters;

  /**
   * @param memory zeroed and aligned to a cache line.
   * @param cells zeroed, as many for each slot, a power of two; or of capacity 0.
   * @param weights zeroed, {@link EvictionWeight#BYTES} for each slot; or of capacity 0, and then
   *     no key gives way to another.
   */
  Slots(UnsafeBuffer memory, UnsafeBuffer cells, UnsafeBuffer weights, Counters counters) {
    this.memory = memory;
    this.cells = cells;
    this.weights = weights;
    this.counters = counters;
    final int slotCount = memory.capacity() / SLOT_BYTES;
    slotMask = slotCount - 1;
    window = Math.min(WINDOW, slotCount);
    final int cellsPerSlot = cells.capacity() / Long.BYTES / slotCount;
    cellMask = cellsPerSlot - 1;
    cellBits = Integer.numberOfTrailingZeros(cellsPerSlot);
  }

  int slotCount() {
    return slotMask + 1;
  }

  /** The first slot of a key's window. */
  int home(long key) {
    return (int) key & slotMask;
  }

  int probe(long key, int position) {
    return probe(key, position, slotMask);
  }

  /** The slot of a key's window at {@code position}, from 0, of so many slots. */
  static int probe(long key, int position, int slotMask) {
    final int step = position >>> LINE_BITS;
    final int line = ((int) key >>> LINE_BITS) + (step * (step + 1) >>> 1);
    return ((line << LINE_BITS) | (((int) key + position) & LINE_MASK)) & slotMask;
  }

  /** The LIVE state of a key in a slot; {@link SlotLayout#EMPTY} if the slot is not this key's. */
  long liveState(int slot, long key) {
    final long state = stateAcquire(slot);
    return keyAcquire(slot) == key && isLive(state) ? state : EMPTY;
  }

  /**
   * Charges a key, or leads it on.
   *
   * @return false if the slot is not in that state, or has become another key's that was in the
   *     very same one: then that key keeps what it was charged wrongly, but for units that are
   *     held, which time would never give back.
   */
  boolean chargeCas(int slot, long key, long expected, long next, long nowNs) {
    if (!stateCas(slot, expected, next)) {
      return false;
    }
    if (keyAcquire(slot) == key) {
      return true;
    }
    final long held = HeldUnits.units(next) - HeldUnits.units(expected);
    if (held > 0) {
      release(slot, held, nowNs);
    }
    return false;
  }

  /** Releases units that a slot holds, which stays its key's as long as it does. */
  private void release(int slot, long units, long nowNs) {
    // Ends: every failure means that another thread has changed the word.
    for (long state = stateAcquire(slot);
        !stateCas(slot, state, HeldUnits.released(state, units, nowNs));
        state = stateAcquire(slot)) {
      Thread.onSpinWait();
    }
  }

  /**
   * Gives back to a key. Who gives back units that are held holds them until the CAS, so the slot
   * was the key's; behind it another key may have got the slot, and hold as many.
   *
   * @return false if the slot is not in that state, or has become another key's.
   */
  boolean refundCas(int slot, long key, long expected, long next) {
    if (!stateCas(slot, expected, next)) {
      return false;
    }
    return HeldUnits.units(expected) > 0
        || keyAcquire(slot) == key
        || !stateCas(slot, next, expected);
  }

  boolean stateCas(int slot, long expected, long next) {
    return memory.compareAndSetLong(slot * SLOT_BYTES + STATE_OFFSET, expected, next);
  }

  /**
   * Finds the LIVE slot of a key.
   *
   * @param attempt how often the caller has tried: from {@link #PATIENCE} on, who is in the way is
   *     killed.
   * @return the slot, {@link #ABSENT}, {@link #BUSY} or {@link #AWAY}.
   */
  int find(long key, long nowNs, int attempt) {
    int result = ABSENT;
    for (int position = 0; position < window; position++) {
      final int slot = probe(key, position);
      final long state = stateAcquire(slot);
      if (state == EMPTY) {
        break;
      }
      if (keyAcquire(slot) != key) {
        continue;
      }
      if (isLive(state)) {
        return slot;
      }
      if (isAway(state, nowNs)) {
        return AWAY;
      }
      if (isHeld(state)
          || (isPending(state) && (attempt < PATIENCE || !kill(slot, state, nowNs)))) {
        result = BUSY;
      }
    }
    return result;
  }

  /**
   * Finds the LIVE slot of a key, and waits for a thread that is about to give it one, but not for
   * long: such a thread is killed in the end.
   *
   * @return the slot, {@link #AWAY} or {@link #ABSENT}; also if one thread after the other is about
   *     to, or one holds it for too long.
   */
  int findSettled(long key, long nowNs) {
    for (int attempt = 0; attempt < MAX_FIND_ATTEMPTS; attempt++) {
      final int slot = find(key, nowNs, attempt);
      if (slot != BUSY) {
        return slot;
      }
      Thread.onSpinWait();
    }
    return ABSENT;
  }

  /**
   * Gives a key a slot.
   *
   * @param state the first LIVE state; or MOVED, and no key gives way to that.
   * @param limit fills the ring, if it has one, for the {@code units} that the state charges.
   * @param weight of one request of the key; {@link EvictionWeight}.
   * @param cost of that request: the most that a key may owe which gives way to this one.
   * @return {@link #INSERTED}, {@link #RECLAIMED}, {@link #LOST} or {@link #FULL}.
   */
  int insert(long key, long state, Limit limit, long units, int weight, long cost, long nowNs) {
    final int claimable = claimablePosition(key, nowNs);
    final int position = claimable < 0 ? yieldingPosition(key, cost, nowNs) : claimable;
    if (position < 0) {
      return FULL;
    }
    final int slot = probe(key, position);
    final long before = stateAcquire(slot);
    final boolean evicts = !isClaimable(before, nowNs);
    if (evicts && !(claimable < 0 && yields(slot, before, cost, nowNs))) {
      return LOST;
    }
    final long claimId = counters.nextClaimId() & PAYLOAD_MASK;
    if (!stateCas(slot, before, CLAIMED | claimId)) {
      return LOST;
    }
    if (evicts) {
      counters.increment(Counters.EVICTED_OFFSET);
    }
    memory.putLongOpaque(slot * SLOT_BYTES + KEY_OFFSET, key);
    weigh(slot, weight);
    if (limit.cells() != 0) {
      openRing(slot, limit, nowNs, units);
    }
    stateCas(slot, CLAIMED | claimId, PENDING | claimId);
    UnsafeApi.fullFence();
    if (!isFirst(key, position, nowNs) || !limit.isStillUsed()) {
      final long restsFromNs = evicts ? nowNs : expiresAtNs(before);
      stateCas(slot, PENDING | claimId, tombstone(restsFromNs));
      return LOST;
    }
    if (!stateCas(slot, PENDING | claimId, state)) {
      return LOST;
    }
    return isLive(before) && !evicts ? RECLAIMED : INSERTED;
  }

  /** The position in its window that a new key would take; -1 if there is none. */
  private int claimablePosition(long key, long nowNs) {
    for (int position = 0; position < window; position++) {
      if (isClaimable(stateAcquire(probe(key, position)), nowNs)) {
        return position;
      }
    }
    return -1;
  }

  /**
   * The position of the key in the window that gives way to one that is about to owe {@code cost}:
   * of those that owe so little, the one that will be whole first; -1 if there is none.
   */
  private int yieldingPosition(long key, long cost, long nowNs) {
    int yielding = -1;
    long earliestNs = Long.MAX_VALUE;
    for (int position = 0; position < window; position++) {
      final int slot = probe(key, position);
      final long state = stateAcquire(slot);
      if (isLive(state)
          && expiresAtNs(state) < earliestNs
          && yields(slot, state, cost, nowNs)
          && keyAcquire(slot) != key) {
        yielding = position;
        earliestNs = expiresAtNs(state);
      }
    }
    return yielding;
  }

  /** Whether a slot's key gives way; means something only if the state is still this one. */
  private boolean yields(int slot, long state, long cost, long nowNs) {
    return isLive(state)
        && weights.capacity() != 0
        && EvictionWeight.isAtMost(
            weights.getIntVolatile(slot * EvictionWeight.BYTES), cost, state, nowNs);
  }

  /** Says what one request of the slot's key weighs. */
  void weigh(int slot, int weight) {
    if (weights.capacity() != 0) {
      weights.putIntVolatile(slot * EvictionWeight.BYTES, weight);
    }
  }

  /** Step 3 of an insert: whether no other slot of this key stands in the way. */
  private boolean isFirst(long key, int mine, long nowNs) {
    for (int position = 0; position < window; position++) {
      if (position == mine) {
        continue;
      }
      final int slot = probe(key, position);
      final long state = stateAcquire(slot);
      if (state == EMPTY) {
        return true;
      }
      if (keyAcquire(slot) != key) {
        continue;
      }
      if (isLive(state)
          || isHeld(state)
          || isAway(state, nowNs)
          || (isPending(state) && (position < mine || !kill(slot, state, nowNs)))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAway(long state, long nowNs) {
    return isMoved(state) && !isClaimable(state, nowNs);
  }

  private boolean kill(int slot, long pending, long nowNs) {
    return stateCas(slot, pending, tombstone(nowNs));
  }

  /**
   * Forgets a key, whose slot then rests for the grace.
   *
   * @return false if the state has changed.
   */
  boolean remove(int slot, long key, long liveState, long nowNs) {
    final long held = hold(slot, key, liveState);
    return held != EMPTY && stateCas(slot, held, tombstone(nowNs));
  }

  /**
   * Takes a LIVE state away for as long as one thread does with it what is more than a CAS. Others
   * wait for the key, or refuse it; none finds it absent.
   *
   * @return the state that only the caller may replace, and has to; {@link SlotLayout#EMPTY} if the
   *     state has changed.
   */
  long hold(int slot, long key, long liveState) {
    final long held = HELD | (counters.nextClaimId() & PAYLOAD_MASK);
    if (!stateCas(slot, liveState, held)) {
      return EMPTY;
    }
    if (keyAcquire(slot) == key) {
      return held;
    }
    stateCas(slot, held, liveState);
    return EMPTY;
  }

  /** Empties the ring of a slot that nobody else may touch, and fills it for a first charge. */
  void openRing(int slot, Limit limit, long nowNs, long units) {
    cells.setMemory(cellOffset(slot, 0), (cellMask + 1) << CELL_SHIFT, (byte) 0);
    limit.open(this, slot, nowNs, units);
  }

  /** Cells of each slot's ring, a power of two. */
  int cellsPerSlot() {
    return cellMask + 1;
  }

  /** The binary logarithm of {@link #cellsPerSlot}. */
  int cellBits() {
    return cellBits;
  }

  /** The cell at {@code index}, which goes round and round the ring. */
  long cellAcquire(int slot, long index) {
    return cells.getLongAcquire(cellOffset(slot, index));
  }

  boolean cellCas(int slot, long index, long expected, long next) {
    return cells.compareAndSetLong(cellOffset(slot, index), expected, next);
  }

  /** For the owner of a CLAIM; published by the CAS that ends it. */
  void cellOpaque(int slot, long index, long value) {
    cells.putLongOpaque(cellOffset(slot, index), value);
  }

  private int cellOffset(int slot, long index) {
    return ((slot << cellBits) + ((int) index & cellMask)) << CELL_SHIFT;
  }

  /** Makes every later use fail its bounds check instead of touching freed memory. */
  void close() {
    memory.wrap(0, 0);
    cells.wrap(0, 0);
    weights.wrap(0, 0);
  }

  /** The state of a slot, whoever's it is. */
  long stateAcquire(int slot) {
    return memory.getLongAcquire(slot * SLOT_BYTES + STATE_OFFSET);
  }

  /** The key of a slot, which means something while the state is LIVE or PENDING. */
  long keyAcquire(int slot) {
    return memory.getLongAcquire(slot * SLOT_BYTES + KEY_OFFSET);
  }
}
