package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;

/** Receives the result of a question, on the event loop that asked. */
public interface StoreCallback {
  /**
   * The store has decided.
   *
   * @param ticket of the question.
   * @param decision valid during the call only.
   */
  void decided(long ticket, StoreDecision decision);

  /**
   * There is no decision, and none will be passed on.
   *
   * @param ticket of the question.
   * @return whether the request passes all the same. Then it is charged when the store is back,
   *     unless the store may have charged it. Without meaning for other questions than checks.
   */
  boolean unavailable(long ticket, StoreFault fault);
}
