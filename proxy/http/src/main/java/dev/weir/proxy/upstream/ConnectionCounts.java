package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.FairCap;
import dev.weir.proxy.request.TrafficObserver;

/**
 * Counts the HTTP/1.1 connections of one event loop by their use. A connection counts for
 * exchanges, in use or idle, until its exchange turns out to be long-lived; then it counts as a
 * stream, and its place is free for others. Each client has its share of both.
 */
final class ConnectionCounts {
  /** The use that a connection counts for. */
  enum Use {
    /** Not in use yet. */
    NEW,
    IDLE,
    EXCHANGE,
    STREAM,
    /** None: it is closed, or about to be. */
    NONE
  }

  private final UpstreamCaps caps;
  private final TrafficObserver observer;

  /** Exchanges that have a connection, or are being connected. */
  private final FairCap exchanges;

  private final FairCap streams;

  /** Connections for exchanges: in use, idle, or being opened. */
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

  /** Whether places for exchanges are about to run out. */
  boolean isScarce() {
    return exchanges.isScarce();
  }

  /** Whether there are as many connections for exchanges as allowed. */
  boolean isFull() {
    return connectionCount >= caps.connections();
  }

  /** Whether there are no connections for exchanges. */
  boolean isEmpty() {
    return connectionCount == 0;
  }

  /** A client's exchange begins on an idle connection. */
  void begin(UpstreamConnection connection, long client) {
    exchanges.take(client);
    connection.use = Use.EXCHANGE;
    connection.client = client;
  }

  /**
   * Counts a connection that is being opened for a client's exchange. It counts for the client even
   * if that leaves before: otherwise one that comes and goes could have all connections opened.
   */
  void making(long client) {
    exchanges.take(client);
    connectionCount++;
  }

  /** A connection for a client could not be opened. */
  void notMade(long client) {
    exchanges.leave(client);
    connectionCount--;
  }

  /** The exchange of a connection has ended, and the connection is idle. */
  void becomeIdle(UpstreamConnection connection) {
    connectionCount++;
    connection.use = Use.IDLE;
  }

  /** Counts a connection as a stream, if there is a place for it; returns whether it does. */
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

  /** Uncounts a connection. */
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
