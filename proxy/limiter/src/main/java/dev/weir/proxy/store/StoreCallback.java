package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;

/** Takes what became of the questions that name it; on the event loop that asked. */
public interface StoreCallback {
  /**
   * The store has decided.
   *
   * @param ticket that of the question.
   * @param decision valid during the call only.
   */
  void decided(long ticket, StoreDecision decision);

  /**
   * The store has not decided, and nobody waits for it any longer.
   *
   * @param ticket that of the question.
   * @return whether what was to be checked passes all the same. Then, unless the store may have
   *     charged it already, it is charged when the store is back. Of other questions it means
   *     nothing.
   */
  boolean unavailable(long ticket, StoreFault fault);
}
