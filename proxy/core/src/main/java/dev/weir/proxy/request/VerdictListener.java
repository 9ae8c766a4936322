package dev.weir.proxy.request;

/**
 * The asker of a question, of whatever protocol: it is told the verdict if that was not known at
 * once, and only then.
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
