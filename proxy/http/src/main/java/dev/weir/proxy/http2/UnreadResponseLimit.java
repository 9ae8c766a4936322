package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * Bounds the content that one connection has read from a service, and that clients have not read.
 * The connection is never paused for one of them. While its event loop holds more than half of what
 * it may, the service's windows are smaller. Beyond all of it, the streams whose client has read
 * nothing for a second are reset, those without progress for the longest first.
 */
final class UnreadResponseLimit {
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

  private final Http2Connection connection;
  private final HeldBound bound;
  private boolean isWatched;

  UnreadResponseLimit(Http2Connection connection, HeldBound bound) {
    this.connection = connection;
    this.bound = bound;
  }

  /** Checks the bound, after something was read or released. */
  void look() {
    final boolean isCrowded = connection.loop.isCrowded();
    connection.windows.narrow(isCrowded);
    if (isCrowded && !isWatched && bound.heldBytes() > 0) {
      isWatched = true;
      connection.timer.holdsTooMuch();
    }
  }

  /** Checks the bound, after a second. */
  void overdue() {
    isWatched = false;
    final long takenBeforeNs = connection.loop.clock.nowNs() - PATIENCE_NS;
    while (connection.loop.heldBytes() > connection.loop.maxHeldBytes()
        && endLongest(takenBeforeNs)) {
      // The next one.
    }
    look();
  }

  /**
   * Resets the stream whose client has read nothing for the longest, if that is since before a
   * time.
   */
  private boolean endLongest(long takenBeforeNs) {
    final StreamSlots streams = connection.streams;
    int longest = StreamSlots.NONE;
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0
          && !streams.has(stream, StreamSlots.RESET)
          && streams.heldBytes[stream] > 0
          && streams.heldNs[stream] <= takenBeforeNs
          && (longest == StreamSlots.NONE || streams.heldNs[stream] < streams.heldNs[longest])) {
        longest = stream;
      }
    }
    if (longest == StreamSlots.NONE) {
      return false;
    }
    connection.states.end(longest, StreamEnd.UNTAKEN, ErrorCode.CANCEL);
    return true;
  }
}
