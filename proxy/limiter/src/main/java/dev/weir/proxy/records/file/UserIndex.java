package dev.weir.proxy.records.file;

import dev.weir.algorithms.SipHash;
import java.util.function.LongConsumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where the line of each user is: a table of pairs of words, the hash of the identity and the
 * place. A slot follows from the upper bits of the hash, the next free one is taken (linear
 * probing), so {@link #page} goes through users in the order of their hashes, whatever the size of
 * the table.
 *
 * <p>Who reads a line compares the identity: two that have one hash are told apart, and the second
 * is not taken in.
 */
final class UserIndex {
  /** The most users: 2^21 slots, 32 MiB. */
  static final int MOST = 1 << 20;

  static final long NONE = 0;

  /** Not secret: a page of users goes on after a restart. */
  private static final SipHash HASH = new SipHash(0x77656972L, 0x7573657273L);

  private final UnsafeBuffer text = new UnsafeBuffer(0, 0);
  private int bits;
  private long[] words;
  private int size;

  UserIndex() {
    this(10);
  }

  private UserIndex(int bits) {
    this.bits = bits;
    words = new long[2 << bits];
  }

  /** Returns the hash of an identity, as a line has it with its quotation marks. */
  long hash(byte[] bytes, int start, int length) {
    text.wrap(bytes, start, length);
    return HASH.hash(text, 0, length);
  }

  int size() {
    return size;
  }

  /** Returns a user's place; {@link #NONE} if there is none. */
  long get(long hash) {
    return words[2 * slot(hash) + 1];
  }

  /** Sets a user's place. */
  void put(long hash, long place) {
    int slot = slot(hash);
    if (words[2 * slot + 1] == NONE) {
      size++;
    }
    words[2 * slot] = hash;
    words[2 * slot + 1] = place;
    if (size > words.length / 4) {
      grow();
    }
  }

  /** Removes a user, and moves up whoever stands behind for lack of that slot. */
  void remove(long hash) {
    int free = slot(hash);
    if (words[2 * free + 1] == NONE) {
      return;
    }
    size--;
    int mask = mask();
    for (int slot = free + 1 & mask; words[2 * slot + 1] != NONE; slot = slot + 1 & mask) {
      int behindHome = slot - home(words[2 * slot]) & mask;
      if (behindHome >= (slot - free & mask)) {
        words[2 * free] = words[2 * slot];
        words[2 * free + 1] = words[2 * slot + 1];
        free = slot;
      }
    }
    words[2 * free] = 0;
    words[2 * free + 1] = NONE;
  }

  /**
   * Gives the places of users, in the order of the upper bits of their hashes.
   *
   * @param after what this returned for the page before; 0 for the first.
   * @param most about how many.
   * @return where to go on; 0 at the end.
   */
  long page(long after, int most, LongConsumer places) {
    int mask = mask();
    int given = 0;
    for (int home = home(after); home <= mask; home++) {
      if (given >= most) {
        return (long) home << (64 - bits);
      }
      for (int slot = home; words[2 * slot + 1] != NONE; slot = slot + 1 & mask) {
        if (home(words[2 * slot]) == home) {
          places.accept(words[2 * slot + 1]);
          given++;
        }
      }
    }
    return 0;
  }

  private int mask() {
    return (1 << bits) - 1;
  }

  private int home(long hash) {
    return (int) (hash >>> (64 - bits));
  }

  /** Returns the slot of a hash, or the free one that it would take. */
  private int slot(long hash) {
    int slot = home(hash);
    while (words[2 * slot + 1] != NONE && words[2 * slot] != hash) {
      slot = slot + 1 & mask();
    }
    return slot;
  }

  private void grow() {
    UserIndex larger = new UserIndex(bits + 1);
    for (int at = 0; at < words.length; at += 2) {
      if (words[at + 1] != NONE) {
        int slot = larger.slot(words[at]);
        larger.words[2 * slot] = words[at];
        larger.words[2 * slot + 1] = words[at + 1];
      }
    }
    bits = larger.bits;
    words = larger.words;
  }
}
