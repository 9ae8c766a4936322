package dev.weir.proxy.redis;

import dev.weir.proxy.request.StoreObserver;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * What passed while the store gave no decision, by budget, to be charged when it does again. The
 * charge takes no more than the budget holds, so a long outage costs a client one full budget, and
 * there is no second burst.
 *
 * <p>Room for {@link #MAX_BUDGETS}; what finds none is forgotten, and counted. One per event loop;
 * takes its memory at the first debt.
 */
final class Debts {
  static final int MAX_BUDGETS = 4096;

  private static final int SLOTS = 2 * MAX_BUDGETS;

  private final StoreObserver observer;
  private byte[][] keys;
  private long[] hashes;
  private ScriptLimit[][] limits;
  private long[] costs;
  private long[] requests;
  private int size;

  /** The one that is being moved. */
  private final StoreKeys moved = new StoreKeys(1);

  Debts(StoreObserver observer) {
    this.observer = observer;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Whether there are any that a lane may carry. */
  boolean has(Lane lane) {
    for (int slot = 0; slot < SLOTS && size > 0; slot++) {
      if (keys[slot] != null && lane.has(Partitions.of(hashes[slot]))) {
        return true;
      }
    }
    return false;
  }

  /**
   * More requests that have passed, for each of some budgets: what one of them has no room for is
   * still charged to the others.
   *
   * @param from its keys, from the first on as many as there are limits.
   */
  void add(StoreKeys from, int first, ScriptLimit[] of, long requestCount, long cost) {
    for (int i = 0; i < of.length; i++) {
      add(from, first + i, of[i], requestCount, cost);
    }
  }

  private void add(StoreKeys from, int key, ScriptLimit limit, long requestCount, long cost) {
    if (keys == null) {
      keys = new byte[SLOTS][];
      hashes = new long[SLOTS];
      limits = new ScriptLimit[SLOTS][];
      costs = new long[SLOTS];
      requests = new long[SLOTS];
    }
    long hash = from.hash(key);
    int start = from.start(key);
    int end = start + from.length(key);
    int slot = (int) (hash ^ hash >>> 32) & SLOTS - 1;
    while (keys[slot] != null) {
      if (hashes[slot] == hash
          && limits[slot][0] == limit
          && costs[slot] == cost
          && Arrays.equals(keys[slot], 0, keys[slot].length, from.bytes(), start, end)) {
        requests[slot] += requestCount;
        return;
      }
      slot = slot + 1 & SLOTS - 1;
    }
    if (size == MAX_BUDGETS) {
      observer.storeDebts(requestCount, false);
      return;
    }
    keys[slot] = Arrays.copyOfRange(from.bytes(), start, end);
    hashes[slot] = hash;
    limits[slot] = new ScriptLimit[] {limit};
    costs[slot] = cost;
    requests[slot] = requestCount;
    size++;
  }

  /** Moves debts of a lane's partitions into a flight, as many as it has room for. */
  void moveTo(Flight flight, Lane lane, long nowNs) {
    for (int slot = 0; slot < SLOTS && size > 0; slot++) {
      byte[] key = keys[slot];
      if (key != null && lane.has(Partitions.of(hashes[slot])) && flight.hasRoom(1, key.length)) {
        // Not more than the budget holds: else a double could not count it.
        long most = Math.max(1, limits[slot][0].capacity() / costs[slot]);
        long charged = Math.min(requests[slot], most);
        moved.clear();
        moved.buffer().putBytes(0, key);
        moved.addHashed(key.length, hashes[slot], 0);
        flight.add(Flight.DEBT, moved, 0, limits[slot], charged, costs[slot], true, nowNs);
        remove(slot);
        slot--; // another may have moved here
      }
    }
  }

  /** Closes the gap, so that whoever probed past it is still found. */
  private void remove(int removed) {
    size--;
    int gap = removed;
    for (int slot = gap + 1 & SLOTS - 1; keys[slot] != null; slot = slot + 1 & SLOTS - 1) {
      int home = (int) (hashes[slot] ^ hashes[slot] >>> 32) & SLOTS - 1;
      if ((slot - home & SLOTS - 1) >= (slot - gap & SLOTS - 1)) {
        keys[gap] = keys[slot];
        hashes[gap] = hashes[slot];
        limits[gap] = limits[slot];
        costs[gap] = costs[slot];
        requests[gap] = requests[slot];
        gap = slot;
      }
    }
    keys[gap] = null;
    limits[gap] = null;
  }
}
