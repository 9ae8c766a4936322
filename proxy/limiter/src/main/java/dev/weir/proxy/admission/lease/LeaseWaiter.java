package dev.weir.proxy.admission.lease;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.StoreCallback;
import dev.weir.proxy.store.map.StoreKeys;

/** A request to the store that may wait for an ask under way for its key, before it is asked. */
public abstract class LeaseWaiter implements StoreCallback {
  /** The hand of its only group; {@link LeaseTable#NONE} if it has none. */
  public int hand;

  /** Until when all that it waits for has to be there. */
  public long deadlineNs;

  /** The waiter behind it, of those that wait for the same ask. */
  LeaseWaiter nextWaiter;

  /** The key of its hand. */
  public abstract long handKey();

  /** The only group of budgets that the store has of it. */
  public abstract BudgetGroup handGroup();

  /** Units that it takes of each limit, where all are the same. */
  public abstract long handCost();

  /**
   * Begins to wait for an ask; the store may have to be asked later.
   *
   * @param keys of its budgets, valid during the call.
   */
  public abstract void waits(StoreKeys keys);

  /** The ask that it waited for has ended, or takes too long. */
  public abstract void served();
}
