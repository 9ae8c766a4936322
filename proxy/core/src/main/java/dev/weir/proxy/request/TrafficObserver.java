package dev.weir.proxy.request;

/**
 * Is told what happens to the traffic of one event loop, by that loop only. Must not allocate. What
 * happens towards a service is told only where there is one.
 */
public interface TrafficObserver {
  void connectionOpened();

  void connectionClosed();

  /** A connection was turned away at the door. */
  void connectionRefused();

  /** A connection had no header of the PROXY protocol that is believed, and was closed. */
  void proxyHeaderRefused(ProxyHeaderFault why);

  /** A TLS handshake with a client has ended. */
  void handshakeEnded(Handshake how);

  void requestStarted(Protocol protocol);

  /** The request that was started last on its connection has ended, however it ended. */
  void requestEnded();

  /** A request was answered here for that reason. */
  void refused(RefusalReason reason);

  /**
   * The service's response has been passed on whole.
   *
   * @param protocol the request's.
   * @param status its status code.
   * @param totalNs from the head's arrival to the last byte's departure.
   * @param upstreamNs from the head's departure to the response's arrival.
   * @param overheadNs what the proxy itself added to the two heads.
   */
  void completed(Protocol protocol, int status, long totalNs, long upstreamNs, long overheadNs);

  /** A connection became a tunnel. */
  default void tunnelOpened() {}

  default void upstreamOpened() {}

  default void upstreamClosed() {}

  /** A connection to a service of HTTP/2 gets no new streams, and another is made. */
  default void upstreamReplaced(ReplacementCause why) {}

  /** A TLS handshake with the service has ended. */
  default void upstreamHandshakeEnded(Handshake how) {}

  /** A request waits for a connection to the service. */
  default void upstreamWaitBegun() {}

  /** A request no longer waits for a connection to the service, whatever came of it. */
  default void upstreamWaitEnded() {}

  /** An exchange has become a stream. */
  default void streamOpened() {}

  default void streamClosed() {}
}
