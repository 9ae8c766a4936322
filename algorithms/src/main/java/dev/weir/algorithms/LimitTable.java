package dev.weir.algorithms;

import static dev.weir.algorithms.SlotLayout.EMPTY;
import static dev.weir.algorithms.SlotLayout.expiresAtNs;
import static dev.weir.algorithms.SlotLayout.isLive;

/**
 * The budgets of many keys in one fixed piece of off-heap memory.
 *
 * <p><b>Assumptions.</b> A key is a 64-bit hash under a secret ({@link SipHash}) of who is limited
 * and by which rule; its low bits choose its place. Two identities with one hash share a budget: at
 * 10^7 keys the odds of any such pair are 1 in 370,000. Times are nanoseconds from 1 to {@link
 * Limit#MAX_TIME_NS} on a clock of the caller's, read once per batch; the clocks of callers may lag
 * behind each other by up to a second, and may step back: what is owed stays owed. One key is
 * always checked against the same limit, or its limit changed by {@link #changeLimit}.
 *
 * <p><b>Guarantees.</b>
 *
 * <ul>
 *   <li>A check is atomic: of any number of threads, no two get the same unit. With a limit whose
 *       state is one word it loads one cache line and makes one CAS. A refused one writes nothing.
 *   <li>A slot is reused a second after its key's budget was whole again, which loses nothing.
 *   <li>If a key's window of 32 slots has no such slot, it takes that of a key which owes no more
 *       than one request of its own, and that no more than the newcomer is about to owe: of those,
 *       of the one that will be whole first. The evicted key regains what it owed, one request at
 *       most for each that was let pass to evict it. A key that owes more is never forgotten to
 *       make room: who has used up a budget of more than one request has none again by being
 *       evicted. See {@link EvictionWeight} for keys that never give way; in a table with rings
 *       none does.
 *   <li>If no key of the window gives way, the decision is made from one budget that all such keys
 *       of the same limit share, and it is counted. A key that gets its slot later, and may have
 *       been one of them ({@link OverflowMarks}), starts with what that budget owes, or stays with
 *       it for as long if its limit has a ring. So no way past the table leads to a fresh budget.
 *   <li>A key that has been carried over to another one is not fresh: who still comes with it is
 *       told, so callers may go over from one limit to the next in any order ({@link #carryOver}).
 *   <li>No allocation, lock or system call, but in the constructor and in {@link #close}.
 * </ul>
 *
 * <p><b>Progress.</b> Lock-free: a thread that stops anywhere stops no other. Each call ends after
 * a bounded number of steps: after {@value #MAX_ATTEMPTS} attempts, each of which another thread
 * undid, a check is refused, marked {@link Decision#contended()} and counted. The exception is a
 * key that is reset, carried over or put under another limit at that moment: if the thread that
 * does it is stopped, the key is refused that way until it goes on; all others do not notice.
 *
 * <p><b>Memory.</b> 20 bytes per slot; if the table has rings, 16 and 8 for each cell. Up to about
 * 60 % of the slots in use nearly every key finds room: 2^24 slots, 320 MiB, hold 10^7 keys, 34
 * bytes each. With 16 cells, 10 per window in a sliding log, 144 bytes per slot.
 *
 * <p><b>Where to read on.</b> {@link SlotLayout}: the slot. {@link Slots}: how a key gets one, and
 * why never two. {@link Charger}: how it is charged, there or in a shared budget. {@link
 * LimitChange}: how a debt outlives its limit. {@link StateWord}: how a slot's expiry is read
 * without knowing its limit. {@link PacedLimit}, {@link FixedWindowLimit}, {@link
 * SlidingCounterLimit}, {@link SlidingLogLimit}, {@link BucketRingLimit}: the algorithms, and what
 * is exact about them.
 */
public final class LimitTable implements AutoCloseable {
  /** The fewest slots a table may have. */
  public static final int MIN_SLOT_COUNT = 4;

  /** The most slots a table may have: 2^26, 1.25 GiB. */
  public static final int MAX_SLOT_COUNT = 1 << 26;

  /** Attempts after which a call gives up. */
  static final int MAX_ATTEMPTS = 1024;

  private final TableMemory memory;
  private final int cellsPerKey;
  private final Slots slots;
  private final Slots overflow;
  private final OverflowMarks marks;
  private final Counters counters;
  private final Charger charger;
  private final LimitChange changes;

  /** A table for limits whose state is one word: all but the sliding log and the bucket ring. */
  public LimitTable(int slotCount) {
    this(slotCount, 0);
  }

