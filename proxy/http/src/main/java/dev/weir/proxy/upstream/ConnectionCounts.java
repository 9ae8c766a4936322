package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.FairCap;
import dev.weir.proxy.request.TrafficObserver;

/**
 * The connections of one event loop by their use. A connection counts as one for exchanges, in use
 * or idle, until its exchange turns out to be a long one; then it counts as a stream, and its place
 * is another's. Of both, each client has its share.
 */
final class ConnectionCounts {
  /** The uses that a connection counts as. */
  enum Use {
    /** Not handed over yet. */
    NEW,
    IDLE,
    EXCHANGE,
    STREAM,
    /** Nothing any more: it is closed, or about to be. */
    NONE
  }

  private final UpstreamCaps caps;
  private final TrafficObserver observer;

  /** Exchanges that have a connection, or are being connected. */
  private final FairCap exchanges;

  private final FairCap streams;

  /** Connections but for those of streams: in use, idle, or on the way. */
  private int connectionCount;

  ConnectionCounts(UpstreamCaps caps, TrafficObserver observer) {
    this.caps = caps;
    this.observer = observer;
    exchanges = new FairCap(caps.connections());
    streams = new FairCap(caps.streams());
  }

  /** Whether a client may have one more exchange. */
  boolean hasRoom(long client) {
    return exchanges.hasRoom(client);
  }

  /** Whether a client may have one more stream. */
  boolean hasRoomForStream(long client) {
    return streams.hasRoom(client);
  }

  /** Whether exchanges are about to find no place. */
  boolean isScarce() {
    return exchanges.isScarce();
  }

  /** Whether there are as many connections as may be. */
  boolean isFull() {
    return connectionCount >= caps.connections();
  }

  /** Whether there are no connections at all, but for those of streams. */
  boolean isEmpty() {
    return connectionCount == 0;
  }

  /** A client's exchange begins on a connection that was idle. */
  void begin(UpstreamConnection connection, long client) {
    exchanges.take(client);
    connection.use = Use.EXCHANGE;
    connection.client = client;
  }

  /**
   * A connection is being made for a client's exchange. It counts as that, even if the client
   * leaves before: else whoever comes and goes could have all of them made.
   */
  void making(long client) {
    exchanges.take(client);
    connectionCount++;
  }

  /** The connection that was being made for a client is none. */
  void notMade(long client) {
    exchanges.leave(client);
    connectionCount--;
  }

  /** The exchange of a connection is over, and it stays for others. */
  void becomeIdle(UpstreamConnection connection) {
    connectionCount++;
    connection.use = Use.IDLE;
  }

  /** Whether a connection counts as a stream now, as it does if there is a place for it. */
  boolean becomeStream(UpstreamConnection connection) {
    if (connection.use != Use.EXCHANGE || !streams.hasRoom(connection.client)) {
      return connection.use == Use.STREAM;
    }
    leave(connection);
    streams.take(connection.client);
    connection.use = Use.STREAM;
    observer.streamOpened();
    return true;
  }

  /** Counts a connection out of whatever it is used for. */
  void leave(UpstreamConnection connection) {
    switch (connection.use) {
      case EXCHANGE -> {
        exchanges.leave(connection.client);
        connectionCount--;
      }
      case STREAM -> {
        streams.leave(connection.client);
        observer.streamClosed();
      }
      case IDLE -> connectionCount--;
      case NEW, NONE -> {
        // Counted by whoever has it made, or not at all.
      }
    }
    connection.use = Use.NONE;
  }
}
