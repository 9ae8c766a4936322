package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreKeys;

/**
 * Is told when what an event loop knows of budgets in the store may not hold any longer; on that
 * loop.
 */
public interface BudgetListener {
  /** Knows nothing of budgets. */
  BudgetListener NONE =
      new BudgetListener() {
        @Override
        public void givenBack(StoreKeys keys, int key, long cost) {}

        @Override
        public void forget(byte[] name, int partition) {}

        @Override
        public void forgetAll() {}
      };

  /**
   * Units go back to a budget: that it had nothing left proves nothing any longer. Told when it is
   * on its way and again when it has arrived, before anything that was decided after it: what was
   * decided before may be told in between.
   *
   * @param key which of the keys is that of the budget.
   * @param cost units of it that each request took.
   */
  void givenBack(StoreKeys keys, int key, long cost);

  /**
   * A budget was given back by hand, whatever the costs of the requests that it refused: what was
   * decided before proves nothing any longer.
   *
   * @param name in the store.
   * @param partition of the name.
   */
  void forget(byte[] name, int partition);

  /** Budgets were given back by hand, and may be any: what was decided before proves nothing. */
  void forgetAll();

  /**
   * A server may have taken the place of another, for any partition: see {@link LoopStore#server}.
   * What was kept of another one's budgets may be unknown to it.
   */
  default void serversChanged() {}
}
