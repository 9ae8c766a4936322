package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * The bound of what a client's connection holds: heads of requests that wait, content that it has
 * sent and the service has not taken, and content that waits to be sent to it. What its windows
 * allow it to send was promised to it, and is held while the event loop has room. As that becomes
 * less, whoever holds most pays, and nobody else: the reading of a connection stops that has sent
 * more than three times what is left of three quarters of the loop's memory, and more than the
 * mean. It goes on once the service has taken enough, and until then with one read every second: it
 * is by reading that windows for answers open, and that streams are reset which the client has
 * given up.
 *
 * <p>While all connections hold more than the loop may, those that hold more than the mean lose the
 * streams that have stood still for the longest: for 5 s where it is the service that takes
 * nothing, for 1 s where it is the client; and beyond twice of it at once.
 */
final class HeldBound {
  /** One connection may have so many times what is left. */
  private static final int TIMES_LEFT = 3;

  private static final long SERVICE_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long CLIENT_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long AT_ONCE_NS = 0;

  private final Http2Connection connection;
  private final UnreadResponseLimit untaken;
  private boolean isReached;
  private boolean isWatched;

  /** Whether reading goes on until something arrives, whatever is held. */
  private boolean readsOnce;

  private long heldBytes;
  private long heldReceivedBytes;

  HeldBound(Http2Connection connection) {
    this.connection = connection;
    untaken = new UnreadResponseLimit(connection, this);
  }

  /** Whether nothing is read for now. */
  boolean isReached() {
    return isReached;
  }

  /** Counts memory of content that waits to be sent, or uncounts it if below 0. */
  void holdWaiting(int bytes) {
    heldBytes += bytes;
    connection.loop.hold(connection.role, bytes);
  }

  /**
   * Counts a received head or content that is held, or uncounts it if {@code bytes} are below 0.
   */
  void holdReceived(int bytes) {
    heldReceivedBytes += bytes;
    holdWaiting(bytes);
  }

  /** Received bytes that are held, and the memory of content that waits to be sent. */
  long heldBytes() {
    return heldBytes;
  }

  /** Something has been read. */
  void read() {
    readsOnce = false;
    look();
  }

  /** Checks the bounds, after something has been read, or waits to be sent. */
  void look() {
    if (connection.role == Role.CLIENT) {
      untaken.look();
      return;
    }
    if (connection.loop.clientsHeldBytes() > 2 * connection.loop.maxHeldBytes()) {
      endStill(AT_ONCE_NS, AT_ONCE_NS); // services answer faster than there is patience for
    }
    final boolean isTooMuch = hasSentTooMuch();
    if (isReached != (isTooMuch && !readsOnce)) {
      isReached = !isReached;
      connection.handler.adjustReading();
    }
    if (!isWatched && (isTooMuch || holdsTooMuch())) {
      isWatched = true;
      connection.timer.holdsTooMuch();
    }
  }

  /** Checks the bounds, after something has been released. */
  void released() {
    if (isReached && !hasSentTooMuch()) {
      isReached = false;
      connection.handler.adjustReading();
    }
  }

  /** Checks the bounds, after a second. */
  void overdue() {
    if (connection.role == Role.CLIENT) {
      untaken.overdue();
      return;
    }
    isWatched = false;
    while (hasSentMoreThanMay() && endLongest(AT_ONCE_NS, AT_ONCE_NS, StreamEnd.FAULT)) {
      // The next one.
    }
    endStill(SERVICE_NS, CLIENT_NS);
    readsOnce = isReached;
    look();
  }

  /**
   * Resets streams that have made no progress for so long, while all connections hold more than
   * they may.
   */
  private void endStill(long byServiceNs, long byClientNs) {
    while (holdsTooMuch() && endLongest(byServiceNs, byClientNs, StreamEnd.FAULT)) {
      // The next one.
    }
  }

  /** Whether more has arrived than a connection of its kind may hold. */
  private boolean hasSentMoreThanMay() {
    return heldReceivedBytes
        > connection.events.maxReceivedBytes() + connection.windows.growth().extraBytes();
  }

  /** Whether so much has arrived that nothing more is to be read for now. */
  private boolean hasSentTooMuch() {
    final Http2Loop loop = connection.loop;
    final long mostBytes = loop.maxHeldBytes() / 4 * 3; // what is on its way has the rest
    return heldReceivedBytes > TIMES_LEFT * (mostBytes - loop.clientsHeldBytes())
            && heldReceivedBytes > mostBytes / loop.clientConnections()
        || hasSentMoreThanMay();
  }

  /** Whether all connections hold too much, and this one more than the mean. */
  private boolean holdsTooMuch() {
    return connection.loop.clientsHeldBytes() > connection.loop.maxHeldBytes()
        && heldBytes > connection.loop.maxHeldBytes() / connection.loop.clientConnections();
  }

  /**
   * Resets the stream that has made no progress for the longest; false if there is none. A stream
   * that was reset before is skipped, as its user still holds its bytes.
   *
   * @param byReceiverNs the least time without progress if received content has to be read.
   * @param byPeerNs the least time without progress if the peer has to read.
   * @param how the owner of the stream is told.
   */
  boolean endLongest(long byReceiverNs, long byPeerNs, StreamEnd how) {
    final long nowNs = connection.loop.clock.nowNs();
    final StreamSlots streams = connection.streams;
    int longest = StreamSlots.NONE;
    long longestNs = Long.MAX_VALUE;
    for (int stream = 0; stream < streams.slots(); stream++) {
      final boolean isReceived = streams.heldBytes[stream] > 0 || streams.headBytes[stream] > 0;
      final long sinceNs =
          isReceived
              ? streams.heldNs[stream]
              : streams.waiting[stream] == null ? Long.MAX_VALUE : streams.stalledNs[stream];
      if (streams.id(stream) != 0
          && !streams.has(stream, StreamSlots.RESET)
          && sinceNs < longestNs
          && nowNs - sinceNs >= (isReceived ? byReceiverNs : byPeerNs)) {
        longest = stream;
        longestNs = sinceNs;
      }
    }
    if (longest == StreamSlots.NONE) {
      return false;
    }
    connection.states.end(longest, how, ErrorCode.CANCEL);
    return true;
  }
}
