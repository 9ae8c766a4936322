package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.InboundHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLException;

/**
 * Takes the place of a connection's handler during its TLS handshake, and reports the end of the
 * handshake once, before anything is read.
 */
final class UpstreamHandshake extends InboundHandler {
  private BiConsumer<String, Throwable> waiter;
  private boolean hasEnded;
  private String protocol;
  private Throwable failure;

  /**
   * Reports to {@code newWaiter}, at once if the handshake has ended: the protocol that ALPN has
   * agreed on, null if none, and why the handshake has failed, null if it has not.
   */
  void tell(BiConsumer<String, Throwable> newWaiter) {
    if (hasEnded) {
      newWaiter.accept(protocol, failure);
    } else {
      waiter = newWaiter;
    }
  }

  private void end(Throwable cause) {
    if (!hasEnded) {
      hasEnded = true;
      failure = cause;
      if (waiter != null) {
        waiter.accept(protocol, failure);
      }
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      protocol = ctx.pipeline().get(SslHandler.class).applicationProtocol();
      end(handshake.cause());
      if (handshake.isSuccess()) {
        ctx.pipeline().remove(this);
      } else {
        ctx.close();
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    end(new SSLException("the connection has ended within the handshake"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    end(cause);
    ctx.close();
  }
}
