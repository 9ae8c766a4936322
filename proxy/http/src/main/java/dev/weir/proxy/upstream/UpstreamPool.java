package dev.weir.proxy.upstream;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.upstream.ConnectionCounts.Use;
import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The HTTP/1.1 connections of one event loop to the service. The one used last is reused first, so
 * that few connections are in use and the others become idle. Not thread-safe.
 *
 * <p>A request waits ({@link WaitingRequests}) if no connection is free, or its client's share of
 * them is used up ({@link ConnectionCounts}).
 */
public final class UpstreamPool implements Origin {
  private final UpstreamLoop loop;
  private final UpstreamConnector connector;
  private final Http1Messages messages;
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
  private final Map<ProxiedRequest, Attempt> attempts = new IdentityHashMap<>();

  private final ConnectionCounts counts;
  private final WaitingRequests<ProxiedRequest> waiting;

  public UpstreamPool(UpstreamLoop loop, UpstreamEndpoint endpoint) {
    this.loop = loop;
    counts = new ConnectionCounts(loop.settings().caps(), loop.observer());
    waiting = new WaitingRequests<>(loop, loop.settings().caps().queue(), new Places());
    connector =
        new UpstreamConnector(loop, endpoint, channel -> new UpstreamConnection(this, channel));
    messages = new Http1Messages(endpoint.authority());
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    if (upgrade && !counts.hasRoomForStream(client)) {
      return true;
    }
    return !waiting.hasRoom(client) && !waiting.maySkip(client);
  }

  @Override
  public boolean multiplexes() {
    return false;
  }

  @Override
  public boolean isScarce() {
    return counts.isScarce();
  }

  @Override
  public void encode(IncomingRequest head, EncodedHead out) {
    messages.encode(head, out);
  }

  /**
   * Writes a head in HTTP/1.1 beside that in HTTP/2, as it is not known which of them the service
   * speaks.
   */
  public void encodeOther(IncomingRequest head, EncodedHead out) {
    messages.encodeOther(head, out);
  }

  /** Takes over a connection that was opened for HTTP/2. */
  public void adopt(Channel channel, SocketAddress[] targets) {
    channel.pipeline().addLast(new UpstreamConnection(this, channel));
    counts.making(ClientKey.NONE);
    connected(null, ClientKey.NONE, channel, targets);
  }

  /** Whether there is no connection, and none is being opened. */
  public boolean isUnused() {
    return counts.isEmpty() && attempts.isEmpty() && waiting.size() == 0;
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    if (waiting.maySkip(client)) {
      UpstreamConnection connection = take(request, client);
      return connection == null ? Pending.CONNECTING : connection;
    }
    if (!waiting.hasRoom(client)) {
      return Pending.BUSY;
    }
    waiting.add(request, client);
    return Pending.QUEUED;
  }

  /** The free places: an idle connection, or the right to open one; and each client's share. */
  private final class Places implements WaitingRequests.Places<ProxiedRequest> {
    @Override
    public boolean hasRoom() {
      while (!idle.isEmpty() && !mayServe(idle.peekFirst())) {
        idle.pollFirst().close();
      }
      return !idle.isEmpty() || !counts.isFull();
    }

    @Override
    public boolean hasRoom(long client) {
      return counts.hasRoom(client);
    }

    @Override
    public void give(ProxiedRequest request, long client) {
      UpstreamConnection connection = take(request, client);
      if (connection != null) {
        request.opened(connection);
      }
    }

    @Override
    public void refuse(ProxiedRequest request) {
      request.serviceReset(RefusalReason.UPSTREAM_BUSY);
    }
  }

  private boolean mayServe(UpstreamConnection connection) {
    return connection.isUsable() && isCurrent(connection);
  }

  /** Whether a connection goes to one of the service's present addresses. */
  private boolean isCurrent(UpstreamConnection connection) {
    return connection.targets == loop.addresses().current();
  }

  /** A connection for the request; null if one is being opened. */
  private UpstreamConnection take(ProxiedRequest request, long client) {
    UpstreamConnection connection = idle.pollFirst();
    if (connection == null) {
      counts.making(client);
      Attempt attempt = new Attempt(request, client);
      attempts.put(request, attempt);
      connector.connect(attempt);
    } else {
      counts.begin(connection, client);
      connection.start(request);
    }
    return connection;
  }

  /**
   * The connection for a client could not be opened.
   *
   * @param request null if it no longer waits.
   */
  private void notConnected(ProxiedRequest request, long client, RefusalReason reason) {
    counts.notMade(client);
    waiting.serveSoon();
    if (request != null) {
      request.serviceReset(reason);
    }
  }

  /**
   * A connection has been opened.
   *
   * @param request null if it no longer waits.
   * @param targets the addresses of which it is connected to one.
   */
  private void connected(
      ProxiedRequest request, long client, Channel channel, SocketAddress[] targets) {
    loop.observer().upstreamOpened();
    UpstreamConnection connection = channel.pipeline().get(UpstreamConnection.class);
    if (connection == null || connection.use == Use.NONE) {
      notConnected(request, client, RefusalReason.UPSTREAM_CLOSED); // within the same turn
      return;
    }
    connection.use = Use.EXCHANGE;
    connection.client = client;
    connection.targets = targets;
    if (request == null) {
      release(connection);
    } else {
      connection.start(request);
      request.opened(connection);
    }
  }

  @Override
  public void forget(ProxiedRequest request) {
    Attempt forgotten = attempts.remove(request);
    if (forgotten != null) {
      forgotten.request = null; // a connection that is made for it is idle
    } else {
      waiting.remove(request);
    }
  }

  /** A connection that is being opened for a request. */
  private final class Attempt extends UpstreamConnector.Attempt {
    private final long client;

    /** Null if it no longer waits. */
    private ProxiedRequest request;

    Attempt(ProxiedRequest request, long client) {
      this.request = request;
      this.client = client;
    }

    @Override
    public boolean isWanted() {
      return request != null;
    }

    @Override
    public void connected(Channel channel) {
      UpstreamPool.this.connected(take(), client, channel, targets());
    }

    @Override
    public void failed(RefusalReason reason) {
      notConnected(take(), client, reason);
    }

    private ProxiedRequest take() {
      if (request != null) {
        attempts.remove(request);
      }
      return request;
    }
  }

  /**
   * Counts a connection as a long-lived stream, if there is a place for it.
   *
   * @return whether it does.
   */
  boolean becomeStream(UpstreamConnection connection) {
    boolean wasExchange = connection.use == Use.EXCHANGE;
    boolean isStream = counts.becomeStream(connection);
    if (wasExchange && isStream) {
      waiting.serveSoon();
    }
    return isStream;
  }

  /** Takes back a connection whose exchange has ended in order. */
  void release(UpstreamConnection connection) {
    counts.leave(connection);
    if (!isCurrent(connection) || counts.isFull()) {
      connection.close();
    } else {
      counts.becomeIdle(connection);
      connection.idleUntil(loop.clock().nowNs() + loop.settings().timeouts().idleNs());
      idle.addFirst(connection);
    }
    waiting.serveSoon();
  }

  void closed(UpstreamConnection connection) {
    if (connection.use == Use.IDLE) {
      idle.remove(connection);
    }
    counts.leave(connection);
    loop.observer().upstreamClosed();
    waiting.serveSoon();
  }

  @Override
  public void closeIdle() {
    for (UpstreamConnection connection : List.copyOf(idle)) {
      connection.close(); // leaves them
    }
  }

  UpstreamLoop loop() {
    return loop;
  }

  Http1Messages messages() {
    return messages;
  }
}
