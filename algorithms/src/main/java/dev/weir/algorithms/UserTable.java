package dev.weir.algorithms;

import java.util.BitSet;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Which plan each user has: one word a user ({@link UserWord}), in one fixed piece of off-heap
 * memory. A user is a 64-bit hash under a secret ({@link SipHash}).
 *
 * <p><b>Guarantees.</b> A user whose slot was forgotten, or freed, is unknown: never is another
 * user's plan returned. Any thread may call anything; no call allocates, locks or waits, and each
 * ends after a bounded number of steps.
 *
 * <p><b>Slot</b>, 16 bytes, in windows as {@link Slots} has them:
 *
 * <pre>
 * byte    0                   8                    16
 *         | hash              | word               |
 * writer  | owner of a CLAIM  | any                |
 * store   | opaque, then CAS  | CAS                |
 * load    | acquire           | acquire            |
 * </pre>
 *
 * <p><b>A full window.</b> A newcomer takes the slot of a user who was not met since all users of
 * the window had been; so who makes requests keeps his slot, and who invents users has theirs.
 *
 * <p><b>One slot a user.</b> Who takes a slot publishes it, then looks for the same user's in the
 * window. Of two that add one user at least one sees both, as each publishes first; the earlier
 * place stays, the other one is freed, and its user unknown there.
 *
 * <p>Left open is a thread that stops inside {@link #word} until the slot has become another user's
 * and its own user's again; and one that stops inside {@link #set} until the slot is that of
 * another user with an equal word: it then takes the plan back at once.
 */
public final class UserTable implements AutoCloseable {
  /** The result of {@link #find} if the user has no slot. */
  public static final int NONE = -1;

  /** The most users of a table: half as many as it has slots, 2^26. */
  public static final int MAX_USER_COUNT = 1 << 25;

  static final int SLOT_BYTES = 16;
  private static final int HASH_OFFSET = 0;
  private static final int WORD_OFFSET = 8;
  private static final int CACHE_LINE_BYTES = 64;

  /** The share of slots in use up to which nearly every user finds room. */
  private static final double LOAD = 0.55;

  private static final int MAX_ATTEMPTS = 16;

  private final ZeroedMemory allocated;
  private final UnsafeBuffer memory;
  private final Counters counters;
  private final int slotMask;
  private final int window;

  /**
   * Allocates 16 bytes for each slot, of which the process takes pages as users come: 32 MiB for
   * 10^6 users.
   *
   * @param userCount from 1 to {@link #MAX_USER_COUNT}: users expected at once.
   * @throws IllegalArgumentException if it is not, or the memory is not to be had.
   */
  public UserTable(int userCount) {
    this(allocate(userCount), slotCount(userCount) * SLOT_BYTES);
  }

  private UserTable(ZeroedMemory allocated, int slotsBytes) {
    this(
        allocated,
        allocated.slice(0, slotsBytes),
        new Counters(allocated.slice(slotsBytes, Counters.COUNTERS_BYTES)));
  }

  /** A table on memory of a test's own, zeroed: a power of two of slots. */
  UserTable(UnsafeBuffer memory) {
    this(null, memory, new Counters(new UnsafeBuffer(new byte[Counters.COUNTERS_BYTES])));
  }

  private UserTable(ZeroedMemory allocated, UnsafeBuffer memory, Counters counters) {
    this.allocated = allocated;
    this.memory = memory;
    this.counters = counters;
    slotMask = memory.capacity() / SLOT_BYTES - 1;
    window = Math.min(Slots.WINDOW, slotMask + 1);
  }

  private static ZeroedMemory allocate(int userCount) {
    final int bytes = slotCount(userCount) * SLOT_BYTES + Counters.COUNTERS_BYTES;
    try {
      return ZeroedMemory.allocate(bytes, CACHE_LINE_BYTES);
    } catch (OutOfMemoryError e) {
      throw new IllegalArgumentException(
          "userCount: "
              + userCount
              + ", "
              + bytes
              + " bytes (expected: no more than the system gives)",
          e);
    }
  }

  /** Slots of a table for so many users, a power of two. */
  private static int slotCount(int userCount) {
    Bounds.range("userCount", userCount, 1, MAX_USER_COUNT);
    final int wanted = Math.max(LimitTable.MIN_SLOT_COUNT, (int) Math.ceil(userCount / LOAD));
    return Integer.highestOneBit(wanted - 1) << 1;
  }

  /**
   * Finds a user's slot.
   *
   * @return {@link #NONE} if the user has none.
   */
  public int find(long hash) {
    for (int position = 0; position < window; position++) {
      final int slot = Slots.probe(hash, position, slotMask);
      final long word = wordAcquire(slot);
      if (word == UserWord.EMPTY) {
        return NONE;
      }
      if (UserWord.isLive(word) && hashAcquire(slot) == hash) {
        if (!UserWord.isMet(word)) {
          wordCas(slot, word, word | UserWord.MET);
        }
        return slot;
      }
    }
    return NONE;
  }

  /**
   * Finds a user's slot, or gives the user one.
   *
   * @return {@link #NONE} if other threads took each that was free.
   */
  public int meet(long hash) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      final int found = find(hash);
      final int slot = found == NONE ? add(hash) : found;
      if (slot != NONE) {
        return slot;
      }
    }
    return NONE;
  }

  /**
   * Reads what is known of a user.
   *
   * @param slot found for this user.
   * @return 0 if the slot is not this user's any more.
   */
  public long word(int slot, long hash) {
    if (hashAcquire(slot) != hash) {
      return 0;
    }
    final long word = wordAcquire(slot);
    return UserWord.isLive(word) && hashAcquire(slot) == hash ? word & ~UserWord.MET : 0;
  }

  /** Whether a user's word is still this one. */
  public boolean isStill(int slot, long hash, long word) {
    return (wordAcquire(slot) & ~UserWord.MET) == word && hashAcquire(slot) == hash;
  }

  /**
   * Gives a user a plan. If it is another one, the present one becomes the plan before, and the
   * generation is the next; a user's first plan is also the one before.
   *
   * @param word what the user's word was; not 0.
   * @param plan from 1 to {@link UserWord#MAX_PLAN}.
   * @param source {@link UserWord#RECORD}, {@link UserWord#TOKEN}, {@link UserWord#HEADER}, or
   *     {@link UserWord#NOBODY}.
   * @param isKnown whether nobody has to be asked for it again.
   * @return false if the word has changed: then nothing has been done.
   * @throws IllegalArgumentException if the plan is out of range.
   */
  public boolean set(int slot, long hash, long word, int plan, int source, boolean isKnown) {
    Bounds.range("plan", plan, 1, UserWord.MAX_PLAN);
    return replace(slot, hash, word, UserWord.next(word, plan, source, isKnown));
  }

  /**
   * Makes a user unknown, so that somebody is asked which plan it is. Until that is answered the
   * plan is the last known one.
   *
   * @return whether the user has a slot.
   */
  public boolean forget(long hash) {
    // Ends: every failure means that another thread has changed the word.
    while (true) {
      final int slot = find(hash);
      final long word = slot == NONE ? 0 : word(slot, hash);
      if (word == 0) {
        return false;
      }
      if (replace(slot, hash, word, UserWord.forgotten(word))) {
        return true;
      }
    }
  }

  /** Makes all users unknown, as {@link #forget} does: a pass over the whole memory. */
  public void forgetAll() {
    for (int slot = 0; slot <= slotMask; slot++) {
      // Ends: every failure means that another thread has changed the word.
      long word = wordAcquire(slot);
      while (UserWord.isLive(word)
          && UserWord.isKnown(word)
          && !wordCas(slot, word, UserWord.forgotten(word))) {
        word = wordAcquire(slot);
      }
    }
  }

  /** Adds each user's plan and plan before: a pass over the whole memory. */
  public void addPlans(BitSet plans) {
    for (int slot = 0; slot <= slotMask; slot++) {
      final long word = wordAcquire(slot);
      if (UserWord.isLive(word) && UserWord.plan(word) != 0) {
        plans.set(UserWord.plan(word));
        plans.set(UserWord.planBefore(word));
      }
    }
  }

  /** Users whose slot another user took; they were unknown from then on. */
  public long forgottenCount() {
    return counters.count(Counters.EVICTED_OFFSET);
  }

  /** Slots in all. */
  public int slotCount() {
    return slotMask + 1;
  }

  /** Replaces a word that may have been met meanwhile. */
  private boolean replace(int slot, long hash, long word, long next) {
    final long met = wordAcquire(slot) & UserWord.MET;
    if (word == 0 || hashAcquire(slot) != hash || !wordCas(slot, word | met, next | met)) {
      return false;
    }
    return hashAcquire(slot) == hash || !wordCas(slot, next | met, word | met);
  }

  /** Gives a user a slot; {@link #NONE} if another thread was faster. */
  private int add(long hash) {
    final long claimId = counters.nextClaimId();
    final int position = claimable(hash, (int) claimId & (window - 1));
    final int slot = Slots.probe(hash, position, slotMask);
    final long before = wordAcquire(slot);
    final long claim = UserWord.CLAIMED | claimId;
    if (before < 0 || UserWord.isMet(before) || !wordCas(slot, before, claim)) {
      return NONE;
    }
    if (UserWord.isLive(before)) {
      counters.increment(Counters.EVICTED_OFFSET);
    }
    memory.putLongOpaque(slot * SLOT_BYTES + HASH_OFFSET, hash);
    wordCas(slot, claim, UserWord.unknown(claimId));
    UnsafeApi.fullFence();
    return first(hash, position);
  }

  /**
   * The place in a user's window that a newcomer takes: the first free one, or that of a user who
   * was not met since all of them had been.
   *
   * @param hand the place from which such a user is looked for.
   */
  private int claimable(long hash, int hand) {
    int unmet = NONE;
    for (int position = 0; position < window; position++) {
      final long word = wordAcquire(Slots.probe(hash, position, slotMask));
      if (word == UserWord.EMPTY || word == UserWord.FREE) {
        return position;
      }
      final boolean isNearer = unmet == NONE || unmet < hand && position >= hand;
      if (isNearer && UserWord.isLive(word) && !UserWord.isMet(word)) {
        unmet = position;
      }
    }
    if (unmet != NONE) {
      return unmet;
    }
    for (int position = 0; position < window; position++) {
      final int slot = Slots.probe(hash, position, slotMask);
      final long word = wordAcquire(slot);
      if (UserWord.isLive(word)) {
        wordCas(slot, word, word & ~UserWord.MET);
      }
    }
    return hand;
  }

  /** The first slot of a user, once one at {@code mine} has been published; others are freed. */
  private int first(long hash, int mine) {
    int first = NONE;
    for (int position = 0; position < window; position++) {
      final int slot = Slots.probe(hash, position, slotMask);
      long word = wordAcquire(slot);
      if (first == NONE && UserWord.isLive(word) && hashAcquire(slot) == hash) {
        first = slot;
      } else if (first != NONE) {
        // Ends: every failure means that another thread has changed the word.
        while (UserWord.isLive(word)
            && hashAcquire(slot) == hash
            && !wordCas(slot, word, UserWord.FREE)) {
          word = wordAcquire(slot);
        }
      }
    }
    return first;
  }

  private long wordAcquire(int slot) {
    return memory.getLongAcquire(slot * SLOT_BYTES + WORD_OFFSET);
  }

  private boolean wordCas(int slot, long expected, long next) {
    return memory.compareAndSetLong(slot * SLOT_BYTES + WORD_OFFSET, expected, next);
  }

  private long hashAcquire(int slot) {
    return memory.getLongAcquire(slot * SLOT_BYTES + HASH_OFFSET);
  }

  /** Frees the memory. No thread may be in a call. */
  @Override
  public void close() {
    memory.wrap(0, 0);
    allocated.free();
  }
}
