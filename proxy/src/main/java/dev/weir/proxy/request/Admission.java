package dev.weir.proxy.request;

/** Decides whether a request may pass. One per event loop, used by that loop only. */
public interface Admission {
  /** What {@link #admit} returns when the verdict has been given already. */
  long SETTLED = -1;

  /**
   * Asks for a verdict, which {@code exchange} is told within this call or later.
   *
   * @param request valid until this call returns.
   * @param nowNs when the request arrived.
   * @return {@link #SETTLED}, or a ticket for {@link #withdraw}.
   */
  long admit(RequestView request, Exchange exchange, long nowNs);

  /** The client is gone: its verdict, when it comes, is dropped. */
  void withdraw(long ticket);
}
