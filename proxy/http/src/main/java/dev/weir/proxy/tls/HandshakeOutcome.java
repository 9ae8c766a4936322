package dev.weir.proxy.tls;

import dev.weir.proxy.request.Handshake;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.internal.tcnative.SSL;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Reads out of a library of TLS what a handshake came to. */
public final class HandshakeOutcome {
  /** Words by which certificate errors in the texts of BoringSSL and the JDK are recognised. */
  private static final List<String> OF_CERTIFICATES =
      List.of("certificate", "unknown_ca", "unknown ca");

  private static final List<String> OF_VERSIONS_AND_SUITES =
      List.of(
          "no_shared_cipher",
          "unsupported_protocol",
          "protocol_version",
          "no cipher suites in common",
          "no appropriate protocol",
          "is not enabled",
          "not accepted by server preferences");

  private HandshakeOutcome() {}

  /**
   * The outcome of a successful handshake.
   *
   * @param startMs when it began, in the system's time: an older session was resumed.
   */
  public static Handshake of(SSLEngine engine, long startMs) {
    boolean resumed;
    if (engine instanceof ReferenceCountedOpenSslEngine boring) {
      long pointer = boring.sslPointer();
      resumed = pointer != 0 && SSL.isSessionReused(pointer);
    } else {
      resumed = engine.getSession().getCreationTime() < startMs;
    }
    return resumed ? Handshake.RESUMED : Handshake.FULL;
  }

  /** Why a handshake has failed. */
  public static Handshake of(Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof NotSslRecordException) {
        return Handshake.NOT_TLS;
      }
      if (each instanceof CertificateException
          || each instanceof CertPathValidatorException
          || each instanceof CertPathBuilderException
          || each instanceof SSLPeerUnverifiedException) {
        return Handshake.CERTIFICATE_REFUSED;
      }
      String text = String.valueOf(each.getMessage()).toLowerCase(Locale.ROOT);
      if (OF_VERSIONS_AND_SUITES.stream().anyMatch(text::contains)) {
        return Handshake.NOTHING_IN_COMMON;
      }
      if (OF_CERTIFICATES.stream().anyMatch(text::contains)) {
        return Handshake.CERTIFICATE_REFUSED;
      }
    }
    return Handshake.FAILED;
  }
}
