package dev.weir.proxy.downstream;

import dev.weir.proxy.http.CurrentDate;
import dev.weir.proxy.http.Origin;
import dev.weir.proxy.http.RequestLoop;
import dev.weir.proxy.http.RequestTimeouts;
import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.TrailerSection;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TrafficObserver;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/** What the client connections of one event loop share. Used by that loop only. */
public final class ClientLoop {
  /** A connection takes so much of the heap: 4 KiB were measured, and 9 with full HPACK tables. */
  static final int CONNECTION_BYTES = 10 * 1024;

  /** A request in flight takes so much: 1.1 KiB were measured, and more where a service has it. */
  static final int REQUEST_BYTES = 1536;

  final ClientSettings settings;
  final LoopClock clock;
  final Deadlines deadlines;

  /** In bytes of the heap. */
  final ClientShares memory;

  /** Input of HTTP/1.1 that waits. */
  final KeptInput input;

  /** Answers of HTTP/1.1 that clients do not take. */
  final UntakenAnswers untaken;

  final RequestLoop requests;
  final TrafficObserver observer;
  final RequestHead head;
  final RefusalWriter refusals;
  final RateLimitFields rateLimitFields;
  final CurrentDate date = new CurrentDate();
  private final TrailerSection trailers;
  final UnsafeBuffer window = new UnsafeBuffer(0, 0);
  final ChunkScanner probe = new ChunkScanner();
  final Http2ClientLoop http2;

  private final Set<ClientConnection> connections =
      Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean draining;

  /**
   * @param memory bytes of the heap that clients may take.
   * @param http2Connections what all connections of HTTP/2 share.
   * @param http2Observer is told of those with clients.
   * @param router of their streams.
   */
  public ClientLoop(
      ClientSettings settings,
      LoopClock clock,
      Deadlines deadlines,
      ClientShares memory,
      Admission admission,
      Origin origin,
      ClientKey clientKeys,
      TrafficObserver observer,
      Http2Loop http2Connections,
      Http2Observer http2Observer,
      StreamRouter router) {
    this.settings = settings;
    this.clock = clock;
    this.deadlines = deadlines;
    this.memory = memory;
    this.observer = observer;
    input = new KeptInput(http2Connections.maxHeldBytes());
    untaken = new UntakenAnswers(clock, input, 2 * http2Connections.maxHeldBytes());
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
    head = new RequestHead(settings.caps().fieldCount(), settings.caps().targetBytes());
    trailers = new TrailerSection(settings.caps().fieldCount());
    rateLimitFields = new RateLimitFields(settings.answers());
    refusals = new RefusalWriter(rateLimitFields, date);
    http2 =
        new Http2ClientLoop(
            settings, http2Connections, http2Observer, requests, observer, date, router);
  }

  /** A connection is on its way in, and counts as one once it is there. */
  void entering(ClientConnection connection) {
    connections.add(connection);
  }

  /** A connection has come in, or will not. */
  void entered(ClientConnection connection) {
    connections.remove(connection);
  }

  void opened(ClientConnection connection) {
    connections.add(connection);
    observer.connectionOpened();
  }

  /** Another takes over a connection, once its protocol is known. */
  void replaced(ClientConnection connection, ClientConnection successor) {
    connections.remove(connection);
    connections.add(successor);
  }

  void closed(ClientConnection connection) {
    connections.remove(connection);
    observer.connectionClosed();
  }

  /** Reads trailer fields, of one request at a time; {@link #window} is theirs then. */
  RequestView trailers(ByteBuf lines) {
    ChannelIo.view(lines, window);
    return trailers.read(window, lines.readableBytes());
  }

  boolean draining() {
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
