package dev.weir.proxy.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/**
 * Adds the handlers of a channel once it belongs to an event loop, and then removes itself. One for
 * any number of channels.
 */
public abstract class ChannelSetUp extends InboundHandler {
  /** Sets a channel up, on its event loop. If this throws, the channel is closed. */
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
