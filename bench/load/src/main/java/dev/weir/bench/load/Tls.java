package dev.weir.bench.load;

import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.proxy.rule.spec.BadValueException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * How the harness speaks TLS, by BoringSSL where it loads, else the JDK's: the server's name is
 * sent to it and looked for in its certificate, and the protocol is agreed on by ALPN. Used by any
 * event loop.
 */
final class Tls {
  private static final String CHECK_THE_NAME = "HTTPS";

  private final SslContext context;
  private final String protocol;
  private final boolean resumes;
  private final AtomicInteger connectionCount = new AtomicInteger();

  private Tls(SslContext context, String protocol, boolean resumes) {
    this.context = context;
    this.protocol = protocol;
    this.resumes = resumes;
  }

  /** For HTTP/2, which the server must agree to. */
  static Tls http2(TlsSettings settings) {
    return of(ApplicationProtocolNames.HTTP_2, settings);
  }

  /** For HTTP/1.1, which is also spoken to a server that does not know of ALPN. */
  static Tls http1(TlsSettings settings) {
    return of(ApplicationProtocolNames.HTTP_1_1, settings);
  }

  /**
   * @throws BadValueException if the file has no certificates, or cannot be read.
   */
  private static Tls of(String protocol, TlsSettings settings) {
    final SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
            .endpointIdentificationAlgorithm(CHECK_THE_NAME)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    protocol));
    if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
      builder.ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
    }
    if (!settings.groups().isEmpty() && OpenSsl.isAvailable()) {
      builder.option(OpenSslContextOption.GROUPS, settings.groups().toArray(String[]::new));
    }
    if (settings.insecure()) {
      builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
    } else if (settings.authorities() != null) {
      trust(builder, settings.authorities());
    }
    try {
      return new Tls(builder.build(), protocol, settings.resumes());
    } catch (SSLException e) {
      throw new IllegalStateException("tls: this JDK does not give it: " + e.getMessage(), e);
    }
  }

  private static void trust(SslContextBuilder builder, Path authorities) {
    if (!Files.isReadable(authorities)) {
      throw new BadValueException(authorities.toString(), "a file that can be read");
    }
    try {
      builder.trustManager(authorities.toFile());
    } catch (IllegalArgumentException e) {
      throw new BadValueException(
          authorities.toString(), "a file of certificates, PEM; " + rootOf(e).getMessage());
    }
  }

  /** Sessions are kept by host and port, and looked for by nothing else. */
  private int anotherPort() {
    return 1 + (connectionCount.getAndIncrement() & 0x7fff);
  }

  private static Throwable rootOf(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /**
   * Adds TLS to a channel that is not connected yet. The handlers behind see it active once the
   * server has proved who it is and agreed to the protocol; where it does not, they see nothing,
   * and the sink is told.
   *
   * @param host as it stands in the certificate.
   */
  void secure(ChannelPipeline pipeline, String host, int port, LoadSink sink) {
    final SslHandler handler =
        context.newHandler(pipeline.channel().alloc(), host, resumes ? port : anotherPort());
    if (!host.contains(".") && !host.contains(":")) {
      // The JDK sends names with a dot in them, and not those of the neighbourhood.
      final SSLParameters parameters = handler.engine().getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(host)));
      handler.engine().setSSLParameters(parameters);
    }
    pipeline.addLast(handler).addLast(new TlsGate(host + ":" + port, protocol, sink));
  }

  /** Hides a channel from the handlers behind until TLS is through, or else tells why it is not. */
  static final class TlsGate extends ChannelInboundHandlerAdapter {
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
}
