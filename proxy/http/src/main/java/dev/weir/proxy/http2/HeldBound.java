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
  /** One connection has no more than so many times what is left. */
  private static final int TIMES_LEFT = 3;

  private static final long SERVICE_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long CLIENT_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long AT_ONCE_NS = 0;

  private final Http2Connection connection;
  private final UnreadResponseLimit untaken;
  private boolean isReached;
  private boolean isWatched;

  /** Whether it is read on until something has come, whatever is held. */
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

  /** Memory holds content that waits to be sent, or less of it does if below 0. */
  void holdWaiting(int bytes) {
    heldBytes += bytes;
    connection.loop.hold(connection.role, bytes);
  }

  /** Holds a head or content that was received, or less of it if {@code bytes} are below 0. */
  void holdReceived(int bytes) {
    heldReceivedBytes += bytes;
    holdWaiting(bytes);
  }

  /** Received bytes that are held, and the memory of what waits to be sent. */
  long heldBytes() {
    return heldBytes;
  }

  /** Something has been read. */
  void read() {
    readsOnce = false;
    look();
  }

  /** Something has been read, or waits to be sent. */
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

  /** Something has been let go of. */
  void released() {
    if (isReached && !hasSentTooMuch()) {
      isReached = false;
      connection.handler.adjustReading();
    }
  }

  /** A second has passed. */
  void overdue() {
    if (connection.role == Role.CLIENT) {
      untaken.overdue();
      return;
    }
    isWatched = false;
    while (hasSentMoreThanMay() && endLongest(AT_ONCE_NS, AT_ONCE_NS)) {
      // The next one.
    }
    endStill(SERVICE_NS, CLIENT_NS);
    readsOnce = isReached;
    look();
  }

  /** Resets streams that have stood still for so long, while all hold more than may be. */
  private void endStill(long byServiceNs, long byClientNs) {
    while (holdsTooMuch() && endLongest(byServiceNs, byClientNs)) {
      // The next one.
    }
  }

  /** Whether more has come than a connection of its kind may hold. */
  private boolean hasSentMoreThanMay() {
    return heldReceivedBytes
        > connection.events.maxReceivedBytes() + connection.windows.growth().extraBytes();
  }

  /** Whether so much has come that there is no more to be read for now. */
  private boolean hasSentTooMuch() {
    final Http2Loop loop = connection.loop;
    final long mostBytes = loop.maxHeldBytes() / 4 * 3; // what is on its way has the rest
    return heldReceivedBytes > TIMES_LEFT * (mostBytes - loop.clientsHeldBytes())
            && heldReceivedBytes > mostBytes / loop.clientConnections()
        || hasSentMoreThanMay();
  }

  /** Whether all hold too much, and this one more than others: there is always one that does. */
  private boolean holdsTooMuch() {
    return connection.loop.clientsHeldBytes() > connection.loop.maxHeldBytes()
        && heldBytes > connection.loop.maxHeldBytes() / connection.loop.clientConnections();
  }

  /**
   * Resets the stream that has stood still for the longest; false if there is none. Not one that
   * was reset before: what its user has not let go of is held, and nothing would change that.
   *
   * @param byServiceNs for how long it must have, if its service is to take what came.
   * @param byClientNs for how long it must have, if the client is to take what waits.
   */
  private boolean endLongest(long byServiceNs, long byClientNs) {
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
          && nowNs - sinceNs >= (isReceived ? byServiceNs : byClientNs)) {
        longest = stream;
        longestNs = sinceNs;
      }
    }
    if (longest == StreamSlots.NONE) {
      return false;
    }
    connection.states.end(longest, StreamEnd.FAULT, ErrorCode.CANCEL);
    return true;
  }
}
