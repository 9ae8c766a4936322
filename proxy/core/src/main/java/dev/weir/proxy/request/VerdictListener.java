package dev.weir.proxy.request;

/**
 * Who has asked for a verdict: a request of whatever protocol, or a caller that has none. It is
 * told a verdict that was not known at once, and only that.
 */
public interface VerdictListener {
  /**
   * A verdict has come late: once per question, on the event loop that asked, while nothing is
   * being asked; not at all if the end of the request was told before.
   *
   * @param ticket that {@link Admission#ask} returned.
   * @param verdict valid during the call only.
   */
  void decided(long ticket, Verdict verdict);
}
