package dev.weir.proxy.client;

import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.Origin;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestHeadWriter;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.TrafficObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/** What the client connections of one event loop share. Used by that loop only. */
public final class ClientLoop {
  final ClientSettings settings;
  final LoopClock clock;
  final Deadlines deadlines;
  final Admission admission;
  final Origin origin;
  final ClientKey clientKeys;
  final TrafficObserver observer;
  final RequestHead head;
  final RequestHeadWriter headWriter;
  final RefusalWriter refusals;
  final RateLimitFields rateLimitFields;
  final Question question = new Question();
  final RequestEnd requestEnd = new RequestEnd();
  final UnsafeBuffer window = new UnsafeBuffer(0, 0);
  final ChunkScanner probe = new ChunkScanner();

  /** Whether a verdict is being asked for: until it is there, {@link #head} is that request's. */
  boolean asking;

  private final Set<ClientConnection> connections =
      Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean draining;

  /**
   * @param upstreamAuthority what to say as Host for clients that gave none.
   */
  public ClientLoop(
      ClientSettings settings,
      LoopClock clock,
      Deadlines deadlines,
      Admission admission,
      Origin origin,
      ClientKey clientKeys,
      TrafficObserver observer,
      String upstreamAuthority) {
    this.settings = settings;
    this.clock = clock;
    this.deadlines = deadlines;
    this.admission = admission;
    this.origin = origin;
    this.clientKeys = clientKeys;
    this.observer = observer;
    head = new RequestHead(settings.caps().fieldCount(), settings.caps().targetBytes());
    headWriter = new RequestHeadWriter(upstreamAuthority);
    rateLimitFields = new RateLimitFields(settings.answers());
    refusals = new RefusalWriter(rateLimitFields);
  }

  void opened(ClientConnection connection) {
    connections.add(connection);
    observer.connectionOpened();
  }

  void closed(ClientConnection connection) {
    connections.remove(connection);
    observer.connectionClosed();
  }

  boolean draining() {
    return draining;
  }

  /** Ends every connection with the request that is in flight on it, at once if there is none. */
  public void drain() {
    draining = true;
    for (ClientConnection connection : snapshot()) {
      connection.closeIfIdle();
    }
  }

  public int connectionCount() {
    return connections.size();
  }

  /** Closes every connection, whatever is in flight on it. */
  public void closeAll() {
    for (ClientConnection connection : snapshot()) {
      connection.close();
    }
  }

  /** A connection that closes leaves the set while it is walked. */
  private List<ClientConnection> snapshot() {
    return new ArrayList<>(connections);
  }
}
