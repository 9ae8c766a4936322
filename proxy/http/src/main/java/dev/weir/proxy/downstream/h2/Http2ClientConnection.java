package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.downstream.ClientConnection;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientTimer;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.Role;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.message.RequestHead;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/**
 * One client's connection that speaks HTTP/2: gives each of its streams an owner, an {@link
 * Http2Exchange} unless its router knows another, and tells that what comes. What no request may be
 * resets its stream, what is refused by its head alone is answered here; neither costs anything of
 * a limit.
 */
public final class Http2ClientConnection extends Http2Connection implements ClientConnection {
  /** The most streams of one client at once (RFC 9113 recommends no fewer). */
  static final int MAX_STREAMS = 100;

  /** The most memory of a head that waits, encoded for the service in both versions of HTTP. */
  static final int MAX_HEAD_BYTES = 64 * 1024;

  private final ClientLoop loop;
  private final Http2ClientLoop exchanges;
  private final Peer peer;
  private final ClientShares.Share memory;
  private final ClientTimer timer;

  /** Bytes of the heap that the slots of streams have taken. */
  private int slotBytes;

  /**
   * @param memory of its client.
   * @param timer runs: until the first request comes.
   */
  public Http2ClientConnection(
      Http2ClientLoop exchanges,
      Channel channel,
      Peer peer,
      ClientShares.Share memory,
      ClientTimer timer) {
    super(
        exchanges.connections(),
        Role.SERVER,
        channel,
        exchanges.connectionObserver,
        exchanges.router.maxStreams());
    this.loop = exchanges.clients;
    this.exchanges = exchanges;
    this.peer = peer;
    this.memory = memory;
    this.timer = timer;
    timer.owner(this);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    start();
    awaitRequest();
    if (loop.draining()) {
      drain();
    }
  }

  private void awaitRequest() {
    timer.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
  }

  /**
   * Whatever the service speaks: who is told otherwise would ask by HTTP/1.1, and be answered as
   * now. It is said once, before anybody knows what a service allows (RFC 8441, section 3).
   */
  @Override
  protected boolean takesTunnels() {
    return exchanges.router == StreamRouter.REQUESTS_ONLY;
  }

  @Override
  protected boolean isShared() {
    return peer.trusted();
  }

  @Override
  public Object client() {
    return memory.client();
  }

  @Override
  protected long stalledNs() {
    return Math.max(super.stalledNs(), loop.settings.timeouts().writeNs());
  }

  @Override
  protected long maxReceivedBytes() {
    return exchanges.router.maxReceivedBytes();
  }

  @Override
  protected boolean mayOpen(int growthBytes) {
    boolean may = memory.take(ClientLoop.REQUEST_BYTES + growthBytes);
    if (may) {
      slotBytes += growthBytes;
    } else {
      loop.observer.refused(RefusalReason.TOO_MANY_IN_FLIGHT);
    }
    return may;
  }

  @Override
  protected void headReceived(int stream, FieldBlock fields, boolean endStream) {
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
        release(stream);
        malformed(stream);
      }
      case REFUSED -> {
        loop.observer.requestStarted(Http2ClientLoop.protocol(head.grpcType()));
        loop.observer.refused(head.refusal());
        loop.observer.requestEnded();
        exchanges.answers.refuse(
            this, stream, loop.requests.plain(head.refusal()), head.grpcType(), head.headMethod());
        release(stream);
      }
    }
  }

  private void start(int stream, RoutedStream routed, boolean endStream) {
    user(stream, routed);
    if (routed.contentLength() >= 0) {
      expectContent(stream, routed.contentLength());
    }
    expectReset(stream, routed.timeoutNs());
    routed.start(this, stream, endStream);
  }

  private void start(int stream, RequestHead head) {
    Http2Exchange exchange = exchanges.take();
    user(stream, exchange);
    if (head.hasBody() && head.contentLength() >= 0) {
      expectContent(stream, head.contentLength());
    }
    expectDeadline(stream, head.timeoutNs());
    exchange.start(this, stream, head);
  }

  @Override
  protected int dataReceived(int stream, ByteBuf in, int offset, int bytes, boolean endStream) {
    return owner(stream).dataReceived(in, offset, bytes, endStream);
  }

  @Override
  protected void readEnding() {
    exchanges.router.readEnding();
  }

  @Override
  protected void trailersReceived(int stream, FieldBlock fields) {
    owner(stream).trailersReceived(fields);
  }

  /** The head of a stream's request waits in so much memory; 0 if it waits no more. */
  void headWaits(int stream, int bytes) {
    holdBeside(stream, bytes);
  }

  /** The stream is a tunnel, which has no trailers (RFC 9113, section 8.5). */
  void refuseTrailers(int stream) {
    malformed(stream);
  }

  @Override
  protected void streamEnded(int stream, StreamEnd how, int errorCode) {
    boolean isClientsWord = how == StreamEnd.PEER_RESET;
    owner(stream).cancelled(isClientsWord ? errorCode : RequestEnd.NO_CODE);
  }

  @Override
  protected void bytesSent(int stream, int bytes) {
    owner(stream).bytesSent(bytes);
  }

  private StreamOwner owner(int stream) {
    return (StreamOwner) user(stream);
  }

  @Override
  protected void roomChanged() {
    memory.give(ClientLoop.REQUEST_BYTES);
    if (streamCount() == 0) {
      awaitRequest();
    }
  }

  @Override
  public void onDeadline() {
    drain(); // idle for long enough
  }

  @Override
  protected void connectionEnded() {
    timer.leave();
    memory.give(slotBytes);
    loop.closed(this);
  }
}
