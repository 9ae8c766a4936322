package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.request.Handshake;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.tls.HandshakeOutcome;
import dev.weir.proxy.tls.ServerTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/**
 * A client's connection during its TLS handshake. Stands behind the handler of TLS. The names in
 * the client's certificate go into its {@link Peer}.
 */
final class HandshakeStage extends EntryStage {
  private final Peer peer;
  private final CountByClient underWay;
  private final IpAddress capped;
  private final ClientShares.Share memory;
  private final long startMs = System.currentTimeMillis();
  private boolean counted;

  /**
   * @param underWay handshakes by client; this one has been counted.
   * @param capped the client that it counts for; null for none.
   * @param memory of that client.
   */
  HandshakeStage(
      ClientProtocols protocols,
      Channel channel,
      Peer peer,
      CountByClient underWay,
      IpAddress capped,
      ClientShares.Share memory) {
    super(protocols, channel);
    this.peer = peer;
    this.underWay = underWay;
    this.capped = capped;
    this.memory = memory;
    this.counted = capped != null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent done) {
      ended(ctx, done);
    } else {
      super.userEventTriggered(ctx, event);
    }
  }

  private void ended(ChannelHandlerContext ctx, SslHandshakeCompletionEvent event) {
    if (!isWaiting()) {
      return;
    }
    countOut();
    if (!event.isSuccess()) {
      loop.observer.handshakeEnded(HandshakeOutcome.of(event.cause()));
      endWait(); // the handler in front tells the client why, and closes
      return;
    }
    SslHandler handler = channel.pipeline().get(SslHandler.class);
    loop.observer.handshakeEnded(HandshakeOutcome.of(handler.engine(), startMs));
    Peer secured = peer.secured(ServerTls.clientNames(handler.engine()));
    channel.pipeline().addLast(new TlsBoundary(handler));
    channel.pipeline().addLast(new ProtocolChoice(protocols, channel, secured, memory));
    letIn(ctx);
  }

  @Override
  void timedOut() {
    loop.observer.handshakeEnded(Handshake.TIMED_OUT);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (isWaiting()) {
      loop.observer.handshakeEnded(Handshake.FAILED);
    }
    countOut();
    super.channelInactive(ctx);
  }

  private void countOut() {
    if (counted) {
      counted = false;
      underWay.leave(capped);
    }
  }
}
