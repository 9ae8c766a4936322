package dev.weir.proxy.loop;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandler;

/**
 * A connection's own handler, which sees what comes and nothing of what is written. {@link Bytes}
 * tells it from others by its class, which costs less than to ask whether a handler is outbound.
 */
public abstract class InboundHandler extends ChannelInboundHandlerAdapter {
  protected InboundHandler() {
    if (this instanceof ChannelOutboundHandler) {
      throw new IllegalStateException(getClass() + " (expected: inbound only)");
    }
  }
}
