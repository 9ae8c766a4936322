package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.request.Peer;

/**
 * Finds the streams of clients that are not requests for an origin, and their owners; and sets
 * bounds for each connection. One per event loop.
 */
public interface StreamRouter {
  /** A router for which every stream is a request. */
  StreamRouter REQUESTS_ONLY =
      new StreamRouter() {
        @Override
        public RoutedStream route(FieldBlock fields, Peer peer) {
          return null;
        }
      };

  /**
   * Finds the owner of a new stream.
   *
   * @param fields of its head; valid during the call, may be malformed or too large.
   * @return null if it is a request for the origin.
   */
  RoutedStream route(FieldBlock fields, Peer peer);

  /** All frames of one read have been passed on, and their bytes are still in the buffer. */
  default void readEnding() {
    // Whoever was told something has done with it.
  }

  /** The most streams of one connection at once (RFC 9113 recommends no fewer than 100). */
  default int maxStreams() {
    return Http2ClientConnection.MAX_STREAMS;
  }

  /** The most received bytes that a connection may hold, by its flow-control windows. */
  default long maxReceivedBytes() {
    return Http2ClientConnection.MAX_STREAMS
        * (long) (Http2Connection.WINDOW_BYTES + Http2ClientConnection.MAX_HEAD_BYTES);
  }
}
