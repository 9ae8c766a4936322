package dev.weir.proxy.store;

/** Takes debts along to their server. */
interface DebtCarrier {
  /**
   * Takes one, of one budget.
   *
   * @param passedNs when its requests passed, on the event loop's clock.
   * @return false if there is no room, and nothing was taken.
   */
  boolean take(StoreQuestion debt, long passedNs);
}
