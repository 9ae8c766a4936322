package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.ProxyHeaderFault;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/**
 * A connection that must begin with a PROXY header of a trusted proxy. The client that it names is
 * the peer from then on, also for a TLS handshake. Any other connection is closed: if the header
 * were optional, any client could choose its address.
 */
final class ProxyHeaderStage extends EntryStage {
  private final Peer sender;
  private final AcceptedConnections arrivals;
  private final ProxyHeader header = new ProxyHeader();

  /** The beginning of the header; null if no byte has arrived. */
  private ByteBuf in;

  ProxyHeaderStage(
      ClientProtocols protocols, Channel channel, Peer sender, AcceptedConnections arrivals) {
    super(protocols, channel);
    this.sender = sender;
    this.arrivals = arrivals;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    super.channelActive(ctx);
    if (!sender.trusted()) {
      refuse(ProxyHeaderFault.NOT_TRUSTED);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    in = ChannelIo.append(in, (ByteBuf) message);
    if (!isWaiting()) {
      release();
      return;
    }
    int length = header.read(in);
    switch (length) {
      case ProxyHeader.INCOMPLETE -> {
        // The rest is to come.
      }
      case ProxyHeader.MISSING -> refuse(ProxyHeaderFault.MISSING);
      case ProxyHeader.MALFORMED -> refuse(ProxyHeaderFault.MALFORMED);
      default -> introduce(ctx, length);
    }
  }

  private void introduce(ChannelHandlerContext ctx, int length) {
    in.skipBytes(length);
    if (!arrivals.introduced(protocols, channel, sender, header.client())) {
      turnAway();
      return;
    }
    ByteBuf rest = in;
    in = null;
    letIn(ctx);
    if (rest.isReadable()) {
      channel.pipeline().fireChannelRead(rest);
    } else {
      rest.release();
    }
  }

  private void refuse(ProxyHeaderFault why) {
    loop.observer.proxyHeaderRefused(why);
    turnAway();
  }

  @Override
  void timedOut() {
    loop.observer.proxyHeaderRefused(ProxyHeaderFault.INCOMPLETE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (isWaiting()) {
      loop.observer.proxyHeaderRefused(ProxyHeaderFault.INCOMPLETE);
    }
    release();
    super.channelInactive(ctx);
  }

  private void release() {
    if (in != null) {
      in.release();
      in = null;
    }
  }
}
