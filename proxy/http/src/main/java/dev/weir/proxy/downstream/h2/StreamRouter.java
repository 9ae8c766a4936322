package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.request.Peer;

/**
 * Says which streams of clients are no requests that go to an origin, and whose they are; and how
 * much a connection may have. One per event loop.
 */
public interface StreamRouter {
  /** Every stream is a request. */
  StreamRouter REQUESTS_ONLY =
      new StreamRouter() {
        @Override
        public RoutedStream route(FieldBlock fields, Peer peer) {
          return null;
        }
      };

  /**
   * Finds whose a new stream is.
   *
   * @param fields of its head; valid during the call, may be malformed or too large.
   * @return null if it is a request like others.
   */
  RoutedStream route(FieldBlock fields, Peer peer);

  /**
   * All frames of a connection have been told that were read at once; their bytes still lie there.
   */
  default void readEnding() {
    // Whoever was told something has done with it.
  }

  /** The most streams of one connection at once (RFC 9113 recommends no fewer than 100). */
  default int maxStreams() {
    return Http2ClientConnection.MAX_STREAMS;
  }

  /** The most received bytes that a connection may hold: all that its windows allow. */
  default long maxReceivedBytes() {
    return Http2ClientConnection.MAX_STREAMS
        * (long) (Http2Connection.WINDOW_BYTES + Http2ClientConnection.MAX_HEAD_BYTES);
  }
}
