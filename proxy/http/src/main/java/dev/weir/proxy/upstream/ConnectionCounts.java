package dev.weir.proxy.upstream;

import dev.weir.proxy.exchange.FairCap;
import dev.weir.proxy.request.TrafficObserver;
import dev.weir.proxy.upstream.ConnectionPlace.Use;

/**
 * What the connections of one event loop count as. A connection counts as one for exchanges, in use
 * or idle, until its exchange turns out to be a long one; then it counts as a stream, and its place
 * is another's. Of both, each client has its share.
 */
final class ConnectionCounts {
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
  void begin(ConnectionPlace place, long client) {
    exchanges.take(client);
    place.exchangeOf(client);
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
  void becomeIdle(ConnectionPlace place) {
    connectionCount++;
    place.use(Use.IDLE);
  }

  /** Whether a connection counts as a stream now, as it does if there is a place for it. */
  boolean becomeStream(ConnectionPlace place) {
    if (place.use() != Use.EXCHANGE || !streams.hasRoom(place.client())) {
      return place.use() == Use.STREAM;
    }
    leave(place);
    streams.take(place.client());
    place.use(Use.STREAM);
    observer.streamOpened();
    return true;
  }

  /** Counts a connection out of whatever it is used for. */
  void leave(ConnectionPlace place) {
    switch (place.use()) {
      case EXCHANGE -> {
        exchanges.leave(place.client());
        connectionCount--;
      }
      case STREAM -> {
        streams.leave(place.client());
        observer.streamClosed();
      }
      case IDLE -> connectionCount--;
      case NEW, NONE -> {
        // Counted by whoever has it made, or not at all.
      }
    }
    place.use(Use.NONE);
  }
}
