package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.downstream.ClientConnection;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientTimer;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.Role;
import dev.weir.proxy.http2.StreamEvents;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.message.RequestHead;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;

/**
 * One client's HTTP/2 connection. Gives each stream an owner: an {@link Http2Exchange}, or another
 * one that its router knows. A malformed request has its stream reset; a request that its head
 * alone forbids is refused here. Neither is charged.
 */
public final class Http2ClientConnection implements StreamEvents, ClientConnection {
  /** The most streams of one client at once (RFC 9113 recommends no fewer). */
  static final int MAX_STREAMS = 100;

  /** The most memory of a waiting head, encoded for the service in both versions of HTTP. */
  static final int MAX_HEAD_BYTES = 64 * 1024;

  private final ClientLoop loop;
  private final Http2ClientLoop exchanges;
  private final Peer peer;
  private final ClientShares.Share memory;
  private final ClientTimer timer;
  private final Http2Connection connection;

  /** Heap bytes that the slots of streams have taken. */
  private int slotBytes;

  /**
   * @param memory of its client.
   * @param timer is running, for the first request to arrive.
   */
  public Http2ClientConnection(
      Http2ClientLoop exchanges,
      Channel channel,
      Peer peer,
      ClientShares.Share memory,
      ClientTimer timer) {
    this.loop = exchanges.clients;
    this.exchanges = exchanges;
    this.peer = peer;
    this.memory = memory;
    this.timer = timer;
    timer.owner(this);
    connection =
        new Http2Connection(
            exchanges.connections(),
            Role.SERVER,
            channel,
            exchanges.connectionObserver,
            exchanges.router.maxStreams(),
            this);
  }

  /** Reads and writes for the connection. */
  public ChannelHandler handler() {
    return connection.handler();
  }

  @Override
  public void connectionBegun() {
    awaitRequest();
    if (loop.draining()) {
      drain();
    }
  }

  @Override
  public void drain() {
    connection.drain();
  }

  @Override
  public void close() {
    connection.close();
  }

  private void awaitRequest() {
    timer.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
  }

  /**
   * Announces WebSockets (RFC 8441) always, as the setting is sent before it is known whether the
   * service takes them (section 3). A request that the service does not take is refused.
   */
  @Override
  public boolean takesTunnels() {
    return exchanges.router == StreamRouter.REQUESTS_ONLY;
  }

  @Override
  public boolean isShared() {
    return peer.trusted();
  }

  @Override
  public Object client() {
    return memory.client();
  }

  @Override
  public long stalledNs() {
    return Math.max(StreamEvents.super.stalledNs(), loop.settings.timeouts().writeNs());
  }

  @Override
  public long maxReceivedBytes() {
    return exchanges.router.maxReceivedBytes();
  }

  @Override
  public boolean mayOpen(int growthBytes) {
    boolean may = memory.take(ClientLoop.REQUEST_BYTES + growthBytes);
    if (may) {
      slotBytes += growthBytes;
    } else {
      loop.observer.refused(RefusalReason.TOO_MANY_IN_FLIGHT);
    }
    return may;
  }

  @Override
  public void headReceived(int stream, FieldBlock fields, boolean endStream) {
    timer.never();
    RoutedStream routed = exchanges.router.route(fields, peer);
    if (routed != null) {
      start(stream, routed, endStream);
      return;
    }
    RequestHead head = exchanges.head;
    assert !loop.requests.asking() : "a head is read within the question of another request";
    switch (head.read(fields, endStream, peer)) {
      case READ -> start(stream, head);
      case MALFORMED -> {
        connection.release(stream);
        connection.malformed(stream);
      }
      case REFUSED -> {
        loop.observer.requestStarted(Http2ClientLoop.protocol(head.grpcType()));
        loop.observer.refused(head.refusal());
        loop.observer.requestEnded();
        exchanges.answers.refuse(
            connection,
            stream,
            loop.requests.plain(head.refusal()),
            head.grpcType(),
            head.headMethod());
        connection.release(stream);
      }
    }
  }

  private void start(int stream, RoutedStream routed, boolean endStream) {
    connection.owner(stream, routed);
    if (routed.contentLength() >= 0) {
      connection.expectContent(stream, routed.contentLength());
    }
    connection.expectReset(stream, routed.timeoutNs());
    routed.start(connection, stream, endStream);
  }

  private void start(int stream, RequestHead head) {
    Http2Exchange exchange = exchanges.take();
    connection.owner(stream, exchange);
    if (head.hasBody() && head.contentLength() >= 0) {
      connection.expectContent(stream, head.contentLength());
    }
    connection.expectDeadline(stream, head.timeoutNs());
    exchange.start(connection, stream, head);
  }

  @Override
  public void readEnding() {
    exchanges.router.readEnding();
  }

  @Override
  public void roomChanged() {
    memory.give(ClientLoop.REQUEST_BYTES);
    if (connection.streamCount() == 0) {
      awaitRequest();
    }
  }

  @Override
  public void onDeadline() {
    drain(); // idle for long enough
  }

  @Override
  public void connectionEnded() {
    timer.leave();
    memory.give(slotBytes);
    loop.closed(this);
  }
}
