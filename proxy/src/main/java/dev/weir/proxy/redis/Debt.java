package dev.weir.proxy.redis;

import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * What one budget owes for requests that passed while the store gave no decision. It comes back as
 * the budget would have: what has drained, or what passed in a window that is over, is owed no
 * more. So it has parts, oldest first, each of so many requests that count as if all of them had
 * passed at one time: never later than they did. Its memory does not grow with what is added.
 *
 * <p>Times are those of the event loop's clock; it is the server that knows where a window ends.
 */
abstract sealed class Debt permits PacedDebt, WindowDebt {
  private final byte[] key;
  private final long hash;
  private final ScriptLimit[] limits;
  private final long cost;

  /** Requests that make a full budget, at least 1: more is never owed at one time. */
  final long most;

  /** Another one whose key's hash is alike. */
  Debt nextAlike;

  /** The next one of the partition. */
  Debt next;

  Debt(byte[] key, long hash, ScriptLimit limit, long cost) {
    this.key = key;
    this.hash = hash;
    this.limits = new ScriptLimit[] {limit};
    this.cost = cost;
    most = Math.max(1, limit.capacity() / cost);
  }

  static Debt of(byte[] key, long hash, ScriptLimit limit, long cost) {
    return limit.isPaced()
        ? new PacedDebt(key, hash, limit, cost)
        : new WindowDebt(key, hash, limit, cost);
  }

  /** Whether it is that of one of some keys, under that limit and for requests of that cost. */
  final boolean isOf(StoreKeys keys, int index, ScriptLimit limit, long ofCost) {
    int start = keys.start(index);
    return hash == keys.hash(index)
        && limits[0] == limit
        && cost == ofCost
        && Arrays.equals(key, 0, key.length, keys.bytes(), start, start + keys.length(index));
  }

  final byte[] key() {
    return key;
  }

  /** Of the key, as {@link StoreKeys#hash} has it. */
  final long hash() {
    return hash;
  }

  /** The limit alone; the same array each time. */
  final ScriptLimit[] limits() {
    return limits;
  }

  final long cost() {
    return cost;
  }

  /** So many requests have passed, now or earlier. */
  abstract void add(long requests, long passedNs, long nowNs);

  /** The requests of the oldest part that is still owed; 0 if nothing is. */
  abstract long requests(long nowNs);

  /** When those passed; right after {@link #requests}. */
  abstract long passedNs();

  /** The oldest part is owed no more. */
  abstract void removeOldest();
}
