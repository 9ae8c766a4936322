package dev.weir.proxy.http1;

import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.RefusalReason;

/** The service behind the proxy, as a client's connection sees it. One per event loop. */
public interface Origin {
  /**
   * Whether {@link #open} would fail at once for want of a connection: what is refused now need not
   * be decided first.
   *
   * @param client the request's {@link ClientKey}.
   * @param upgrade whether it may become a tunnel.
   */
  boolean isFull(long client, boolean upgrade);

  /** Whether connections are so scarce that none should wait for a client's bytes. */
  boolean isScarce();

  /**
   * Finds a connection for one request. {@link ResponseSink#upstreamReady} or {@link
   * ResponseSink#upstreamFailed} is called, within this call or later; never within that of another
   * client. With {@link RefusalReason#UPSTREAM_BUSY} the service has not heard of the request.
   *
   * @param client the request's {@link ClientKey}.
   * @return whether the request waits, and may do so in vain.
   */
  boolean open(ResponseSink sink, long client);

  /** The client no longer waits for {@link #open} to succeed. */
  void forget(ResponseSink sink);
}
