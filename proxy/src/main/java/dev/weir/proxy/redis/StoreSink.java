package dev.weir.proxy.redis;

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

  /** Budgets were given back by hand: what was decided before proves nothing any longer. */
  void forget();
}
