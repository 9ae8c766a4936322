package dev.weir.proxy.downstream;

import dev.weir.proxy.downstream.answer.CurrentDate;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.RequestLoop;
import dev.weir.proxy.exchange.RequestTimeouts;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.TrafficObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The client connections of one event loop, and what those of every protocol share. Used by that
 * loop only.
 */
public final class ClientLoop {
  /** Heap bytes of a connection: 4 KiB were measured, and 9 KiB with full HPACK tables. */
  public static final int CONNECTION_BYTES = 10 * 1024;

  /** Heap bytes of a request in flight: 1.1 KiB were measured, and more once a service has it. */
  public static final int REQUEST_BYTES = 1536;

  public final ClientSettings settings;
  public final LoopClock clock;
  public final Deadlines deadlines;

  /** The shares of clients in the heap, in bytes. */
  public final ClientShares memory;

  public final RequestLoop requests;
  public final TrafficObserver observer;
  public final CurrentDate date = new CurrentDate();

  private final Set<ClientConnection> connections =
      Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean draining;

  /**
   * @param memory bytes of the heap that clients may take.
   */
  public ClientLoop(
      ClientSettings settings,
      LoopClock clock,
      Deadlines deadlines,
      ClientShares memory,
      Admission admission,
      Origin origin,
      ClientKey clientKeys,
      TrafficObserver observer) {
    this.settings = settings;
    this.clock = clock;
    this.deadlines = deadlines;
    this.memory = memory;
    this.observer = observer;
    ClientTimeouts timeouts = settings.timeouts();
    requests =
        new RequestLoop(
            clock,
            deadlines,
            admission,
            origin,
            clientKeys,
            (int) Math.min(Integer.MAX_VALUE, memory.max() / REQUEST_BYTES),
            observer,
            new RequestTimeouts(
                timeouts.bodyIdleNs(), timeouts.writeNs(), timeouts.tunnelIdleNs()));
  }

  /** Counts a connection that is passing the stages before HTTP. */
  public void entering(ClientConnection connection) {
    connections.add(connection);
  }

  /** A connection has passed the stages before HTTP, or has been closed by one. */
  public void entered(ClientConnection connection) {
    connections.remove(connection);
  }

  /** Counts a connection that speaks HTTP. */
  public void opened(ClientConnection connection) {
    connections.add(connection);
    observer.connectionOpened();
  }

  /** Replaces a connection by one of its protocol, once that is known. */
  public void replaced(ClientConnection connection, ClientConnection successor) {
    connections.remove(connection);
    connections.add(successor);
  }

  /** A connection has ended. */
  public void closed(ClientConnection connection) {
    connections.remove(connection);
    observer.connectionClosed();
  }

  /** Whether the process is ending. */
  public boolean draining() {
    return draining;
  }

  /** Ends every connection with the request that is in flight on it, at once if there is none. */
  public void drain() {
    draining = true;
    requests.drain();
    for (ClientConnection connection : snapshot()) {
      connection.drain();
    }
  }

  /** The connections that speak HTTP, or are passing the stages before it. */
  public int connectionCount() {
    return connections.size();
  }

  /** Closes every connection, whatever is in flight on it. */
  public void closeAll() {
    for (ClientConnection connection : snapshot()) {
      connection.close();
    }
  }

  /** A copy of the set of connections: a connection that closes leaves the set. */
  private List<ClientConnection> snapshot() {
    return new ArrayList<>(connections);
  }
}
