package dev.weir.proxy.store;

import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;

/**
 * The requests that passed while the store gave no decision, by budget, to be charged when it
 * decides again: as far as they still count then ({@link Debt}), and no more than a full budget. So
 * a long outage costs a client one full budget at most, and there is no second burst.
 *
 * <p>There is room for {@link #MAX_BUDGETS}; requests of further budgets are counted and not
 * charged. Debts are kept by partition, and each shard knows the number of its own, so a server
 * that is away costs others nothing. One per event loop; half a kilobyte per debt, reused, and 32
 * KiB.
 */
final class Debts {
  static final int MAX_BUDGETS = 4096;

  private static final int BUCKETS = 2 * MAX_BUDGETS;

  /** The partitions that are searched for an expired debt when there is no room. */
  private static final int LOOKS = 4;

  private final StoreObserver observer;

  /** The shard that may carry the debts of each partition, or null. */
  private final Shard[] shards = new Shard[Partitions.COUNT];

  /** The debts, by the hash of their keys. */
  private final Debt[] buckets = new Debt[BUCKETS];

  /** The debts of each partition, in the order they came. */
  private final Debt[] first = new Debt[Partitions.COUNT];

  private final Debt[] last = new Debt[Partitions.COUNT];
  private final int[] counts = new int[Partitions.COUNT];
  private int size;

  private final FreeList<Debt> freePaced = new FreeList<>(MAX_BUDGETS, PacedDebt::new);
  private final FreeList<Debt> freeOfWindows = new FreeList<>(MAX_BUDGETS, WindowDebt::new);
  private int nextLook;
  private long lookCount;

  /** The key of the debt that is being sent. */
  private final StoreKeys sentKey = new StoreKeys(1);

  private final StoreQuestion sent = new StoreQuestion();

  Debts(StoreObserver observer) {
    this.observer = observer;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Debts that were searched so far. */
  long lookCount() {
    return lookCount;
  }

  /** Assigns a partition's debts to a shard; null if no shard may carry them. */
  void assign(int partition, Shard shard) {
    if (shards[partition] != null) {
      shards[partition].debtCount -= counts[partition];
    }
    shards[partition] = shard;
    if (shard != null) {
      shard.debtCount += counts[partition];
    }
  }

  /**
   * Adds requests that passed to the debt of a budget.
   *
   * @param from holds the budget's key at {@code key}.
   * @param cost units of the budget that each request took.
   * @param passedNs when, or earlier.
   */
  void add(
      StoreKeys from,
      int key,
      ScriptLimit limit,
      long requests,
      long cost,
      long passedNs,
      long nowNs) {
    int bucket = bucket(from.hash(key));
    Debt debt = buckets[bucket];
    while (debt != null && !debt.isOf(from, key, limit, cost)) {
      debt = debt.nextAlike;
    }
    if (debt == null) {
      makeRoom(nowNs);
      if (size == MAX_BUDGETS) {
        observer.storeDebts(requests, false);
        return;
      }
      debt = insert(from, key, limit, cost, bucket);
    }
    debt.add(requests, passedNs, nowNs);
  }

  private Debt insert(StoreKeys from, int key, ScriptLimit limit, long cost, int bucket) {
    Debt debt = (limit.isPaced() ? freePaced : freeOfWindows).take();
    debt.begin(from, key, limit, cost);
    debt.nextAlike = buckets[bucket];
    buckets[bucket] = debt;
    append(from.partition(key), debt);
    count(from.partition(key), 1);
    return debt;
  }

  private void count(int partition, int change) {
    size += change;
    counts[partition] += change;
    if (shards[partition] != null) {
      shards[partition].debtCount += change;
    }
  }

  /** Whether a shard has debts that are still to be charged. */
  boolean owes(Shard shard, long nowNs) {
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      while (first[partition] != null && shards[partition] == shard) {
        lookCount++;
        if (first[partition].requests(nowNs) > 0) {
          return true;
        }
        removeFirst(partition);
      }
    }
    return false;
  }

  /** Moves a shard's debts to a batch, as many as there is room for. */
  void moveTo(Batch batch, Shard shard, long nowNs) {
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      while (first[partition] != null && shards[partition] == shard) {
        lookCount++;
        if (!moveTo(batch, shard.link().serverTime(), first[partition], nowNs)) {
          return;
        }
        removeFirst(partition);
      }
    }
  }

  /** False if there was no room for all of it. */
  private boolean moveTo(Batch batch, ServerTime of, Debt debt, long nowNs) {
    sentKey.clear();
    debt.writeKey(sentKey);
    for (long requests = debt.requests(nowNs); requests > 0; requests = debt.requests(nowNs)) {
      if (!batch.hasRoom(1, sentKey.length(0))) {
        return false;
      }
      sent.debt().of(sentKey, 0, debt.limit().alone()).cost(debt.cost()).upTo(requests);
      batch.owe(sent, debt.passedNs(requests), of);
      debt.removeOldest();
    }
    return true;
  }

  /** Drops expired debts when there is no room; each call searches other partitions. */
  private void makeRoom(long nowNs) {
    for (int look = 0; look < LOOKS && size == MAX_BUDGETS; look++) {
      int partition = nextLook++ & Partitions.COUNT - 1;
      Debt debt = first[partition];
      if (debt == null) {
        continue;
      }
      if (debt.requests(nowNs) == 0) {
        removeFirst(partition);
      } else if (debt.next != null) {
        first[partition] = debt.next;
        append(partition, debt);
      }
    }
  }

  private void append(int partition, Debt debt) {
    debt.next = null;
    if (first[partition] == null) {
      first[partition] = debt;
    } else {
      last[partition].next = debt;
    }
    last[partition] = debt;
  }

  private void removeFirst(int partition) {
    Debt removed = first[partition];
    first[partition] = removed.next;
    int bucket = bucket(removed.hash());
    if (buckets[bucket] == removed) {
      buckets[bucket] = removed.nextAlike;
    } else {
      Debt before = buckets[bucket];
      while (before.nextAlike != removed) {
        before = before.nextAlike;
      }
      before.nextAlike = removed.nextAlike;
    }
    count(partition, -1);
    removed.nextAlike = null;
    (removed instanceof PacedDebt ? freePaced : freeOfWindows).give(removed);
  }

  private static int bucket(long hash) {
    return (int) (hash ^ hash >>> 32) & BUCKETS - 1;
  }
}
