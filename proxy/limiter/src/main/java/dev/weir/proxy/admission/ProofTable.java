package dev.weir.proxy.admission;

import java.util.Arrays;

/**
 * Refusals that the store's last answers prove: a budget has nothing for such a request before a
 * certain time. Until then, or until the proof has to be renewed, the same request is refused here
 * without asking the store; not a moment longer, and never on a guess. If an entry is lost, the
 * store is asked again.
 *
 * <p>Times are those of the loop's clock. One per event loop.
 */
final class ProofTable {
  private static final int WAYS = 4;

  private final int lineMask;
  private final long[] keys;
  private final long[] untilNs;
  private final long[] retryAtNs;
  private final long[] resetAtNs;
  private final long[] remaining;
  private final long[] names;
  private final long[] refusedSinceNs;

  /**
   * @param entryCount a power of two, 4 or more.
   */
  ProofTable(int entryCount) {
    lineMask = entryCount / WAYS - 1;
    keys = new long[entryCount];
    untilNs = new long[entryCount];
    retryAtNs = new long[entryCount];
    resetAtNs = new long[entryCount];
    remaining = new long[entryCount];
    names = new long[entryCount];
    refusedSinceNs = new long[entryCount];
  }

  /**
   * Records that there is nothing for such a request before {@code retryAt}.
   *
   * @param key of the budget and of the request's cost.
   * @param until when the store is to be asked again, if that is earlier.
   * @return the entry.
   */
  int note(long key, long until, long retryAt, long resetAt, long left) {
    int first = first(key);
    int at = first;
    for (int i = first; i < first + WAYS; i++) {
      if (keys[i] == key) {
        at = i;
        break;
      }
      if (untilNs[i] < untilNs[at]) {
        at = i;
      }
    }
    keys[at] = key;
    untilNs[at] = Math.min(until, retryAt);
    retryAtNs[at] = retryAt;
    resetAtNs[at] = resetAt;
    remaining[at] = left;
    return at;
  }

  /**
   * Since when the store has refused all such requests: the time recorded with the last refusal, if
   * the present one was asked for within {@code gapNs} after it.
   *
   * @param sentNs when the present refusal was asked for.
   */
  long refusedSinceNs(long key, long sentNs, long gapNs) {
    int first = first(key);
    for (int i = first; i < first + WAYS; i++) {
      if (keys[i] == key && sentNs < untilNs[i] + gapNs) {
        return refusedSinceNs[i];
      }
    }
    return sentNs;
  }

  /** Records since when all answers for an entry have been refusals. */
  void refusedSince(int entry, long ns) {
    refusedSinceNs[entry] = ns;
  }

  /** Records the hash of the name of an entry's budget. */
  void name(int entry, long hash) {
    names[entry] = hash;
  }

  /**
   * Forgets all entries of the budget with a name, whatever the cost. Reads the whole table: for
   * operators' resets.
   */
  void forgetNamed(long hash) {
    for (int i = 0; i < names.length; i++) {
      if (names[i] == hash) {
        untilNs[i] = 0;
      }
    }
  }

  /** The entry that refuses such a request at {@code nowNs}; negative if there is none. */
  int find(long key, long nowNs) {
    int first = first(key);
    for (int i = first; i < first + WAYS; i++) {
      if (keys[i] == key && nowNs < untilNs[i]) {
        return i;
      }
    }
    return -1;
  }

  /** Forgets the entry for such a request. */
  void forget(long key) {
    int first = first(key);
    for (int i = first; i < first + WAYS; i++) {
      if (keys[i] == key) {
        untilNs[i] = 0;
      }
    }
  }

  /** Forgets all entries. */
  void clear() {
    Arrays.fill(untilNs, 0);
  }

  /** The time before which there is nothing, as far as is known. */
  long retryAtNs(int entry) {
    return retryAtNs[entry];
  }

  long resetAtNs(int entry) {
    return resetAtNs[entry];
  }

  long remaining(int entry) {
    return remaining[entry];
  }

  private int first(long key) {
    return ((int) (key ^ key >>> 32) & lineMask) * WAYS;
  }
}
