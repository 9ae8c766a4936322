package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientConnection;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientTimer;
import dev.weir.proxy.downstream.h1.ConnectionEnd;
import dev.weir.proxy.loop.InboundHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * A client's connection before it speaks HTTP. A stage must be done within {@code timeouts.head},
 * or the connection is closed without a response. Handlers behind a stage see the connection become
 * active once it is done, and no event before.
 */
abstract class EntryStage extends InboundHandler implements ClientConnection {
  final ClientProtocols protocols;
  final ClientLoop loop;
  final Channel channel;
  private final ClientTimer timer = new ClientTimer(this);
  private boolean isWaiting;

  EntryStage(ClientProtocols protocols, Channel channel) {
    this.protocols = protocols;
    this.loop = protocols.clients;
    this.channel = channel;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    isWaiting = true;
    loop.entering(this);
    loop.deadlines.join(timer);
    timer.within(loop.clock.tick(), loop.settings.timeouts().headNs());
  }

  /** Whether the stage is not done yet. */
  final boolean isWaiting() {
    return isWaiting;
  }

  /** Ends the wait of this stage. */
  final void endWait() {
    if (isWaiting) {
      isWaiting = false;
      timer.leave();
      loop.entered(this);
    }
  }

  /** Lets the handlers behind this stage have the connection. */
  final void letIn(ChannelHandlerContext ctx) {
    endWait();
    ctx.fireChannelActive();
    channel.pipeline().remove(this);
  }

  /** Closes the connection, past all handlers. */
  final void turnAway() {
    endWait();
    channel.unsafe().close(channel.unsafe().voidPromise());
  }

  /** The stage was not done in time. */
  abstract void timedOut();

  @Override
  public final void onDeadline() {
    if (isWaiting) {
      timedOut();
      turnAway();
    }
  }

  /** Lets the connection go on: HTTP tells its client that the process is ending. */
  @Override
  public final void drain() {
    timer.within(loop.clock.nowNs(), ConnectionEnd.LINGER_NS);
  }

  @Override
  public final void close() {
    turnAway();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE && isWaiting) {
      channel.close();
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    endWait();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    channel.close(); // it has nothing yet that could be lost
  }
}
