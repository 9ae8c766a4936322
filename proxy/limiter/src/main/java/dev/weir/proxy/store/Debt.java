package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * The debt of one budget: requests that passed while the store gave no decision. It shrinks as the
 * budget would have come back: units that would have drained, or that passed in a window that is
 * over, are not charged any more. It has parts, oldest first; the requests of a part are charged as
 * if all had passed at one time, never later than they did. Its memory does not grow.
 *
 * <p>Times are those of the event loop's clock; only the server knows where a window ends.
 */
abstract sealed class Debt permits PacedDebt, WindowDebt {
  private byte[] key = {};
  private int keyLength;
  private long hash;
  private ScriptLimit limit;
  private long cost;
  private long most;

  /** The next debt with the same hash bucket. */
  Debt nextAlike;

  /** The next debt of the partition. */
  Debt next;

  /** Makes this the empty debt of a budget, by the index of its key. */
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

  /** Forgets all requests, and takes another limit. */
  abstract void begin(ScriptLimit of);

  /** Whether the debt has that key, limit and cost. */
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

  /** The requests that make a full budget, at least 1: a debt is never larger. */
  final long most() {
    return most;
  }

  final long cost() {
    return cost;
  }

  /** Adds requests that have passed, now or earlier. */
  abstract void add(long requests, long passedNs, long nowNs);

  /** The requests of the oldest part that is still to be charged; 0 if there is none. */
  abstract long requests(long nowNs);

  /**
   * When the requests of the oldest part passed.
   *
   * @param requests as {@link #requests} returns them.
   */
  abstract long passedNs(long requests);

  /** Drops the oldest part. */
  abstract void removeOldest();
}