  /**
   * Allocates {@code slotCount * 20} bytes, or {@code slotCount * (16 + 8 * cellsPerKey)}, outside
   * the heap; beside it 1/128 of that, but at least 49 KiB, and 64 rings. The process takes them
   * page by page, when keys come.
   *
   * @param slotCount a power of two from {@link #MIN_SLOT_COUNT} to {@link #MAX_SLOT_COUNT}; 1.7
   *     times the keys expected at once, or more.
   * @param cellsPerKey the largest {@link Limit#cells()} of the limits to be used: 0, or a power of
   *     two up to {@link Limit#MAX_CELL_COUNT}; all rings together at most 2 GiB.
   * @throws IllegalArgumentException if it is not, or the memory is not to be had.
   */
  public LimitTable(int slotCount, int cellsPerKey) {
    this(TableMemory.allocate(slotCount, cellsPerKey));
  }

  /** A table on memory of a test's own. */
  LimitTable(TableMemory memory) {
    this.memory = memory;
    slots = memory.slots();
    overflow = memory.overflow();
    marks = memory.marks();
    counters = memory.counters();
    cellsPerKey = slots.cellsPerSlot();
    charger = new Charger(memory);
    changes = new LimitChange(memory, charger);
  }

  /**
   * Charges {@code cost} units, all or none.
   *
   * @param keyHash any value.
   * @param cost 1 or more; one above the burst never passes.
   * @param nowNs from 1 to {@link Limit#MAX_TIME_NS}.
   * @param out overwritten.
   * @return whether it was allowed.
   * @throws IllegalArgumentException if {@code cost} or {@code nowNs} is out of range.
   */
  public boolean check(long keyHash, Limit limit, long cost, long nowNs, Decision out) {
    checkArguments(limit, cost, nowNs);
    final int home = slots.home(keyHash);
    final long state = slots.liveState(home, keyHash);
    if (state != EMPTY) {
      final long charged = limit.charge(state, slots, home, nowNs, cost);
      if (charged == Limit.REFUSED) {
        out.set(limit, state, slots, home, nowNs, cost, 0);
        return false;
      }
      if (slots.chargeCas(home, keyHash, state, charged, nowNs) && !limit.isStep(charged)) {
        out.set(limit, charged, slots, home, nowNs, cost, cost);
        return true;
      }
    }
    return charger.decide(keyHash, limit, cost, 0, ChargeKind.IF_IT_FITS, nowNs, out);
  }

  /**
   * Charges units that have been used already, whether they fit or not: as many as the limit can
   * count. A pace can owe twice its capacity, and all that was held; a log as much as it has cells
   * for.
   *
   * @param held units that were held for it, 0 or more.
   * @param out overwritten: {@link Decision#granted()} is what was charged; {@link
   *     Decision#moved()} if the key was carried over to another one, and then nothing was.
   * @throws IllegalArgumentException if {@code units} or {@code nowNs} is out of range.
   */
  public void chargeUsed(
      long keyHash, Limit limit, long units, long held, long nowNs, Decision out) {
    checkArguments(limit, units, nowNs);
    charger.decide(keyHash, limit, units, held, ChargeKind.USED_ALREADY, nowNs, out);
  }

