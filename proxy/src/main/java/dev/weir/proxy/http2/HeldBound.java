package dev.weir.proxy.http2;

/**
 * How much a client's connection may hold: heads of requests that wait, content that it has sent
 * and the service has not taken, as much more as its windows have grown, and, once its event loop
 * holds too much in all, what waits for the client too. Beyond that its reading stops, for a second
 * at most, as a window that opens is not read then either; after that the streams that have stood
 * still for the longest are reset. What waits for a client is else bounded by its streams, as none
 * of their services is read further.
 */
final class HeldBound {
  private final Http2Connection connection;
  private final UntakenContent untaken;
  private boolean isReached;
  private long heldBytes;
  private long heldReceivedBytes;

  HeldBound(Http2Connection connection) {
    this.connection = connection;
    untaken = new UntakenContent(connection, this);
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

  /** What was received is held, a head or content, or less of it if {@code bytes} are below 0. */
  void holdReceived(int bytes) {
    heldReceivedBytes += bytes;
    holdWaiting(bytes);
  }

  /** Received bytes that are held, and the memory of what waits to be sent. */
  long heldBytes() {
    return heldBytes;
  }

  /** Something has been read, or waits to be sent. */
  void look() {
    if (connection.role == Role.CLIENT) {
      untaken.look();
      return;
    }
    if (!isExceeded()) {
      return;
    }
    if (connection.loop.clientsHeldBytes() > 2 * connection.loop.maxHeldBytes()) {
      overdue(); // services answer faster than a second's patience can be had for
    } else if (!isReached) {
      isReached = true;
      connection.timer.holdsTooMuch();
      connection.adjustReading();
    }
  }

  /** Something has been let go of. */
  void released() {
    if (isReached && !isExceeded()) {
      end();
    }
  }

  /** Nobody has taken enough in time. */
  void overdue() {
    if (connection.role == Role.CLIENT) {
      untaken.overdue();
      return;
    }
    while (isExceeded() && endLongest()) {
      // The next one.
    }
    if (isReached) {
      end();
    }
  }

  private void end() {
    isReached = false;
    connection.timer.holdsNoMoreTooMuch();
    connection.adjustReading();
  }

  /**
   * Whether the connection holds more than it may, or its event loop does, and the connection more
   * than its share: as long as the loop holds too much, there is one that does.
   */
  private boolean isExceeded() {
    final Http2Loop loop = connection.loop;
    return heldReceivedBytes
            > connection.maxReceivedBytes() + connection.windows.growth().extraBytes()
        || loop.clientsHeldBytes() > loop.maxHeldBytes()
            && heldBytes > loop.maxHeldBytes() / loop.clientConnections();
  }

  /**
   * Resets the stream that has stood still for the longest; false if there is none. Not one that
   * was reset before: what its user has not let go of is held, and nothing would change that.
   */
  private boolean endLongest() {
    final StreamSlots streams = connection.streams;
    int longest = StreamSlots.NONE;
    long longestNs = Long.MAX_VALUE;
    for (int stream = 0; stream < streams.slots(); stream++) {
      final long sinceNs =
          streams.heldBytes[stream] > 0 || streams.headBytes[stream] > 0
              ? streams.heldNs[stream]
              : streams.waiting[stream] == null ? Long.MAX_VALUE : streams.stalledNs[stream];
      if (streams.id(stream) != 0
          && !streams.has(stream, StreamSlots.RESET)
          && sinceNs < longestNs) {
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
