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
 * Stands between TLS and a connection that does not know of it. The end of the connection's output
 * is followed by {@code close_notify}, without which a client must take a response as truncated
 * (RFC 8446, section 6.1). A TLS error of the client ends its connection as a reset does.
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
