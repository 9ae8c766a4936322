package dev.weir.proxy.request;

/**
 * One request in flight on the client's side, as admission sees it: whatever protocol carried it.
 * It is told a verdict that was not known at once: exactly one of the two calls is made, on the
 * event loop that asked, while nobody's question is being asked; none if the client is gone by
 * then.
 */
public interface Exchange {
  /** The request may pass. The verdict is valid during the call only. */
  void allowed(Verdict verdict);

  /** The request is answered here. The verdict is valid during the call only. */
  void refused(Verdict verdict);
}
