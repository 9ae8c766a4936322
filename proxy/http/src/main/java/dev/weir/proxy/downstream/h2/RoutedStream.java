package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.StreamOwner;

/** A stream that is no request, as a {@link StreamRouter} has found from its head. */
public interface RoutedStream extends StreamOwner {
  /**
   * The stream is the owner's from now on. It may be answered and released within the call.
   *
   * @param endStream whether neither content nor trailers follow.
   */
  void start(Http2Connection connection, int stream, boolean endStream);

  /** How long the content is that will come, by the head's own word; -1 if it says nothing. */
  long contentLength();

  /** How long its client waits; {@link IncomingRequest#NO_TIMEOUT} if it does not say. */
  long timeoutNs();
}
