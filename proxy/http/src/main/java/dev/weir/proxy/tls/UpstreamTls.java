package dev.weir.proxy.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;

/**
 * TLS to the service: it is verified by its authorities and its name, and shown our certificate.
 */
public final class UpstreamTls implements ReloadedFiles, AutoCloseable {
  private final UpstreamTlsSettings settings;
  private final String host;
  private final int port;
  private final List<String> protocols;
  private final Executor afterEveryLoop;
  private volatile SslContext context;

  /**
   * Reads the files.
   *
   * @param host in the service's URL.
   * @param protocols for ALPN, in order of preference.
   * @param afterEveryLoop runs a task once every event loop has finished its present work.
   * @throws TlsFault if a file cannot be used.
   */
  public UpstreamTls(
      UpstreamTlsSettings settings,
      String host,
      int port,
      List<String> protocols,
      Executor afterEveryLoop)
      throws TlsFault {
    this.settings = settings;
    this.host = settings.serverName() == null ? host : settings.serverName();
    this.port = port;
    this.protocols = List.copyOf(protocols);
    this.afterEveryLoop = afterEveryLoop;
    this.context = read();
  }

  private SslContext read() throws TlsFault {
    List<X509Certificate> authorities =
        settings.authorities() == null ? null : PemFile.read(settings.authorities()).certificates();
    CertificateFiles files = settings.certificate();
    KeyedCertificate own = files == null ? null : KeyedCertificate.read(files, Instant.now());
    try {
      return TlsContexts.client(
          own, protocols, authorities, sentName(), !settings.insecureSkipVerify());
    } catch (SSLException | IllegalArgumentException refused) {
      throw new TlsFault("upstream-tls: " + refused.getMessage());
    }
  }

  /** Addresses are not asked for by name (RFC 6066, section 3). */
  private SNIHostName sentName() {
    boolean isAddress = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
    return isAddress ? null : new SNIHostName(host);
  }

  /**
   * A handler for a new connection, to be its first; called by the connection's event loop. Its
   * handshake has no timer of its own, as the connector has one.
   */
  public SslHandler newHandler(ByteBufAllocator allocator) {
    SslHandler handler = context.newHandler(allocator, host, port);
    handler.setHandshakeTimeoutMillis(0);
    return handler;
  }

  @Override
  public List<Path> files() {
    List<Path> files = new ArrayList<>();
    if (settings.authorities() != null) {
      files.add(settings.authorities());
    }
    if (settings.certificate() != null) {
      files.addAll(settings.certificate().all());
    }
    return files;
  }

  @Override
  public String reload() throws TlsFault {
    SslContext before = context;
    context = read();
    afterEveryLoop.execute(() -> ReferenceCountUtil.release(before));
    return "what is used with the service, " + host;
  }

  /** Once no new connections are made. */
  @Override
  public void close() {
    ReferenceCountUtil.release(context);
  }
}
