package dev.weir.proxy.tls;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import java.time.Instant;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;

/** TLS of a command that asks a server over one blocking socket, by the JDK. */
public final class ClientTls {
  private ClientTls() {}

  /**
   * Makes sockets that verify the server's certificate; its name is the caller's to verify.
   *
   * @param authorities file of those for the server; null for those that the JDK trusts.
   * @param own certificate to show; null for none.
   * @throws TlsFault if a file cannot be used.
   */
  public static SSLSocketFactory sockets(Path authorities, CertificateFiles own) throws TlsFault {
    SslContextBuilder builder =
        SslContextBuilder.forClient().sslProvider(SslProvider.JDK).protocols("TLSv1.3", "TLSv1.2");
    if (authorities != null) {
      builder.trustManager(PemFile.read(authorities).certificates());
    }
    if (own != null) {
      KeyedCertificate shown = KeyedCertificate.read(own, Instant.now());
      builder.keyManager(shown.key(), shown.chainArray());
    }
    try {
      return ((JdkSslContext) builder.build()).context().getSocketFactory();
    } catch (SSLException refused) {
      throw new TlsFault("tls: " + refused.getMessage());
    }
  }
}
