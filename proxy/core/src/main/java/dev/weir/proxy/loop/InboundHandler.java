package dev.weir.proxy.loop;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelOutboundHandler;

/**
 * A connection's own handler, which sees what comes and nothing of what is written. {@link
 * ChannelIo} tells it from others by its class, which costs less than to ask whether a handler is
 * outbound.
 *
 * <p>No adapter of Netty's: of those it asks the annotations, for which the JVM makes classes, a
 * dozen milliseconds of each start.
 */
public abstract class InboundHandler implements ChannelInboundHandler {
  protected InboundHandler() {
    if (this instanceof ChannelOutboundHandler) {
      throw new IllegalStateException(getClass() + " (expected: inbound only)");
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) throws Exception {}

  @Override
  public void handlerRemoved(ChannelHandlerContext context) throws Exception {}

  @Override
  public void channelRegistered(ChannelHandlerContext context) throws Exception {
    context.fireChannelRegistered();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext context) throws Exception {
    context.fireChannelUnregistered();
  }

  @Override
  public void channelActive(ChannelHandlerContext context) throws Exception {
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    context.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    context.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    context.fireChannelReadComplete();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
    context.fireChannelWritabilityChanged();
  }

  @Override
  @SuppressWarnings("deprecation") // of all handlers; of inbound ones it is not
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
    context.fireExceptionCaught(cause);
  }
}
