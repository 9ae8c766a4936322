package dev.weir.proxy.store;

/** Receives the result of a request for a lease, on the event loop that asked. */
public interface LeaseCallback extends StoreCallback {
  /**
   * The store has granted a lease, too late: {@link #unavailable} was called before. Its units may
   * be used within their life. Other units that were granted are returned by the store's side,
   * unless their requests have passed.
   *
   * @param ticket of the question.
   * @param decision grants nothing now, and has leased units; valid during the call only.
   */
  void keptLate(long ticket, StoreDecision decision);
}
