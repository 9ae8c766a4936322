package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.handler.codec.DecoderException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class HandshakeReasonTest {
  @Test
  void tellsTheDeepestReasonThatSaysAnything() {
    Throwable deepest = new CertPathBuilderException("no path to an authority");
    Throwable certificate = new CertificateException("PKIX path building failed", deepest);
    deepest.initCause(new IllegalStateException());
    Throwable handshake = new SSLHandshakeException("General OpenSslEngine problem");
    handshake.initCause(certificate);
    assertEquals(
        "no path to an authority", UpstreamConnector.reason(new DecoderException(handshake)));
  }

  @Test
  void tellsTheKindOfAFailureThatSaysNothing() {
    assertEquals(
        "java.lang.IllegalStateException",
        UpstreamConnector.reason(new IllegalStateException((String) null)));
  }
}
