package dev.weir.proxy.tls;

import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.internal.tcnative.CertificateVerifier;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Has BoringSSL send the alert that says what is wrong with a peer's certificate: {@code
 * unknown_ca}, {@code certificate_expired} or {@code bad_certificate} (RFC 8446, section 6.2). The
 * JDK's verification has the reason in the causes of its exception; BoringSSL would make an {@code
 * internal_error} of it.
 */
final class CertificateAlerts extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager verifier;

  private CertificateAlerts(X509ExtendedTrustManager verifier) {
    this.verifier = verifier;
  }

  /**
   * Verifies as the JDK does.
   *
   * @param authorities to trust; null for those that the JDK trusts.
   */
  static TrustManager verifying(List<X509Certificate> authorities) {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(authorities == null ? null : store(authorities));
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager verifier) {
          return new CertificateAlerts(verifier);
        }
      }
      throw new IllegalStateException("the JDK verifies no certificates");
    } catch (GeneralSecurityException | IOException missing) {
      throw new IllegalStateException(missing);
    }
  }

  private static KeyStore store(List<X509Certificate> authorities)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (int i = 0; i < authorities.size(); i++) {
      store.setCertificateEntry(Integer.toString(i), authorities.get(i));
    }
    return store;
  }

  private static CertificateException alerting(CertificateException refused) {
    // Netty would tell more of a name that does not match, and lose the alert: it goes by the text.
    String text = "certificate refused: " + refused.getMessage();
    return new OpenSslCertificateException(text, refused, fault(refused));
  }

  /** The error of BoringSSL for a reason. */
  private static int fault(Throwable refused) {
    for (Throwable each = refused; each != null; each = each.getCause()) {
      if (each instanceof CertPathBuilderException) {
        return CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
      }
      if (each instanceof CertificateExpiredException || reason(each) == BasicReason.EXPIRED) {
        return CertificateVerifier.X509_V_ERR_CERT_HAS_EXPIRED;
      }
      if (each instanceof CertificateNotYetValidException
          || reason(each) == BasicReason.NOT_YET_VALID) {
        return CertificateVerifier.X509_V_ERR_CERT_NOT_YET_VALID;
      }
    }
    return CertificateVerifier.X509_V_ERR_CERT_REJECTED;
  }

  private static CertPathValidatorException.Reason reason(Throwable refused) {
    return refused instanceof CertPathValidatorException path ? path.getReason() : null;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      verifier.checkClientTrusted(chain, type, engine);
    } catch (CertificateException refused) {
      throw alerting(refused);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      verifier.checkServerTrusted(chain, type, engine);
    } catch (CertificateException refused) {
      throw alerting(refused);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    verifier.checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    verifier.checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    verifier.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    verifier.checkServerTrusted(chain, type, socket);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return verifier.getAcceptedIssuers();
  }
}
