package dev.weir.proxy.web;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection whose request is not whole in time, however steadily its bytes trickle in.
 * The first handler of a connection.
 */
final class RequestDeadline extends ChannelInboundHandlerAdapter {
  private final long seconds;

  /** Null while no request has begun. */
  private Future<?> timer;

  /**
   * @param seconds from a request's first byte to its last.
   */
  RequestDeadline(long seconds) {
    this.seconds = seconds;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object bytes) {
    if (timer == null) {
      timer = ctx.executor().schedule(() -> ctx.close(), seconds, TimeUnit.SECONDS);
    }
    ctx.fireChannelRead(bytes);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    requestEnded();
    ctx.fireChannelInactive();
  }

  /** The request is whole; the next byte begins another. */
  void requestEnded() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }
}
