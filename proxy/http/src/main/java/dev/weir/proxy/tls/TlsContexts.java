package dev.weir.proxy.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;

/**
 * Makes Netty's contexts: with BoringSSL if it loads, otherwise with the JDK's TLS; TLS 1.3 and
 * 1.2, with cipher suites that have forward secrecy and authenticated encryption, none of which RFC
 * 9113 forbids (section 9.2.2).
 *
 * <p>Each server context has ticket keys of its own, so a session of one listener, name or version
 * of a certificate cannot be resumed with another. The JDK makes and changes them itself; for
 * BoringSSL {@link TicketKeys} does.
 */
final class TlsContexts {
  /** The longest time in which a session can be resumed, in seconds. */
  static final long SESSION_SECONDS = TimeUnit.HOURS.toSeconds(12);

  /** The cipher suites, those of TLS 1.3 first. */
  static final List<String> CIPHERS =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  private static final SslProvider PROVIDER =
      OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;

  static {
    if (System.getProperty("jdk.tls.rejectClientInitiatedRenegotiation") == null) {
      // BoringSSL's servers never do.
      System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }
  }

  private TlsContexts() {}

  /** {@code BoringSSL} or {@code JDK}. */
  static String provider() {
    return PROVIDER == SslProvider.JDK ? "JDK" : OpenSsl.versionString();
  }

  private static SslContextBuilder common(SslContextBuilder builder, List<String> protocols) {
    return builder
        .sslProvider(PROVIDER)
        .protocols("TLSv1.3", "TLSv1.2")
        .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
        .sessionTimeout(SESSION_SECONDS)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                protocols));
  }

  /**
   * A server's context.
   *
   * @param protocols for ALPN, in order of preference.
   * @param authorities of clients; empty if clients need no certificate.
   */
  static SslContext server(
      KeyedCertificate certificate,
      List<String> protocols,
      ClientCertificate clients,
      List<X509Certificate> authorities)
      throws SSLException {
    SslContextBuilder builder =
        common(SslContextBuilder.forServer(certificate.key(), certificate.chainArray()), protocols);
    switch (clients) {
      case OFF -> builder.clientAuth(ClientAuth.NONE);
      case OPTIONAL -> trust(builder.clientAuth(ClientAuth.OPTIONAL), authorities);
      case REQUIRED -> trust(builder.clientAuth(ClientAuth.REQUIRE), authorities);
    }
    SslContext context = builder.build();
    if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
      sessions.setSessionCacheEnabled(false); // there are tickets, which cost no memory
    }
    return context;
  }

  /**
   * Verifies certificates of the other side.
   *
   * @param authorities to trust; null for those that the JDK trusts.
   */
  private static void trust(SslContextBuilder builder, List<X509Certificate> authorities) {
    if (PROVIDER != SslProvider.JDK) {
      builder.trustManager(CertificateAlerts.verifying(authorities));
    } else if (authorities != null) {
      builder.trustManager(authorities);
    }
  }

  /**
   * A client's context.
   *
   * @param own certificate to show; null for none.
   * @param authorities of servers; null for those that the JDK trusts.
   */
  static SslContext client(
      KeyedCertificate own,
      List<String> protocols,
      List<X509Certificate> authorities,
      SNIHostName name,
      boolean verifies)
      throws SSLException {
    SslContextBuilder builder = common(SslContextBuilder.forClient(), protocols);
    if (own != null) {
      builder.keyManager(own.key(), own.chainArray());
    }
    if (name != null) {
      builder.serverName(name);
    }
    if (!verifies) {
      return builder
          .trustManager(InsecureTrustManagerFactory.INSTANCE)
          .endpointIdentificationAlgorithm(null)
          .build();
    }
    trust(builder, authorities);
    return builder.endpointIdentificationAlgorithm("HTTPS").build();
  }
}
