package dev.weir.algorithms;

import static dev.weir.algorithms.SlotLayout.EMPTY;
import static dev.weir.algorithms.SlotLayout.SLOT_BYTES;
import static dev.weir.algorithms.SlotLayout.isLive;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

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
 *   <li>A check is atomic: of any number of threads, no two get the same unit. It loads one cache
 *       line and makes one CAS; a refused one writes nothing.
 *   <li>A key in debt is never forgotten to make room. A slot is reused a second after its key's
 *       budget was whole again, which loses nothing.
 *   <li>If a key's window of 32 slots has no room, the decision is made from one budget that all
 *       such keys of the same limit share, and it is counted. A key that gets its slot later, and
 *       may have been one of them ({@link OverflowMarks}), starts with what that budget owes. So no
 *       way past the table leads to a fresh budget.
 *   <li>No allocation, lock or system call, but in the constructor and in {@link #close}.
 * </ul>
 *
 * <p><b>Progress.</b> Lock-free: a thread that stops anywhere stops no other. Each call ends after
 * a bounded number of steps: after {@value #MAX_ATTEMPTS} attempts, each of which another thread
 * undid, a check is refused, marked {@link Decision#contended()} and counted.
 *
 * <p><b>Memory.</b> 16 bytes per slot. Up to about 60 % of the slots in use nearly every key finds
 * room: 2^24 slots, 256 MiB, hold 10^7 keys, 27 bytes each.
 *
 * <p><b>Where to read on.</b> {@link SlotLayout}: the slot. {@link Slots}: how a key gets one, and
 * why never two. {@link Limit}: the arithmetic, and what "exact" means. The algorithm is GCRA
 * (ITU-T I.371; ATM Forum, Traffic Management 4.1), chosen because its whole state is one time, so
 * one CAS is the whole check, and whether a state may be forgotten can be read without knowing its
 * limit.
 */
public final class LimitTable implements AutoCloseable {
  /** The fewest slots a table may have. */
  public static final int MIN_SLOT_COUNT = 4;

  /** The most slots a table may have: 2^26, 1 GiB. */
  public static final int MAX_SLOT_COUNT = 1 << 26;

  /** Attempts after which a call gives up. */
  static final int MAX_ATTEMPTS = 1024;

  /** {@link #decideIn}: done; none of the outcomes of {@link Slots#insert}. */
  private static final int DECIDED = -1;

  /** Limits whose keys may overflow at a time, each with one shared budget. */
  private static final int MAX_OVERFLOW_SLOT_COUNT = 1024;

  private static final int CACHE_LINE_BYTES = 64;

  /**
   * How much of a request has to fit: all of it, as much as does, or none as it is owed already.
   */
  private enum Charge {
    WHOLE,
    PARTIAL,
    FORCED
  }

  private final ByteBuffer allocated;
  private final Slots slots;
  private final Slots overflow;
  private final OverflowMarks marks;
  private final Counters counters;

  /**
   * Allocates {@code 16 * slotCount} bytes of direct memory, and at most 49 KiB beside.
   *
   * @param slotCount a power of two from {@link #MIN_SLOT_COUNT} to {@link #MAX_SLOT_COUNT}; 1.7
   *     times the keys expected at once, or more.
   * @throws IllegalArgumentException if it is not, or the memory is not to be had.
   */
  public LimitTable(int slotCount) {
    if (slotCount < MIN_SLOT_COUNT
        || slotCount > MAX_SLOT_COUNT
        || Integer.bitCount(slotCount) != 1) {
      throw new IllegalArgumentException(
          "slotCount: "
              + slotCount
              + " (expected: a power of two from "
              + MIN_SLOT_COUNT
              + " to "
              + MAX_SLOT_COUNT
              + ")");
    }
    final int slotsBytes = slotCount * SLOT_BYTES;
    final int overflowBytes = Math.min(slotCount, MAX_OVERFLOW_SLOT_COUNT) * SLOT_BYTES;
    final int marksBytes = OverflowMarks.bytes(slotCount);
    final int bytes = Counters.COUNTERS_BYTES + overflowBytes + marksBytes + slotsBytes;
    try {
      allocated = ByteBuffer.allocateDirect(bytes + CACHE_LINE_BYTES);
    } catch (OutOfMemoryError e) {
      throw new IllegalArgumentException(
          "slotCount: "
              + slotCount
              + ", "
              + bytes
              + " bytes (expected: no more than the direct memory left, see"
              + " -XX:MaxDirectMemorySize)",
          e);
    }
    final int start = (int) -BufferUtil.address(allocated) & (CACHE_LINE_BYTES - 1);
    final int countersStart = start + slotsBytes;
    final int overflowStart = countersStart + Counters.COUNTERS_BYTES;
    final int marksStart = overflowStart + overflowBytes;
    counters = new Counters(new UnsafeBuffer(allocated, countersStart, Counters.COUNTERS_BYTES));
    slots = new Slots(new UnsafeBuffer(allocated, start, slotsBytes), counters);
    overflow = new Slots(new UnsafeBuffer(allocated, overflowStart, overflowBytes), counters);
    marks = new OverflowMarks(new UnsafeBuffer(allocated, marksStart, marksBytes));
  }

  /** A table on memory of a test's own, zeroed. */
  LimitTable(UnsafeBuffer slotsMemory, UnsafeBuffer overflowMemory) {
    allocated = null;
    counters = new Counters(new UnsafeBuffer(new byte[Counters.COUNTERS_BYTES]));
    slots = new Slots(slotsMemory, counters);
    overflow = new Slots(overflowMemory, counters);
    marks = new OverflowMarks(new UnsafeBuffer(new byte[OverflowMarks.bytes(slots.slotCount())]));
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
    checkArguments(cost, nowNs);
    final int home = slots.home(keyHash);
    final long tatNs = slots.liveState(home, keyHash);
    if (tatNs != EMPTY) {
      final long chargedNs = limit.charge(tatNs, nowNs, cost);
      if (chargedNs == Limit.REFUSED) {
        out.set(limit, tatNs, nowNs, cost, 0);
        return false;
      }
      if (slots.stateCas(home, tatNs, chargedNs)) {
        out.set(limit, chargedNs, nowNs, cost, cost);
        return true;
      }
    }
    return decide(keyHash, limit, cost, Charge.WHOLE, nowNs, out);
  }

  /**
   * Charges as many of {@code wanted} units as are left, possibly none.
   *
   * @param wanted 1 or more.
   * @return units granted, also in {@link Decision#granted()}.
   * @throws IllegalArgumentException if {@code wanted} or {@code nowNs} is out of range.
   */
  public long grantUpTo(long keyHash, Limit limit, long wanted, long nowNs, Decision out) {
    checkArguments(wanted, nowNs);
    decide(keyHash, limit, wanted, Charge.PARTIAL, nowNs, out);
    return out.granted();
  }

  /**
   * What {@link #check} would decide, without charging. A key without a slot has what a fresh one
   * would get.
   */
  public boolean peek(long keyHash, Limit limit, long cost, long nowNs, Decision out) {
    checkArguments(cost, nowNs);
    long tatNs = tatOf(slots, keyHash, nowNs);
    if (tatNs == EMPTY) {
      tatNs = inheritedTat(slots, keyHash, limit, nowNs);
    }
    final boolean allowed = limit.charge(tatNs, nowNs, cost) != Limit.REFUSED;
    out.set(limit, tatNs, nowNs, cost, allowed ? cost : 0);
    return allowed;
  }

  /**
   * Forgets what a key has consumed. A budget that overflowed keys share stays as it is.
   *
   * @return whether the key had a slot.
   */
  public boolean reset(long keyHash, long nowNs) {
    checkArguments(1, nowNs);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int slot = slots.find(keyHash, nowNs, attempt);
      if (slot == Slots.ABSENT) {
        return false;
      }
      if (slot == Slots.BUSY) {
        Thread.onSpinWait();
        continue;
      }
      final long tatNs = slots.liveState(slot, keyHash);
      if (tatNs != EMPTY && slots.remove(slot, tatNs, nowNs)) {
        return true;
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    return false;
  }

  /**
   * Puts a key under another limit, at once: what it has consumed stays consumed, in units, and at
   * most the new burst. The caller has to know {@code from}, and to call once per change; where the
   * limit is part of what is hashed, use {@link #carryOver}.
   *
   * @return whether the key had a slot, and it was changed.
   */
  public boolean changeLimit(long keyHash, Limit from, Limit to, long nowNs) {
    checkArguments(1, nowNs);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int slot = slots.find(keyHash, nowNs, attempt);
      if (slot == Slots.ABSENT) {
        return false;
      }
      if (slot == Slots.BUSY) {
        Thread.onSpinWait();
        continue;
      }
      final long tatNs = slots.liveState(slot, keyHash);
      if (tatNs == EMPTY) {
        continue;
      }
      final long units = to.unitsFrom(from, from.consumed(tatNs, nowNs));
      if (units == 0 || slots.stateCas(slot, tatNs, to.chargeClamped(EMPTY, nowNs, units))) {
        return true;
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    return false;
  }

  /**
   * Takes what {@code fromKey} has consumed and charges it to {@code toKey}, at most the new burst:
   * for callers that hash the version of a limit along with the identity. May be called before
   * every check while old versions are about: an old key that is gone costs one probe.
   *
   * @param fromKey not {@code toKey}.
   * @param nowNs from 1 to {@link Limit#MAX_TIME_NS}.
   * @return false if another thread is carrying this key's debt at the moment, and did not finish
   *     within a bounded wait; true if there is nothing left to carry.
   * @throws IllegalArgumentException if the keys are the same, or {@code nowNs} is out of range.
   */
  public boolean carryOver(
      long fromKey, Limit fromLimit, long toKey, Limit toLimit, long nowNs, Decision scratch) {
    checkArguments(1, nowNs);
    if (fromKey == toKey) {
      throw new IllegalArgumentException(
          "toKey: " + toKey + " (expected: not fromKey; see changeLimit)");
    }
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int slot = slots.find(fromKey, nowNs, attempt);
      if (slot == Slots.ABSENT && !slots.isLeaving(fromKey)) {
        return true;
      }
      if (slot < 0) {
        Thread.onSpinWait();
        continue;
      }
      final long tatNs = slots.liveState(slot, fromKey);
      if (tatNs == EMPTY) {
        continue;
      }
      final long units = toLimit.unitsFrom(fromLimit, fromLimit.consumed(tatNs, nowNs));
      if (units == 0) {
        return true;
      }
      final long claimed = slots.leave(slot, tatNs);
      if (claimed != EMPTY) {
        final boolean arrived = decide(toKey, toLimit, units, Charge.FORCED, nowNs, scratch);
        slots.left(slot, claimed, nowNs);
        return arrived;
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    return false;
  }

  /**
   * Decides from a region's slot of a key, inserting it if need be.
   *
   * @return whether anything was granted.
   */
  private boolean decide(
      long key, Limit limit, long wanted, Charge charge, long nowNs, Decision out) {
    final int result = decideIn(slots, key, limit, wanted, charge, nowNs, out);
    if (result == DECIDED) {
      return out.allowed();
    }
    // A debt that is owed must not get lost for want of attempts: the shared budget takes it.
    if (result == Slots.FULL || charge == Charge.FORCED) {
      counters.increment(Counters.OVERFLOW_OFFSET);
      marks.mark(slots.home(key), limit.wholeAtNs(nowNs));
      final long sharedKey = limit.fingerprint();
      if (decideIn(overflow, sharedKey, limit, wanted, charge, nowNs, out) == DECIDED) {
        out.markShared();
        return out.allowed();
      }
    }
    counters.increment(Counters.CONTENDED_OFFSET);
    out.set(limit, nowNs, nowNs, wanted, 0).markContended();
    return false;
  }

  /** Returns {@link #DECIDED} once {@code out} is set; else {@link Slots#FULL} or LOST. */
  private int decideIn(
      Slots region, long key, Limit limit, long wanted, Charge charge, long nowNs, Decision out) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int slot = region.find(key, nowNs, attempt);
      if (slot == Slots.BUSY) {
        Thread.onSpinWait();
        continue;
      }
      final boolean absent = slot == Slots.ABSENT;
      final long tatNs =
          absent ? inheritedTat(region, key, limit, nowNs) : region.liveState(slot, key);
      if (tatNs == EMPTY && !absent) {
        continue;
      }
      final long granted =
          charge == Charge.PARTIAL ? Math.min(wanted, limit.available(tatNs, nowNs)) : wanted;
      final long chargedNs =
          charge == Charge.FORCED
              ? limit.chargeClamped(tatNs, nowNs, wanted)
              : granted == 0 ? Limit.REFUSED : limit.charge(tatNs, nowNs, granted);
      if (chargedNs == Limit.REFUSED) {
        out.set(limit, tatNs, nowNs, charge == Charge.PARTIAL ? 1 : wanted, 0);
        if (absent && tatNs != EMPTY) {
          counters.increment(Counters.OVERFLOW_OFFSET);
          out.markShared();
        }
        return DECIDED;
      }
      if (!absent) {
        if (region.stateCas(slot, tatNs, chargedNs)) {
          out.set(limit, chargedNs, nowNs, wanted, granted);
          return DECIDED;
        }
        continue;
      }
      final int result = region.insert(key, chargedNs, nowNs);
      if (result == Slots.FULL) {
        return Slots.FULL;
      }
      if (result != Slots.LOST) {
        countInsert(result);
        out.set(limit, chargedNs, nowNs, wanted, granted);
        return DECIDED;
      }
    }
    return Slots.LOST;
  }

  /** What a key without a slot owes: if it may have overflowed, what such keys owe together. */
  private long inheritedTat(Slots region, long key, Limit limit, long nowNs) {
    return region == overflow || !marks.isMarked(slots.home(key), nowNs)
        ? EMPTY
        : tatOf(overflow, limit.fingerprint(), nowNs);
  }

  private long tatOf(Slots region, long key, long nowNs) {
    final int slot = region.find(key, nowNs, 0);
    return slot < 0 ? EMPTY : region.liveState(slot, key);
  }

  private void countInsert(int result) {
    counters.increment(Counters.INSERTED_OFFSET);
    if (result == Slots.RECLAIMED) {
      counters.increment(Counters.RECLAIMED_OFFSET);
    }
  }

  private static void checkArguments(long cost, long nowNs) {
    if (cost < 1) {
      throw new IllegalArgumentException("cost: " + cost + " (expected: 1 or more)");
    }
    if (nowNs < 1 || nowNs > Limit.MAX_TIME_NS) {
      throw new IllegalArgumentException(
          "nowNs: " + nowNs + " (expected: from 1 to " + Limit.MAX_TIME_NS + ")");
    }
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
      if (isLive(state) && state > nowNs) {
        live++;
      }
    }
    return live;
  }

  /** Keys that got a slot so far. */
  public long insertedCount() {
    return counters.count(Counters.INSERTED_OFFSET);
  }

  /** Of those, the ones whose slot another key had before. */
  public long reclaimedCount() {
    return counters.count(Counters.RECLAIMED_OFFSET);
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
    slots.close();
    overflow.close();
    BufferUtil.free(allocated);
  }
}
