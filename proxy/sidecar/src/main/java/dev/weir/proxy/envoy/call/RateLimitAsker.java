package dev.weir.proxy.envoy.call;

/** Receives the verdict on a call if it was not known at once. */
interface RateLimitAsker {
  /**
   * Takes a late verdict: once per call, on the event loop that asked.
   *
   * @param whose the object that was given with the call.
   * @param verdict valid during the call only.
   */
  void decided(Object whose, RateLimitVerdict verdict);
}
