package dev.weir.proxy.request;

/** Decides whether a request may pass. One per event loop, used by that loop only. */
public interface Admission {
  /** What {@link #admit} returns when the verdict is known at once. */
  long SETTLED = -1;

  /** What {@link #keep} returns where nothing can be given back. */
  int NOTHING_KEPT = -1;

  /** What {@link #dueNs} returns for a request that is not held. */
  long NOT_HELD = -1;

  /**
   * Asks for a verdict. One that is known at once is {@link #verdict()}; only one that comes later
   * is told to {@code exchange}, and nobody is told anything within this call. If it throws, the
   * request is forgotten.
   *
   * @param request valid until this call returns.
   * @param nowNs when the request arrived.
   * @return {@link #SETTLED}, or a ticket for {@link #withdraw}.
   */
  long admit(RequestView request, Exchange exchange, long nowNs);

  /** What the last {@link #admit} has settled; valid until the next. */
  Verdict verdict();

  /** When a request may pass that is held until then, in the loop's time; or {@link #NOT_HELD}. */
  long dueNs(long ticket);

  /**
   * Keeps what was charged for a request that may pass but has to wait for the service: within the
   * call that tells its verdict, or before anything else is asked for. What is kept is ended by
   * {@link #giveBack} or {@link #letStand}, once.
   *
   * @return what to name it by, or {@link #NOTHING_KEPT}.
   */
  int keep();

  /** The service will not hear of the request: what it was charged goes back. */
  void giveBack(int kept);

  /** What the request was charged is spent. */
  void letStand(int kept);

  /** The client is gone: its verdict, when it comes, is dropped. */
  void withdraw(long ticket);
}
