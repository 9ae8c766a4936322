package dev.weir.proxy.admission;

import java.util.Arrays;

/**
 * Refusals that the store's last answers prove: that a budget has nothing for a request before a
 * certain time. Until then, or until the proof is to be had anew, the same request is refused here,
 * and the store is not asked; not a moment later, and never on a guess. Nothing is lost when an
 * entry is: the store is asked again.
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
   * Notes that there is nothing for such a request before {@code retryAt}.
   *
   * @param key of the budget and of what the request takes from it.
   * @param until when the store is to be asked again, if that is earlier.
   * @return where.
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
   * Since when the store has refused such requests, whenever it was asked: that of the answer which
   * was noted last, if the next one was asked for within a gap after that.
   *
   * @param sentNs when the present answer was asked for, which is a refusal too.
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

  /** Notes since when all answers about an entry's requests have been refusals. */
  void refusedSince(int entry, long ns) {
    refusedSinceNs[entry] = ns;
  }

  /** Notes the hash of the name of an entry's budget. */
  void name(int entry, long hash) {
    names[entry] = hash;
  }

  /**
   * Forgets all that was noted for the budget of a name, whatever requests take from it. Looks at
   * every entry, so it is for what people do.
   */
  void forgetNamed(long hash) {
    for (int i = 0; i < names.length; i++) {
      if (names[i] == hash) {
        untilNs[i] = 0;
      }
    }
  }

  /**
   * The place of the proof for such a request that holds at {@code nowNs}; negative if there is
   * none.
   */
  int find(long key, long nowNs) {
    int first = first(key);
    for (int i = first; i < first + WAYS; i++) {
      if (keys[i] == key && nowNs < untilNs[i]) {
        return i;
      }
    }
    return -1;
  }

  /** Forgets what was noted for such a request. */
  void forget(long key) {
    int first = first(key);
    for (int i = first; i < first + WAYS; i++) {
      if (keys[i] == key) {
        untilNs[i] = 0;
      }
    }
  }

  /** Forgets them all. */
  void clear() {
    Arrays.fill(untilNs, 0);
  }

  /** Before which there is nothing, as far as is known. */
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
