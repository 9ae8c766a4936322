package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.loop.ChannelIo;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;

/**
 * Stands between TLS and a connection that knows nothing of it. The end of the connection's output
 * becomes that of TLS: behind all that was written the client is sent a {@code close_notify},
 * without which it must take what it has for cut off (RFC 8446, section 6.1). What the client does
 * wrong in TLS becomes the end of its connection, as a reset is.
 */
final class TlsBoundary extends ChannelDuplexHandler {
  private final SslHandler tls;

  TlsBoundary(SslHandler tls) {
    this.tls = tls;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message == ChannelIo.OUTPUT_END) {
      ReferenceCountUtil.release(message);
      ctx.flush(); // what is not encrypted by then would never be
      tls.closeOutbound(promise);
    } else {
      ctx.write(message, promise);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean isOfTls = cause instanceof DecoderException && cause.getCause() instanceof IOException;
    ctx.fireExceptionCaught(isOfTls ? cause.getCause() : cause);
  }
}
