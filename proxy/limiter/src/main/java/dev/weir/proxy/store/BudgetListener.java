package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreKeys;

/**
 * Learns, on one event loop, that what the loop knows of budgets in the store may not hold any
 * longer.
 */
public interface BudgetListener {
  /**
   * Units go back to a budget, so earlier refusals of it are no proof. Called when the refund is
   * sent, and again when it has arrived, before any decision that was made after it; decisions that
   * were made before may come in between.
   *
   * @param key index of the budget's key.
   * @param cost units of it that each request took.
   */
  void givenBack(StoreKeys keys, int key, long cost);

  /**
   * An operator has reset a budget, so earlier refusals of it are no proof, at any cost.
   *
   * @param name in the store.
   * @param partition of the name.
   */
  void forget(byte[] name, int partition);

  /** An operator has reset budgets, and it is unknown which: no earlier refusal is proof. */
  void forgetAll();

  /**
   * A server may have replaced another for any partition ({@link LoopStore#server}), and may not
   * know what is kept of the other's budgets.
   */
  default void serversChanged() {}
}
