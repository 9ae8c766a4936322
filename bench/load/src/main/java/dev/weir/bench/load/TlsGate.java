package dev.weir.bench.load;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.util.Locale;
import javax.net.ssl.SSLSession;

/** Hides a channel from the handlers behind until TLS is through, or else tells why it is not. */
final class TlsGate extends ChannelInboundHandlerAdapter {
  private static final String NO_PROTOCOL_ALERT = "no_application_protocol";

  private static final String MET = "met";

  private final String server;
  private final String protocol;
  private final LoadSink sink;

  TlsGate(String server, String protocol, LoadSink sink) {
    this.server = server;
    this.protocol = protocol;
    this.sink = sink;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (!handshake.isSuccess()) {
        refuse(ctx, reason(handshake.cause()), handshake.cause());
      } else if (agreed(ctx.pipeline().get(SslHandler.class).applicationProtocol())) {
        sink.shakenHands(resumed(ctx.pipeline().get(SslHandler.class).engine().getSession()));
        ctx.fireChannelActive();
        ctx.pipeline().remove(this);
      } else {
        refuse(ctx, notAgreed(), null);
      }
    }
  }

  /** Whether a session has been met before: what it is marked with stays with it. */
  private static boolean resumed(SSLSession session) {
    if (session.getValue(MET) != null) {
      return true;
    }
    session.putValue(MET, MET);
    return false;
  }

  private boolean agreed(String chosen) {
    return protocol.equals(chosen)
        || chosen == null && protocol.equals(ApplicationProtocolNames.HTTP_1_1);
  }

  private String notAgreed() {
    return "the server does not offer " + protocol + " (ALPN)";
  }

  private String reason(Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      return "the server does not speak TLS";
    }
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = String.valueOf(root.getMessage());
    return message.toLowerCase(Locale.ROOT).contains(NO_PROTOCOL_ALERT) ? notAgreed() : message;
  }

  private void refuse(ChannelHandlerContext ctx, String reason, Throwable cause) {
    sink.refused(new IOException("TLS with " + server + " failed: " + reason, cause));
    ctx.close();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    // Not for the handlers behind, yet.
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    // Whoever waited has been told that the handshake failed.
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
