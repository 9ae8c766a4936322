package dev.weir.proxy.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/**
 * Gives a channel its handlers once it belongs to an event loop, and leaves it. One for any number
 * of channels.
 */
public abstract class ChannelSetUp extends InboundHandler {
  /** Sets a channel up; by its event loop. One for which this fails is closed. */
  protected abstract void setUp(Channel channel);

  @Override
  public final void handlerAdded(ChannelHandlerContext context) {
    try {
      setUp(context.channel());
    } catch (RuntimeException | Error e) {
      context.fireExceptionCaught(e);
      context.close();
    } finally {
      if (!context.isRemoved()) { // as it is of a channel that was closed
        context.pipeline().remove(this);
      }
    }
  }
}
