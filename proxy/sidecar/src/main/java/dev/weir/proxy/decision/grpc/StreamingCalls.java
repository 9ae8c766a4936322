package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.loop.ClientShares;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts the streaming calls of one event loop, which last for as long as their clients like: a few
 * of each connection, and so many in all, of which a client has three times what it leaves free.
 */
final class StreamingCalls {
  /** The most of one connection: a client watches each service once, or asks for descriptions. */
  static final int MAX_OF_CONNECTION = 8;

  /** The most of the event loop. */
  static final int MAX = 1_000;

  /** A call ends after that time: its place is another's unless it is made again. */
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

  /** A call that was counted has ended. */
  void leave(Http2Connection connection) {
    byConnection.computeIfPresent(connection, (key, calls) -> calls == 1 ? null : calls - 1);
    shares.of(connection.client()).give(1);
  }
}
