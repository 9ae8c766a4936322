package dev.weir.proxy.http1;

/** The service behind the proxy, as a client's connection sees it. One per event loop. */
public interface Origin {
  /**
   * Finds a connection for one request. {@link ResponseSink#upstreamReady} or {@link
   * ResponseSink#upstreamFailed} is called, within this call or later.
   */
  void open(ResponseSink client);

  /** The client no longer waits for {@link #open} to succeed. */
  void forget(ResponseSink client);
}
