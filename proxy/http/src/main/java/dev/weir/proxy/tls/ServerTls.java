package dev.weir.proxy.tls;

import dev.weir.proxy.request.CertificateNames;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * TLS of one listener. Certificates may be replaced at any time; connections keep those that they
 * began with. If there are several, the server name in the client's hello (SNI) chooses one of
 * those that are in use then.
 */
public final class ServerTls implements ReloadedFiles, AutoCloseable {
  /** The largest hello of a client: what post-quantum keys and a ticket need, and some more. */
  private static final int MAX_HELLO_BYTES = 32 * 1024;

  private final ServerTlsSettings settings;
  private final List<String> protocols;
  private final Executor afterEveryLoop;
  private volatile ServerCertificates certificates;
  private boolean closed;

  /**
   * Reads the files.
   *
   * @param protocols for ALPN, in order of preference.
   * @param afterEveryLoop runs a task once every event loop has finished its present work.
   * @throws TlsFault that names all files that cannot be used.
   */
  public ServerTls(ServerTlsSettings settings, List<String> protocols, Executor afterEveryLoop)
      throws TlsFault {
    this.settings = settings;
    this.protocols = List.copyOf(protocols);
    this.afterEveryLoop = afterEveryLoop;
    this.certificates = new ServerCertificates(settings, protocols, Instant.now());
  }

  /** A handler for a new connection, to be its first; by the connection's event loop. */
  public ChannelHandler newHandler(Channel channel) {
    ServerCertificates current = certificates;
    return current.areSeveral() ? new ByName(this) : handler(current.find(null), channel.alloc());
  }

  private static SslHandler handler(SslContext context, ByteBufAllocator allocator) {
    SslHandler handler = context.newHandler(allocator);
    handler.setHandshakeTimeoutMillis(0); // the connection has a timer of its own
    return handler;
  }

  /**
   * The names in the client's certificate; null if it has shown none.
   *
   * @param engine of a connection whose handshake has succeeded.
   */
  public static CertificateNames clientNames(SSLEngine engine) {
    if (!engine.getNeedClientAuth() && !engine.getWantClientAuth()) {
      return null; // asking the session would make an exception, for every connection
    }
    try {
      Certificate[] chain = engine.getSession().getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate certificate
          ? CertificateText.ofClient(certificate)
          : null;
    } catch (SSLPeerUnverifiedException none) {
      return null;
    }
  }

  /** When the first of the certificates expires. */
  public Instant expiry() {
    return certificates.expiry();
  }

  /** Which library does it. */
  public static String provider() {
    return TlsContexts.provider();
  }

  @Override
  public List<Path> files() {
    List<Path> files = new ArrayList<>();
    for (CertificateFiles each : settings.certificates()) {
      files.addAll(each.all());
    }
    if (settings.clientAuthorities() != null) {
      files.add(settings.clientAuthorities());
    }
    return files;
  }

  @Override
  public synchronized String reload() throws TlsFault {
    ServerCertificates before = certificates;
    certificates = new ServerCertificates(settings, protocols, Instant.now());
    afterEveryLoop.execute(before::release);
    return certificates.toString();
  }

  @Override
  public synchronized void pass(long nowNs) {
    if (!closed) {
      certificates.pass(nowNs);
    }
  }

  /** Once no new connections come. */
  @Override
  public synchronized void close() {
    closed = true;
    certificates.release();
  }

  /** The names in the certificates, and until when each is valid. */
  @Override
  public String toString() {
    return certificates.toString();
  }

  /** Waits for the client's hello, and takes the certificate for the name in it. */
  private static final class ByName extends SniHandler {
    ByName(ServerTls tls) {
      super(
          (name, promise) ->
              promise.setSuccess(
                  tls.certificates.find(name == null ? null : name.toLowerCase(Locale.ROOT))),
          MAX_HELLO_BYTES,
          0);
    }

    @Override
    protected SslHandler newSslHandler(SslContext context, ByteBufAllocator allocator) {
      return handler(context, allocator);
    }
  }
}
