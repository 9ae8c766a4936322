package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;

/** Takes what became of each request that was asked about; on the event loop that asked. */
public interface StoreSink {
  /**
   * The store has decided.
   *
   * @param decision valid during the call only.
   */
  void decided(long ticket, StoreDecision decision);

  /**
   * The store has not decided, and nobody waits for it any longer.
   *
   * @return whether the request passes all the same. Then, unless the store may have charged it
   *     already, it is charged when the store is back.
   */
  boolean unavailable(long ticket, StoreFault fault);

  /**
   * What was granted goes back to its budgets: that they had nothing left proves nothing any
   * longer. Told when it is on its way and again when it has arrived, before anything that was
   * decided after it: what was decided before may be told in between.
   *
   * @param keys the budgets', from {@code first} on.
   * @param cost of each request that was granted.
   */
  void givenBack(StoreKeys keys, int first, int count, long cost);

  /** Budgets were given back by hand: what was decided before proves nothing any longer. */
  void forget();
}
