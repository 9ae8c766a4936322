package dev.weir.proxy.request;

/**
 * Observes the traffic of one event loop, on that loop. Must not allocate. Methods about a service
 * are called only if there is one.
 */
public interface TrafficObserver {
  void connectionOpened();

  void connectionClosed();

  /** A connection was refused before a request was read. */
  void connectionRefused();

  /** A connection was closed, as it had no valid PROXY header of a trusted proxy. */
  void proxyHeaderRefused(ProxyHeaderFault why);

  /** A TLS handshake with a client has ended. */
  void handshakeEnded(Handshake how);

  void requestStarted(Protocol protocol);

  /** The last request that was started on a connection has ended. */
  void requestEnded();

  /** A request was answered here for a reason. */
  void refused(RefusalReason reason);

  /**
   * The service's response has been passed on completely.
   *
   * @param protocol the request's.
   * @param status its status code.
   * @param totalNs from the head's arrival to the last byte's departure.
   * @param upstreamNs from the head's departure to the response's arrival.
   * @param overheadNs what the proxy itself added to the two heads.
   */
  void completed(Protocol protocol, int status, long totalNs, long upstreamNs, long overheadNs);

  /** A connection of HTTP/1.1 is reset, as its client does not read its responses. */
  default void responseUnread() {}

  /** A connection became a tunnel. */
  default void tunnelOpened() {}

  default void upstreamOpened() {}

  default void upstreamClosed() {}

  /** A connection to a service of HTTP/2 is replaced. */
  default void upstreamReplaced(ReplacementCause why) {}

  /** A TLS handshake with the service has ended. */
  default void upstreamHandshakeEnded(Handshake how) {}

  /** A request waits for a connection to the service. */
  default void upstreamWaitBegun() {}

  /** A request no longer waits for a connection to the service. */
  default void upstreamWaitEnded() {}

  /** An exchange counts as a long-lived stream. */
  default void streamOpened() {}

  default void streamClosed() {}
}
