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
  private ScriptLimit[] limits;
  private long[] costs;
  private long[] requests;
  private int size;

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

  /** More requests that have passed. */
  void add(
      byte[] key,
      int offset,
      int length,
      long hash,
      ScriptLimit limit,
      long requestCount,
      long cost) {
    if (keys == null) {
      keys = new byte[SLOTS][];
      hashes = new long[SLOTS];
      limits = new ScriptLimit[SLOTS];
      costs = new long[SLOTS];
      requests = new long[SLOTS];
    }
    int slot = (int) (hash ^ hash >>> 32) & SLOTS - 1;
    while (keys[slot] != null) {
      if (hashes[slot] == hash
          && limits[slot] == limit
          && costs[slot] == cost
          && Arrays.equals(keys[slot], 0, keys[slot].length, key, offset, offset + length)) {
        requests[slot] += requestCount;
        return;
      }
      slot = slot + 1 & SLOTS - 1;
    }
    if (size == MAX_BUDGETS) {
      observer.storeDebts(requestCount, false);
      return;
    }
    keys[slot] = Arrays.copyOfRange(key, offset, offset + length);
    hashes[slot] = hash;
    limits[slot] = limit;
    costs[slot] = cost;
    requests[slot] = requestCount;
    size++;
  }

  /** Moves debts of a lane's partitions into a flight, as many as it has room for. */
  void moveTo(Flight flight, Lane lane, long nowNs) {
    for (int slot = 0; slot < SLOTS && size > 0; slot++) {
      byte[] key = keys[slot];
      if (key != null && lane.has(Partitions.of(hashes[slot])) && flight.hasRoom(key.length)) {
        // Not more than the budget holds: else a double could not count it.
        long most = Math.max(1, limits[slot].capacity() / costs[slot]);
        long charged = Math.min(requests[slot], most);
        flight.add(
            Flight.DEBT,
            key,
            0,
            key.length,
            hashes[slot],
            limits[slot],
            charged,
            costs[slot],
            true,
            nowNs);
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
