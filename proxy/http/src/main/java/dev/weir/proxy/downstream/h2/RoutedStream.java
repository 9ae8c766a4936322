package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.StreamOwner;

/**
 * A stream that is not a request for an origin, as a {@link StreamRouter} has found from its head.
 */
public interface RoutedStream extends StreamOwner {
  /**
   * Takes the stream over. It may be answered and released within the call.
   *
   * @param endStream whether neither content nor trailers follow.
   */
  void start(Http2Connection connection, int stream, boolean endStream);

  /** The content's length by the head; -1 if the head does not say. */
  long contentLength();

  /** How long the client waits; {@link IncomingRequest#NO_TIMEOUT} if it does not say. */
  long timeoutNs();
}