  /**
   * Releases units of {@link Limit#heldUnits} that were held by a {@link #check}. Each of those has
   * one release, which never fails: the key keeps its slot as long as it holds anything. To release
   * more than is held is a bug of the caller's, and leaves nothing held.
   *
   * @return units that the key still holds.
   */
  public long release(long keyHash, long units, long nowNs) {
    Bounds.time("nowNs", nowNs);
    // Ends: every failure means that another thread has changed the word, or taken the slot that
    // was found while its key was read.
    while (true) {
      final int slot = slots.find(keyHash, nowNs, 0);
      if (slot < 0) {
        assert false : "released twice, or never held";
        return 0;
      }
      final long state = slots.liveState(slot, keyHash);
      if (state != EMPTY
          && slots.refundCas(slot, keyHash, state, HeldUnits.released(state, units, nowNs))) {
        final long left = HeldUnits.units(state) - units;
        assert left >= 0 : "released more than is held";
        return Math.max(left, 0);
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Reads the place where a key's budget lies, most likely, and nothing else: it is near then, when
   * the key is charged. Reads of several keys overlap, where each charge would wait for its own.
   *
   * @return what it read, so that it is not left out.
   */
  public long fetch(long keyHash) {
    return slots.stateAcquire(slots.home(keyHash));
  }

  /**
   * Decides as {@link #check} would, without charging. A key without a slot has what a fresh one
   * would get.
   */
  public boolean peek(long keyHash, Limit limit, long cost, long nowNs, Decision out) {
    checkArguments(limit, cost, nowNs);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int slot = slots.find(keyHash, nowNs, attempt);
      if (slot == Slots.AWAY) {
        out.set(limit, EMPTY, slots, 0, nowNs, cost, 0).markMoved();
        return false;
      }
      if (slot == Slots.ABSENT) {
        return peekAbsent(keyHash, limit, cost, nowNs, out);
      }
      final long state = slot == Slots.BUSY ? EMPTY : slots.liveState(slot, keyHash);
      if (state != EMPTY) {
        return peek(limit, state, slots, slot, cost, nowNs, out);
      }
      Thread.onSpinWait(); // another thread is changing the key, which is not fresh therefore
    }
    refuseContended(limit, cost, nowNs, out);
    return false;
  }

  /** Looks at what a key without a slot would start with. */
  private boolean peekAbsent(long keyHash, Limit limit, long cost, long nowNs, Decision out) {
    if (limit instanceof HeldUnits || !marks.isMarked(slots.home(keyHash), nowNs)) {
      return peek(limit, EMPTY, slots, 0, cost, nowNs, out);
    }
    final long sharedKey = limit.fingerprint();
    final int slot = overflow.find(sharedKey, nowNs, 0);
    final long state = slot < 0 ? EMPTY : overflow.liveState(slot, sharedKey);
    final boolean allowed = peek(limit, state, overflow, slot, cost, nowNs, out);
    out.markShared();
    return allowed;
  }

  private static boolean peek(
      Limit limit, long state, Slots region, int slot, long cost, long nowNs, Decision out) {
    final boolean allowed = limit.fits(state, region, slot, nowNs, cost);
    out.set(limit, state, region, slot, nowNs, cost, allowed ? cost : 0);
    out.markPeeked();
    return allowed;
  }

  /** Refuses a {@link LimitSet} that other threads were in the way of too often. */
  void refuseContended(Limit limit, long cost, long nowNs, Decision out) {
    charger.refuseContended(limit, cost, nowNs, out);
  }

  /** Whether a key has a slot at the moment, in debt or not. */
  public boolean isKnown(long keyHash, long nowNs) {
    Bounds.time("nowNs", nowNs);
    return slots.find(keyHash, nowNs, 0) >= 0;
  }

  /**
   * Gives back what an earlier check charged, because something else stood in its way; at most what
   * the charge still occupies, as time may have given the rest back already. A limit whose budget
   * comes back at a pace gives back all units less what it earns in the time that has passed; one
   * of windows takes them off the window of the charge; a bucket ring gives nothing back once the
   * sub-window has passed, and a queue nothing at all, as others have been told slots behind.
   *
   * @param units as many as were charged, once, and under the limit that the key still has: a
   *     changed one has charged anew what it found.
   * @param chargedAtNs the time of that check.
   * @param nowNs where callers' clocks differ, or step back, a pace may give back what it earns in
   *     as much time.
   * @return whether there was anything to give back: not if the key was forgotten, or what was
   *     charged counts no more.
   * @throws IllegalArgumentException if {@code units} or a time is out of range.
   */
  public boolean refund(long keyHash, Limit limit, long units, long chargedAtNs, long nowNs) {
    checkArguments(limit, units, nowNs);
    Bounds.time("chargedAtNs", chargedAtNs);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int slot = slots.findSettled(keyHash, nowNs);
      if (slot < 0) {
        return false;
      }
      final long state = slots.liveState(slot, keyHash);
      if (state == EMPTY) {
        continue;
      }
      final long refunded = limit.refunded(state, slots, slot, units, chargedAtNs, nowNs);
      if (refunded == state) {
        return false;
      }
      if (slots.refundCas(slot, keyHash, state, refunded)) {
        return true;
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    return false;
  }

  /**
   * Forgets what a key has consumed. A budget that overflowed keys share stays as it is.
   *
   * @return whether the key had a slot.
   */
  public boolean reset(long keyHash, long nowNs) {
    Bounds.time("nowNs", nowNs);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int slot = slots.findSettled(keyHash, nowNs);
      if (slot < 0) {
        return false;
      }
      final long state = slots.liveState(slot, keyHash);
      if (state != EMPTY && slots.remove(slot, keyHash, state, nowNs)) {
        return true;
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    return false;
  }

  /**
   * Puts a key under another limit, at once. What it has consumed stays consumed: as it is, where
   * the algorithm and its windows stay; else in units, at most the new capacity, as if charged now.
   * The caller has to know {@code from}, and to call once per change; where the limit is part of
   * what is hashed, use {@link #carryOver}.
   *
   * <p>It takes two steps. A check between them waits, and is refused as {@link
   * Decision#contended()} if the thread that makes the change is stopped there.
   *
   * @return whether the key had a slot, and it was changed.
   */
  public boolean changeLimit(long keyHash, Limit from, Limit to, long nowNs) {
    checkArguments(from, 1, nowNs);
    checkArguments(to, 1, nowNs);
    return changes.changeLimit(keyHash, from, to, nowNs);
  }

  /**
   * Rewrites a key's state as its user's plan counts it, if it is still as the plan before did. Who
   * is about to change a plan calls it for all budgets of the user, so that no state is ever two
   * plans behind.
   *
   * @param limit of {@link PlannedLimit#under}; of any other there is nothing to do.
   * @param nowNs read anew for each call, so that no two of them lead back to the same state.
   * @return false if the plan has changed meanwhile, or other threads were in the way.
   */
  public boolean convert(long keyHash, Limit limit, long nowNs) {
    checkArguments(limit, 1, nowNs);
    return !(limit instanceof PlannedLimit planned) || changes.convert(keyHash, planned, nowNs);
  }

  /**
   * Takes what {@code fromKey} has consumed and charges it to {@code toKey}, at most the new burst:
   * for callers that hash the version of a limit along with the identity. To be called before every
   * check of {@code toKey} while there may be something left of {@code fromKey}: an old key that is
   * gone costs one probe.
   *
   * <p>Callers that still check {@code fromKey} find it {@link Decision#moved()} for a second, not
   * fresh: in whatever order callers go over to the new key, no check finds a budget that another
   * one has used up. That takes a mark on a key that has consumed nothing, too.
   *
   * @param fromKey not {@code toKey}, unless {@code to} is another table.
   * @param to where {@code toKey} is: a caller may keep limits with rings apart.
   * @param isLast whether nobody checks {@code fromKey} any more, so that no such mark is needed.
   * @param nowNs from 1 to {@link Limit#MAX_TIME_NS}.
   * @param scratch overwritten.
   * @return whether {@code toKey} has all; if not, it must not be checked: {@code scratch} is
   *     {@link Decision#moved()} if it has been moved on itself, {@link Decision#contended()} if
   *     other threads were in the way, or there was no room for the mark.
   * @throws IllegalArgumentException if the keys are the same, or {@code nowNs} is out of range.
   */
  public boolean carryOver(
      long fromKey,
      Limit fromLimit,
      LimitTable to,
      long toKey,
      Limit toLimit,
      boolean isLast,
      long nowNs,
      Decision scratch) {
    checkArguments(fromLimit, 1, nowNs);
    to.checkArguments(toLimit, 1, nowNs);
    if (to == this && fromKey == toKey) {
      throw new IllegalArgumentException(
          "toKey: " + toKey + " (expected: not fromKey; see changeLimit)");
    }
    return changes.carryOver(
        fromKey, fromLimit, to.charger, toKey, toLimit, isLast, nowNs, scratch);
  }

  private void checkArguments(Limit limit, long cost, long nowNs) {
    if (cost < 1 || nowNs < 1 || nowNs > Limit.MAX_TIME_NS || limit.cells() > cellsPerKey) {
      throw badArgument(limit, cost, nowNs);
    }
  }

  private IllegalArgumentException badArgument(Limit limit, long cost, long nowNs) {
    if (cost < 1) {
      return new IllegalArgumentException("cost: " + cost + " (expected: 1 or more)");
    }
    return limit.cells() > cellsPerKey
        ? new IllegalArgumentException(
            "limit.cells(): "
                + limit.cells()
                + " (expected: at most "
                + cellsPerKey
                + ", as the"
                + " table has for each key)")
        : Bounds.outside("nowNs", nowNs, 1, Limit.MAX_TIME_NS);
  }

  /** Slots in all. */
  public int slotCount() {
    return slots.slotCount();
  }

  /**
   * Keys in debt at {@code nowNs}, counted slot by slot: a pass over the whole memory, for a metric
   * or a test. Not a snapshot while others write.
   */
  public int occupancy(long nowNs) {
    int live = 0;
    for (int slot = 0; slot < slots.slotCount(); slot++) {
      final long state = slots.stateAcquire(slot);
      if (isLive(state) && expiresAtNs(state) > nowNs) {
        live++;
      }
    }
    return live;
  }

  /** Keys that got a slot so far. */
  public long insertedCount() {
    return counters.count(Counters.INSERTED_OFFSET);
  }

  /** Keys that got a slot so far which another key had before. */
  public long reclaimedCount() {
    return counters.count(Counters.RECLAIMED_OFFSET);
  }

  /**
   * Keys that gave way to another before they were whole again. Each regained what one request had
   * cost, or less.
   */
  public long evictedCount() {
    return counters.count(Counters.EVICTED_OFFSET);
  }

  /** Decisions made from a shared budget, as the key found no room. */
  public long overflowCount() {
    return counters.count(Counters.OVERFLOW_OFFSET);
  }

  /** Calls given up after too many attempts. */
  public long contendedCount() {
    return counters.count(Counters.CONTENDED_OFFSET);
  }

  /** Frees the memory. No thread may be in a call; a later one fails. */
  @Override
  public void close() {
    memory.close();
  }
}
