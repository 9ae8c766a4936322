package dev.weir.proxy.admission.lease;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.StoreCallback;
import dev.weir.proxy.store.map.StoreKeys;

/**
 * A question to the store that may wait for a lease that is being requested for its key, before it
 * is asked itself.
 */
public abstract class LeaseWaiter implements StoreCallback {
  /** The hand of its only group in the lease table; {@link LeaseTable#NONE} if it has none. */
  public int hand;

  /** Until when it must have its verdict. */
  public long deadlineNs;

  /** The next one that waits for the same lease. */
  LeaseWaiter nextWaiter;

  /** The key of that hand. */
  public abstract long handKey();

  /** The only group of budgets that it has at the store. */
  public abstract BudgetGroup handGroup();

  /** Units that it takes of each limit, if all are the same. */
  public abstract long handCost();

  /**
   * Begins to wait for a lease; the store may have to be asked later.
   *
   * @param keys of its budgets, valid during the call.
   */
  public abstract void waits(StoreKeys keys);

  /** The request for the lease has ended, or takes too long. */
  public abstract void served();
}
