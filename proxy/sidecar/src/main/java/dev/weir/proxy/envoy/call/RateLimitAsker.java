package dev.weir.proxy.envoy.call;

/** Who has asked what a call may, and is told a verdict that was not known at once. */
interface RateLimitAsker {
  /**
   * A verdict has come late: once per call, on the event loop that asked.
   *
   * @param whose what was said with the call.
   * @param verdict valid during the call only.
   */
  void decided(Object whose, RateLimitVerdict verdict);
}
