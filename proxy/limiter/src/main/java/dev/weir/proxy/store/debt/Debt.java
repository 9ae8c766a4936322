package dev.weir.proxy.store.debt;

import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * The debt of one budget, for requests that passed while the store gave no decision. It shrinks as
 * the budget would have come back: units that have drained, or that passed in a window that is
 * over, are owed no more. So it has parts, oldest first, each of so many requests that count as if
 * all of them had passed at one time: never later than they did. Its memory does not grow with what
 * is added.
 *
 * <p>Times are those of the event loop's clock; it is the server that knows where a window ends.
 */
abstract sealed class Debt permits PacedDebt, WindowDebt {
  private byte[] key = {};
  private int keyLength;
  private long hash;
  private ScriptLimit limit;
  private long cost;
  private long most;

  /** Another one whose key's hash is alike. */
  Debt nextAlike;

  /** The next one of the partition. */
  Debt next;

  /**
   * Becomes the debt of a budget, by one of some keys: nothing so far. Forgets what it was before.
   */
  final void begin(StoreKeys keys, int index, ScriptLimit of, long ofCost) {
    keyLength = keys.length(index);
    if (key.length < keyLength) {
      key = new byte[keyLength];
    }
    System.arraycopy(keys.bytes(), keys.start(index), key, 0, keyLength);
    hash = keys.hash(index);
    limit = of;
    cost = ofCost;
    most = Math.max(1, of.capacity() / ofCost);
    begin(of);
  }

  /** Forgets what was owed: the limit is this one now. */
  abstract void begin(ScriptLimit of);

  /** Whether the debt is of that key, under that limit and for requests of that cost. */
  final boolean isOf(StoreKeys keys, int index, ScriptLimit ofLimit, long ofCost) {
    int start = keys.start(index);
    return hash == keys.hash(index)
        && limit == ofLimit
        && cost == ofCost
        && Arrays.equals(key, 0, keyLength, keys.bytes(), start, start + keys.length(index));
  }

  /** Adds the key to others. */
  final void writeKey(StoreKeys to) {
    int start = to.end();
    to.buffer().putBytes(start, key, 0, keyLength);
    to.addHashed(start + keyLength, hash, 0);
  }

  /** The hash of the key, as {@link StoreKeys#hash} has it. */
  final long hash() {
    return hash;
  }

  final ScriptLimit limit() {
    return limit;
  }

  /** Requests that make a full budget, at least 1: more is never owed at one time. */
  final long most() {
    return most;
  }

  final long cost() {
    return cost;
  }

  /** Adds requests that have passed, now or earlier. */
  abstract void add(long requests, long passedNs, long nowNs);

  /** The requests of the oldest part that is still owed; 0 if nothing is. */
  abstract long requests(long nowNs);

  /**
   * When the requests of the oldest part passed.
   *
   * @param requests as {@link #requests} has them.
   */
  abstract long passedNs(long requests);

  /** Drops the oldest part: it is owed no more. */
  abstract void removeOldest();
}
