package dev.weir.proxy.tls;

import java.net.Socket;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Takes any certificate of the service, for any name: only where the settings say so aloud. */
final class NoVerification extends X509ExtendedTrustManager {
  static final NoVerification INSTANCE = new NoVerification();

  private NoVerification() {}

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) {
    throw new UnsupportedOperationException("clients are always verified");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
    throw new UnsupportedOperationException("clients are always verified");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
    throw new UnsupportedOperationException("clients are always verified");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) {
    // Whatever it is.
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
    // Whatever it is.
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
    // Whatever it is.
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
