package dev.weir.algorithms.lease;

import static dev.weir.algorithms.lease.HandLayout.AHEAD_OFFSET;
import static dev.weir.algorithms.lease.HandLayout.ASKED_OFFSET;
import static dev.weir.algorithms.lease.HandLayout.CLAIMED;
import static dev.weir.algorithms.lease.HandLayout.DEMAND_OFFSET;
import static dev.weir.algorithms.lease.HandLayout.FREE;
import static dev.weir.algorithms.lease.HandLayout.HAND_BYTES;
import static dev.weir.algorithms.lease.HandLayout.KEY_BYTES;
import static dev.weir.algorithms.lease.HandLayout.LEASES;
import static dev.weir.algorithms.lease.HandLayout.LEASE_OFFSET;
import static dev.weir.algorithms.lease.HandLayout.REMAINING_OFFSET;
import static dev.weir.algorithms.lease.HandLayout.RESET_AT_OFFSET;
import static dev.weir.algorithms.lease.HandLayout.SPACING_OFFSET;
import static dev.weir.algorithms.lease.HandLayout.WAYS;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The lease table: units of the store's budgets that a process may use without asking. Each key has
 * a slot, its <i>hand</i>: its leases, with the end of their life, and the state that decides when
 * to request more. Direct memory of a fixed size that all threads share; see {@link HandLayout}.
 *
 * <p>Assumes that times are those of one clock, at least 1, and that a thread never stops for
 * {@link HandLayout#GRACE_NS} between two steps of one call while its key has no other arrivals.
 *
 * <p>Guarantees that a unit is used once, under the key that it was leased for, and not after the
 * end of its life. Units are taken by CAS of the word that has their number and their end. The
 * caller keeps other data of a lease (such as the server that it goes back to) by the place that
 * {@link #reserve} returns, which no other thread uses until it is freed.
 *
 * <p>Makes progress: a CAS fails only because another one has succeeded, and no thread waits for a
 * reserved place. If all slots are taken, a key has no hand, and the store decides on it.
 */
public final class LeaseTable implements AutoCloseable {
  /** Result of {@link #find} and {@link #claim} for a key without a hand. */
  public static final int NONE = -1;

  /** Result of {@link #reserve} if there is no room for one more lease. */
  public static final int NO_PLACE = -1;

  /** The most units of one lease. */
  public static final long MAX_UNITS = (1 << LeaseWord.UNIT_BITS - 1) - 1;

  /** Places of leases in each hand. */
  public static final int LEASES_PER_HAND = LEASES;

  private static final int CACHE_LINE_BYTES = 64;
  private static final int MAX_COUNT = 1 << 24;

  private final int count;
  private final int handMask;
  private final ByteBuffer allocated;
  private final UnsafeBuffer keys;
  private final UnsafeBuffer memory;
  private final AtomicLong fullCount = new AtomicLong();

  /**
   * @param count a power of two from 8 to 2^24.
   * @throws IllegalArgumentException if it is none.
   */
  public LeaseTable(int count) {
    if (count < WAYS || count > MAX_COUNT || Integer.bitCount(count) != 1) {
      throw new IllegalArgumentException(
          "count: " + count + " (expected: a power of two from " + WAYS + " to " + MAX_COUNT + ")");
    }
    this.count = count;
    handMask = count - 1;
    allocated = ByteBuffer.allocateDirect(count * (HAND_BYTES + KEY_BYTES) + CACHE_LINE_BYTES);
    int start = (int) -BufferUtil.address(allocated) & (CACHE_LINE_BYTES - 1);
    memory = new UnsafeBuffer(allocated, start, count * HAND_BYTES);
    keys = new UnsafeBuffer(allocated, start + count * HAND_BYTES, count * KEY_BYTES);
  }

  /** How many hands there are. */
  public int count() {
    return count;
  }

  /** The hand of a key; {@link #NONE} if it has none. */
  public int find(long key) {
    long named = named(key);
    int hand = first(named);
    for (int way = 0; way < WAYS; way++) {
      if (keys.getLongAcquire(hand * KEY_BYTES) == named) {
        return hand;
      }
      hand = next(hand);
    }
    return NONE;
  }

  /** A hand for a key that has none; {@link #NONE} if all that it could have are in use. */
  public int claim(long key, long nowNs) {
    long named = named(key);
    int hand = first(named);
    for (int way = 0; way < WAYS; way++) {
      long before = keys.getLongVolatile(hand * KEY_BYTES);
      if (before != CLAIMED && isIdle(hand, before, nowNs) && take(hand, before, nowNs)) {
        clear(hand);
        keys.putLongVolatile(hand * KEY_BYTES, named);
        return hand;
      }
      hand = next(hand);
    }
    fullCount.incrementAndGet();
    return NONE;
  }

  /** How often {@link #claim} has found no hand. Any thread. */
  public long fullCount() {
    return fullCount.get();
  }

  private boolean isIdle(int hand, long key, long nowNs) {
    return key == FREE
        || !holdsAny(hand, nowNs)
            && memory.getLongAcquire(at(hand, ASKED_OFFSET)) <= nowNs
            && DemandWord.idleNs(memory.getLongAcquire(at(hand, DEMAND_OFFSET)), nowNs)
                >= HandLayout.GRACE_NS;
  }

  /**
   * Makes a hand this thread's own. Whoever keeps units in it first reserves a lease, then looks at
   * the key: one of the two sees the other.
   */
  private boolean take(int hand, long before, long nowNs) {
    if (!keys.compareAndSetLong(hand * KEY_BYTES, before, CLAIMED)) {
      return false;
    }
    if (before == FREE || isIdle(hand, before, nowNs) && forgetEmptied(hand)) {
      return true;
    }
    keys.putLongVolatile(hand * KEY_BYTES, before);
    return false;
  }

  /**
   * Has leases whose last unit was taken take none back any more: it would be the next key's, or
   * one that was dropped.
   *
   * @return whether none has.
   */
  public boolean forgetEmptied(int hand) {
    boolean isEmpty = true;
    for (int lease = 0; lease < LEASES; lease++) {
      long word = memory.getLongVolatile(leaseAt(hand, lease));
      isEmpty &=
          word == LeaseWord.NOTHING
              || word != LeaseWord.RESERVED
                  && (LeaseWord.units(word) > 0 || cas(hand, lease, word, LeaseWord.NOTHING));
    }
    return isEmpty;
  }

  /** Whether there are units, or were until lately: whoever was granted them gives them back. */
  private boolean holdsAny(int hand, long nowNs) {
    for (int lease = 0; lease < LEASES; lease++) {
      long word = memory.getLongVolatile(leaseAt(hand, lease));
      if (word == LeaseWord.RESERVED || LeaseWord.usable(word, nowNs - HandLayout.GRACE_NS) > 0) {
        return true;
      }
    }
    return false;
  }

  private void clear(int hand) {
    for (int offset = DEMAND_OFFSET; offset < HAND_BYTES; offset += Long.BYTES) {
      memory.putLongRelease(at(hand, offset), 0);
    }
  }

  /**
   * Counts an arrival; not one of another thread between the same two instructions, which saves
   * every request a second CAS and costs an estimate nothing.
   */
  public void arrived(int hand, LeaseTerms terms, long nowNs) {
    int at = at(hand, DEMAND_OFFSET);
    long seen = memory.getLongAcquire(at);
    memory.putLongRelease(at, DemandWord.arrived(seen, terms.decayPerStep(), nowNs));
  }

  /** Arrivals but for the last one, decayed. */
  double arrivedBefore(int hand) {
    return DemandWord.before(memory.getLongAcquire(at(hand, DEMAND_OFFSET)));
  }

  /**
   * Takes units, of the lease that ends first before those of the other.
   *
   * @param key that the hand was found by.
   * @param units 1 or more.
   * @param into says what was taken, if it was.
   * @return whether there were so many; else nothing is taken.
   */
  public boolean take(int hand, long key, long units, long nowNs, Taken into) {
    if (units > MAX_UNITS * LEASES) {
      return false;
    }
    long named = named(key);
    while (true) {
      long zero = memory.getLongVolatile(leaseAt(hand, 0));
      long one = memory.getLongVolatile(leaseAt(hand, 1));
      long ofZero = LeaseWord.usable(zero, nowNs);
      long ofOne = LeaseWord.usable(one, nowNs);
      if (ofZero + ofOne < units) {
        return false;
      }
      boolean isZeroFirst =
          ofOne == 0 || ofZero != 0 && LeaseWord.end(zero) - LeaseWord.end(one) <= 0;
      long fromZero = isZeroFirst ? Math.min(ofZero, units) : units - Math.min(ofOne, units);
      long fromOne = units - fromZero;
      if (fromZero > 0 && !cas(hand, 0, zero, zero - fromZero)) {
        continue;
      }
      if (fromOne > 0 && !cas(hand, 1, one, one - fromOne)) {
        if (fromZero > 0) {
          putBack(hand, 0, fromZero, LeaseWord.end(zero));
        }
        continue;
      }
      into.hand = hand;
      into.unitsOfZero = fromZero;
      into.unitsOfOne = fromOne;
      into.endOfZero = LeaseWord.end(zero);
      into.endOfOne = LeaseWord.end(one);
      if (keys.getLongVolatile(hand * KEY_BYTES) != named) {
        putBack(into);
        return false;
      }
      into.left = ofZero + ofOne - units;
      into.leftNs =
          Math.max(
              ofZero > 0 ? LeaseWord.leftNs(zero, nowNs) : 0,
              ofOne > 0 ? LeaseWord.leftNs(one, nowNs) : 0);
      return true;
    }
  }

  /**
   * Puts units back into the leases that they were taken from, with their old end. One that is gone
   * or whose life is over takes none back: such units stay charged, as if they had been used.
   *
   * @return units that were put back.
   */
  public long putBack(Taken taken) {
    return putBack(taken.hand, 0, taken.unitsOfZero, taken.endOfZero)
        + putBack(taken.hand, 1, taken.unitsOfOne, taken.endOfOne);
  }

  private long putBack(int hand, int lease, long units, long end) {
    long seen = memory.getLongVolatile(leaseAt(hand, lease));
    while (units > 0 && seen != LeaseWord.RESERVED && LeaseWord.end(seen) == end) {
      if (cas(hand, lease, seen, seen + units)) {
        return units;
      }
      seen = memory.getLongVolatile(leaseAt(hand, lease));
    }
    return 0;
  }

  /**
   * Reserves a place for a lease that a key is to have. Until {@link #publish} it is this thread's
   * own.
   *
   * @return 0 to {@link #LEASES_PER_HAND} - 1; {@link #NO_PLACE} if all are taken, or the hand is
   *     another key's by now.
   */
  public int reserve(int hand, long key) {
    for (int lease = 0; lease < LEASES; lease++) {
      long seen = memory.getLongVolatile(leaseAt(hand, lease));
      if (seen != LeaseWord.RESERVED
          && LeaseWord.units(seen) == 0
          && cas(hand, lease, seen, LeaseWord.RESERVED)) {
        if (keys.getLongVolatile(hand * KEY_BYTES) == named(key)) {
          return lease;
        }
        free(hand, lease);
        return NO_PLACE;
      }
    }
    return NO_PLACE;
  }

  /**
   * Makes a reserved lease one whose units may be taken.
   *
   * @param units 1 to {@link #MAX_UNITS}.
   * @param endNs at which none may be used any more.
   * @return what names the lease among those of its place.
   */
  public long publish(int hand, int lease, long units, long endNs) {
    long word = LeaseWord.of(units, endNs);
    memory.putLongVolatile(leaseAt(hand, lease), word);
    return LeaseWord.end(word);
  }

  /** Names the lease with units that is in a place; 0 if there is none. */
  public long lease(int hand, int place) {
    long word = memory.getLongVolatile(leaseAt(hand, place));
    return LeaseWord.units(word) == 0 ? 0 : LeaseWord.end(word);
  }

  /** Whether the units of a lease can still be used. */
  public static boolean isAlive(long lease, long nowNs) {
    return LeaseWord.isAlive(lease, nowNs);
  }

  /**
   * Takes all units of a lease out of its place, which is reserved from then on, until {@link
   * #free} or {@link #restore}. If there are none, the lease is forgotten, and takes none back.
   *
   * @return units; 0 if there were none, and nothing is reserved.
   */
  public long takeOut(int hand, int place, long lease) {
    long seen = memory.getLongVolatile(leaseAt(hand, place));
    while (seen != LeaseWord.RESERVED && LeaseWord.end(seen) == lease) {
      long units = LeaseWord.units(seen);
      if (cas(hand, place, seen, units == 0 ? LeaseWord.NOTHING : LeaseWord.RESERVED)) {
        return units;
      }
      seen = memory.getLongVolatile(leaseAt(hand, place));
    }
    return 0;
  }

  /** Puts all units that were taken out back where they were. */
  public void restore(int hand, int place, long lease, long units) {
    memory.putLongVolatile(leaseAt(hand, place), lease | units);
  }

  /** Gives up a reserved place. */
  public void free(int hand, int lease) {
    memory.putLongVolatile(leaseAt(hand, lease), LeaseWord.NOTHING);
  }

  /** Units that may be used by a key now; 0 if it has no hand. */
  public long usable(long key, long nowNs) {
    int hand = find(key);
    long units = 0;
    for (int lease = 0; hand != NONE && lease < LEASES; lease++) {
      units += LeaseWord.usable(memory.getLongVolatile(leaseAt(hand, lease)), nowNs);
    }
    return units;
  }

  /** Units in all hands. Reads all of them: for who looks, not for who decides. */
  public long heldUnits() {
    long units = 0;
    for (int hand = 0; hand < count; hand++) {
      for (int lease = 0; lease < LEASES; lease++) {
        units += LeaseWord.units(memory.getLongVolatile(leaseAt(hand, lease)));
      }
    }
    return units;
  }

  /** Hands that keys have. Reads all of them. */
  public int keyCount() {
    int used = 0;
    for (int hand = 0; hand < count; hand++) {
      used += keys.getLongAcquire(hand * KEY_BYTES) == FREE ? 0 : 1;
    }
    return used;
  }

  /**
   * Says that an ask for units to keep goes out, unless one is under way.
   *
   * @param forgottenNs when it is not waited for any longer, whatever became of it.
   */
  boolean ask(int hand, long nowNs, long forgottenNs) {
    int at = at(hand, ASKED_OFFSET);
    long seen = memory.getLongAcquire(at);
    return seen <= nowNs && memory.compareAndSetLong(at, seen, forgottenNs);
  }

  boolean isAsked(int hand, long nowNs) {
    return memory.getLongAcquire(at(hand, ASKED_OFFSET)) > nowNs;
  }

  /** The ask has its answer, or never left; one that was forgotten changes nothing. */
  void answered(int hand, long forgottenNs) {
    memory.compareAndSetLong(at(hand, ASKED_OFFSET), forgottenNs, 0);
  }

  long ahead(int hand) {
    return memory.getLongAcquire(at(hand, AHEAD_OFFSET));
  }

  boolean aheadCas(int hand, long expected, long word) {
    return memory.compareAndSetLong(at(hand, AHEAD_OFFSET), expected, word);
  }

  long spacing(int hand) {
    return memory.getLongAcquire(at(hand, SPACING_OFFSET));
  }

  boolean spacingCas(int hand, long expected, long word) {
    return memory.compareAndSetLong(at(hand, SPACING_OFFSET), expected, word);
  }

  /**
   * Notes what the store said is left.
   *
   * @param remaining any number that means something to {@link #remaining}'s reader.
   */
  public void note(int hand, long remaining, long resetAtNs) {
    memory.putLongRelease(at(hand, REMAINING_OFFSET), remaining);
    memory.putLongRelease(at(hand, RESET_AT_OFFSET), resetAtNs);
  }

  /** The last note. */
  public long remaining(int hand) {
    return memory.getLongAcquire(at(hand, REMAINING_OFFSET));
  }

  /** The time that was noted last. */
  public long resetAtNs(int hand) {
    return memory.getLongAcquire(at(hand, RESET_AT_OFFSET));
  }

  private boolean cas(int hand, int lease, long expected, long word) {
    return memory.compareAndSetLong(leaseAt(hand, lease), expected, word);
  }

  /** A key as it is kept: two numbers mean something else. */
  private static long named(long key) {
    return key == FREE || key == CLAIMED ? ~key : key;
  }

  /** The entry where the search for a key's hand begins, and mostly ends. */
  private int first(long key) {
    return (int) (key ^ key >>> 32) & handMask;
  }

  /** The way behind another one of the same line. */
  private static int next(int hand) {
    return hand & -WAYS | hand + 1 & WAYS - 1;
  }

  private static int leaseAt(int hand, int lease) {
    return hand * HAND_BYTES + LEASE_OFFSET + lease * Long.BYTES;
  }

  private static int at(int hand, int offset) {
    return hand * HAND_BYTES + offset;
  }

  /** Frees the memory. No thread may be inside a call. */
  @Override
  public void close() {
    memory.wrap(0, 0);
    keys.wrap(0, 0);
    BufferUtil.free(allocated);
  }
}
