package dev.weir.proxy.admission;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.Verdict.State;
import dev.weir.proxy.rule.Rule;

/**
 * The keys that are in state WARNING or THROTTLED, under rules with {@code warn-at}. They return to
 * NORMAL only {@link #BACK_PERMILLE} lower, so that a client near the mark does not see the state
 * change with each request. Keys in state NORMAL are not kept.
 *
 * <p>Sets of {@link #WAYS} keys, in each of which the clock algorithm evicts: a hand passes over
 * the keys, takes the first that was not met since it came by last, and marks the others as not
 * met. A key that was evicted is judged as a new one. The hashes of identities are secret, so
 * nobody chooses a set. Memory is taken when the first key warns. One per event loop.
 */
final class WarnedKeys {
  /** The most keys that are kept. */
  static final int COUNT = 16 * 1024;

  private static final int WAYS = 8;
  private static final int BACK_PERMILLE = 100;
  private static final long NONE = 0;

  private long[] keys;
  private boolean[] met;

  /** The place within each set that its hand points at. */
  private byte[] hands;

  /** The key of a question under a rule: of all its identities. */
  static long key(Rule rule, Charges charges) {
    long key = rule.id().hashCode();
    for (int group = 0; group < charges.groupCount(); group++) {
      key = SipHash.mix(key ^ charges.hash(group));
    }
    return key == NONE ? 1 : key;
  }

  /**
   * The state that the budget of a verdict makes, which is kept.
   *
   * @param warnAtPermille of the rule.
   * @param settled with a budget that decided.
   */
  State state(long key, int warnAtPermille, Verdict settled) {
    int place = find(key);
    State state = settled.state(place < 0 ? warnAtPermille : warnAtPermille - BACK_PERMILLE);
    if (place >= 0) {
      keys[place] = state == State.NORMAL ? NONE : key;
      met[place] = true;
    } else if (state != State.NORMAL) {
      add(key);
    }
    return state;
  }

  /** The place of a key; negative if it is not kept. */
  private int find(long key) {
    int first = first(key);
    for (int place = first; keys != null && place < first + WAYS; place++) {
      if (keys[place] == key) {
        return place;
      }
    }
    return -1;
  }

  private static int first(long key) {
    return (int) (key & COUNT / WAYS - 1) * WAYS;
  }

  private void add(long key) {
    if (keys == null) {
      keys = new long[COUNT];
      met = new boolean[COUNT];
      hands = new byte[COUNT / WAYS];
    }
    int first = first(key);
    int set = first / WAYS;
    int place = first + hands[set];
    while (keys[place] != NONE && met[place]) {
      met[place] = false;
      place = first + (place - first + 1) % WAYS;
    }
    keys[place] = key;
    met[place] = false;
    hands[set] = (byte) ((place - first + 1) % WAYS);
  }
}
