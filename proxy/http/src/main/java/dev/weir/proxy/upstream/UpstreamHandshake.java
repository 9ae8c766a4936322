package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.InboundHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import javax.net.ssl.SSLException;

/**
 * Takes the place of a connection's handler during its TLS handshake, and reports the end of the
 * handshake once, before anything is read.
 */
final class UpstreamHandshake extends InboundHandler {
  /** Waits for the end of a handshake. */
  interface Waiter {
    /**
     * The handshake has ended.
     *
     * @param protocol that was agreed on by ALPN; null if none was.
     * @param failure why it has failed; null if it has not.
     */
    void handshaken(String protocol, Throwable failure);
  }

  private Waiter waiter;
  private boolean hasEnded;
  private String protocol;
  private Throwable failure;

  /** Reports to {@code newWaiter}, at once if the handshake has ended. */
  void tell(Waiter newWaiter) {
    if (hasEnded) {
      newWaiter.handshaken(protocol, failure);
    } else {
      waiter = newWaiter;
    }
  }

  private void end(Throwable cause) {
    if (!hasEnded) {
      hasEnded = true;
      failure = cause;
      if (waiter != null) {
        waiter.handshaken(protocol, failure);
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
