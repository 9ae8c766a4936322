package dev.weir.proxy.admission;

import dev.weir.proxy.store.BudgetListener;
import dev.weir.proxy.store.map.StoreKeys;

/** Passes each call to two listeners. */
record SeveralListeners(BudgetListener one, BudgetListener other) implements BudgetListener {
  @Override
  public void givenBack(StoreKeys keys, int key, long cost) {
    one.givenBack(keys, key, cost);
    other.givenBack(keys, key, cost);
  }

  @Override
  public void forget(byte[] name, int partition) {
    one.forget(name, partition);
    other.forget(name, partition);
  }

  @Override
  public void forgetAll() {
    one.forgetAll();
    other.forgetAll();
  }

  @Override
  public void serversChanged() {
    one.serversChanged();
    other.serversChanged();
  }
}
