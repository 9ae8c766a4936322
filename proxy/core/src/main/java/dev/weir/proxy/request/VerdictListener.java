package dev.weir.proxy.request;

/** Receives the verdict on a question if it was not known at once, and only then. */
public interface VerdictListener {
  /**
   * Takes a late verdict: once per question, on the event loop that asked, while no question is
   * being asked; not at all if the end of the request was reported before.
   *
   * @param ticket that {@link Admission#ask} returned.
   * @param verdict valid during the call only.
   */
  void decided(long ticket, Verdict verdict);
}
