package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientConnection;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientTimer;
import dev.weir.proxy.downstream.h1.ConnectionEnd;
import dev.weir.proxy.downstream.h1.Http1Connection;
import dev.weir.proxy.downstream.h2.Http2ClientConnection;
import dev.weir.proxy.http2.ClientPreface;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * A client's connection whose protocol is not known yet. If the first bytes are the preface of
 * HTTP/2, an {@link Http2ClientConnection} replaces this; at the first byte that differs, or if
 * anything else happens to the connection before, an {@link Http1Connection}, with the deadline
 * that was set.
 */
final class ProtocolChoice extends InboundHandler implements ClientConnection {
  private final ClientProtocols protocols;
  private final ClientLoop loop;
  private final Channel channel;
  private final Peer peer;
  private final ClientShares.Share memory;
  private final ClientTimer timer = new ClientTimer(this);
  private ChannelHandlerContext context;

  /** The beginning of the preface; null if no byte has arrived. */
  private ByteBuf in;

  /**
   * @param memory of its client.
   */
  ProtocolChoice(ClientProtocols protocols, Channel channel, Peer peer, ClientShares.Share memory) {
    this.protocols = protocols;
    this.loop = protocols.clients;
    this.channel = channel;
    this.peer = peer;
    this.memory = memory;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    loop.opened(this);
    loop.deadlines.join(timer);
    // One that came with the last of the backlog may still say why, but not hold up the end.
    long idleNs = loop.draining() ? ConnectionEnd.LINGER_NS : loop.settings.timeouts().idleNs();
    timer.within(loop.clock.tick(), idleNs);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (in == null && !ClientPreface.mayBegin(bytes)) {
      chooseHttp1(false);
      ctx.fireChannelRead(bytes);
      return;
    }
    if (in == null) {
      timer.within(loop.clock.tick(), loop.settings.timeouts().headNs());
    }
    in = ChannelIo.append(in, bytes);
    if (ClientPreface.begins(in)) {
      chooseHttp2();
    } else if (!ClientPreface.mayBegin(in)) {
      chooseHttp1();
    }
  }

  private void chooseHttp2() {
    Http2ClientConnection chosen =
        new Http2ClientConnection(protocols.http2, channel, peer, memory, timer);
    loop.replaced(this, chosen);
    channel.pipeline().replace(this, null, chosen.handler());
    context.fireChannelRead(in);
    in = null;
  }

  /** Passes the connection, and the bytes that have arrived, to HTTP/1.1. */
  private Http1Connection chooseHttp1() {
    ByteBuf bytes = in;
    in = null;
    Http1Connection chosen = chooseHttp1(bytes != null);
    if (bytes != null) {
      context.fireChannelRead(bytes);
    }
    return chosen;
  }

  private Http1Connection chooseHttp1(boolean headStarted) {
    Http1Connection chosen =
        new Http1Connection(protocols.http1, channel, peer, timer, headStarted);
    loop.replaced(this, chosen);
    channel.pipeline().replace(this, null, chosen);
    return chosen;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      chooseHttp1();
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    chooseHttp1();
    ctx.fireExceptionCaught(cause);
  }

  @Override
  public void drain() {
    chooseHttp1().drain();
  }

  @Override
  public void close() {
    chooseHttp1().close();
  }

  @Override
  public void onDeadline() {
    chooseHttp1().onDeadline();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    timer.leave();
    if (in != null) {
      in.release();
      in = null;
    }
    loop.closed(this);
  }
}
