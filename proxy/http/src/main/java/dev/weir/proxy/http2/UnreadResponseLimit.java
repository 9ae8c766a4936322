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
  private static final long NEVER = Long.MAX_VALUE;

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
    while (connection.loop.heldBytes() > connection.loop.maxHeldBytes()
        && bound.endLongest(PATIENCE_NS, NEVER, StreamEnd.UNTAKEN)) {
      // The next one.
    }
    look();
  }
}
