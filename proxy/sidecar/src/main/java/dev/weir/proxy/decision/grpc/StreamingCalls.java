package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.loop.ClientShares;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the streaming calls of one event loop, which last as long as their clients like: a few for
 * each connection, and a number in all, of which a client may have three times what it leaves free.
 */
final class StreamingCalls {
  /** The most of one connection. */
  static final int MAX_OF_CONNECTION = 8;

  /** The most of an event loop. */
  static final int MAX = 1_000;

  /** The longest time of a call; its client may make another. */
  static final long LONGEST_NS = TimeUnit.HOURS.toNanos(1);

  static final String TOO_LONG =
      "the call has lasted for "
          + TimeUnit.NANOSECONDS.toSeconds(LONGEST_NS)
          + " seconds (expected: to be made again)";

  static final String TOO_MANY =
      "more than "
          + MAX_OF_CONNECTION
          + " streaming calls of this connection, more of this client than it may have, or more than "
          + MAX
          + " of an event loop";

  private final Map<Http2Connection, Integer> byConnection = new IdentityHashMap<>();
  private final ClientShares shares = new ClientShares(MAX);

  /** Counts a call; false if there are too many. */
  boolean join(Http2Connection connection) {
    int before = byConnection.getOrDefault(connection, 0);
    if (before == MAX_OF_CONNECTION || !shares.of(connection.client()).take(1)) {
      return false;
    }
    byConnection.put(connection, before + 1);
    return true;
  }

  /** Uncounts a call, which has ended. */
  void leave(Http2Connection connection) {
    byConnection.computeIfPresent(connection, (key, calls) -> calls == 1 ? null : calls - 1);
    shares.of(connection.client()).give(1);
  }
}
