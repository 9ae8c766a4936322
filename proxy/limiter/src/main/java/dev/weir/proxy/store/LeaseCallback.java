package dev.weir.proxy.store;

/** Takes what became of a lease; on the event loop that asked. */
public interface LeaseCallback extends StoreCallback {
  /**
   * The store has kept requests, but decided too late: {@link #unavailable} was told before. They
   * may be used as long as their life lasts. What was granted besides them is not the callback's:
   * it goes back, unless its requests have passed.
   *
   * @param ticket that of the question.
   * @param decision grants nothing and keeps something; valid during the call only.
   */
  void keptLate(long ticket, StoreDecision decision);
}
