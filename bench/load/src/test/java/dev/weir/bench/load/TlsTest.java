package dev.weir.bench.load;

import static dev.weir.bench.load.RawHttp2Server.END_HEADERS;
import static dev.weir.bench.load.RawHttp2Server.END_STREAM;
import static dev.weir.bench.load.RawHttp2Server.HEADERS;
import static dev.weir.bench.load.RawHttp2Server.OK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.scripts.server.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  private static final String[] H2 = {"h2"};
  private static final String[] HTTP1 = {"http/1.1"};
  private static final String[] NO_ALPN = {};
  private static final RawHttp2Server.Script ANSWERS =
      server -> {
        server.open();
        server.read(HEADERS);
        server.send(HEADERS, END_HEADERS | END_STREAM, 1, OK);
        server.drain();
      };

  @TempDir static Path folder;
  private static SelfSignedCertificate certificate;
  private static Path authority;

  @BeforeAll
  static void sign() throws IOException {
    certificate = new SelfSignedCertificate("dns:localhost");
    authority = certificate.writeCertificate(folder);
  }

  private static SSLServerSocket listener(String... protocols) throws IOException {
    final SSLServerSocket listener =
        (SSLServerSocket)
            certificate
                .serverContext()
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress());
    final SSLParameters parameters = listener.getSSLParameters();
    parameters.setApplicationProtocols(protocols);
    listener.setSSLParameters(parameters);
    return listener;
  }

  private static void connect(
      WatchedConnection client, Tls tls, String host, RawHttp2Server server) {
    final InetSocketAddress address = server.address();
    client.connect(
        address,
        new Http2Connection(client, 4, false, AnswerFields.newBlock()),
        channel -> tls.secure(channel.pipeline(), host, address.getPort(), client));
  }

  private static void assertAnswers(Tls tls, String host) throws IOException {
    final SSLServerSocket listener = listener(H2);
    try (RawHttp2Server server = new RawHttp2Server(listener, ANSWERS);
        WatchedConnection client = new WatchedConnection()) {
      connect(client, tls, host, server);
      client.expect("opened");
      client.start(Http2RequestsTest.of(Http2RequestsTest.spec("GET", "/", null), ""), 1);
      client.expect("1 200");
    }
  }

  /** That the sink is told of a failure with this reason, and of nothing else. */
  private static void assertRefused(Tls tls, String host, ServerSocket listener, String reason)
      throws IOException {
    try (listener;
        WatchedConnection client = new WatchedConnection()) {
      // The client's side of it; what the server thinks of it is of no interest.
      final RawHttp2Server server = new RawHttp2Server(listener, RawHttp2Server::drain);
      connect(client, tls, host, server);
      final String told = client.next();
      final String start =
          "refused: TLS with " + host + ":" + listener.getLocalPort() + " failed: " + reason;
      assertTrue(told.startsWith(start), told);
    }
  }

  @Test
  void trustsWhatTheAuthoritySigned() throws IOException {
    assertAnswers(Tls.http2(new TlsSettings(authority, false, true)), "localhost");
  }

  @Test
  void trustsAnybodyWhenInsecure() throws IOException {
    assertAnswers(Tls.http2(new TlsSettings(null, true, true)), "somewhere.example");
  }

  @Test
  void namesTheServerToIt() throws IOException {
    final AtomicReference<String> named = new AtomicReference<>();
    final SSLServerSocket listener = listener(H2);
    final SSLParameters parameters = listener.getSSLParameters();
    parameters.setSNIMatchers(
        List.of(
            new SNIMatcher(0) {
              @Override
              public boolean matches(SNIServerName name) {
                named.set(new String(name.getEncoded(), StandardCharsets.US_ASCII));
                return true;
              }
            }));
    listener.setSSLParameters(parameters);
    try (RawHttp2Server server =
            new RawHttp2Server(
                listener,
                raw -> {
                  raw.open();
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection()) {
      connect(client, Tls.http2(new TlsSettings(authority, false, true)), "localhost", server);
      client.expect("opened");
      assertEquals("localhost", named.get());
    }
  }

  @Test
  void refusesACertificateThatNobodyTrusts() throws IOException {
    assertRefused(
        Tls.http2(new TlsSettings(null, false, true)),
        "localhost",
        listener(H2),
        "unable to find valid certification path to requested target");
  }

  @Test
  void refusesACertificateForAnotherName() throws IOException {
    assertRefused(
        Tls.http2(new TlsSettings(authority, false, true)),
        "other.example",
        listener(H2),
        "No subject alternative DNS name matching other.example found.");
  }

  @Test
  void refusesAServerThatDoesNotAgreeToHttp2() throws IOException {
    final Tls tls = Tls.http2(new TlsSettings(authority, false, true));
    assertRefused(tls, "localhost", listener(HTTP1), "the server does not offer h2 (ALPN)");
    assertRefused(tls, "localhost", listener(NO_ALPN), "the server does not offer h2 (ALPN)");
  }

  @Test
  void refusesAServerWithoutTls() throws IOException {
    final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    try (RawHttp2Server server =
            new RawHttp2Server(
                listener,
                raw -> {
                  raw.raw("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection()) {
      connect(client, Tls.http2(new TlsSettings(null, true, true)), "localhost", server);
      client.expect(
          "refused: TLS with localhost:"
              + listener.getLocalPort()
              + " failed: the server does not speak TLS");
    }
  }

  @Test
  void refusesAServerThatClosesBeforeTlsIsThrough() throws IOException {
    final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    try (RawHttp2Server server = new RawHttp2Server(listener, raw -> {});
        WatchedConnection client = new WatchedConnection()) {
      connect(client, Tls.http2(new TlsSettings(null, true, true)), "localhost", server);
      assertTrue(client.next().startsWith("refused: TLS with localhost:"));
    }
  }

  @Test
  void speaksHttp1ToAServerThatDoesNotKnowOfAlpn() throws IOException {
    final SSLServerSocket listener = listener(NO_ALPN);
    try (RawHttp2Server server = new RawHttp2Server(listener, RawHttp2Server::drain);
        WatchedConnection client = new WatchedConnection()) {
      client.connect(
          server.address(),
          new Http1Connection(client),
          channel ->
              Tls.http1(new TlsSettings(authority, false, true))
                  .secure(channel.pipeline(), "localhost", listener.getLocalPort(), client));
      client.expect("opened");
    }
  }

  @Test
  void refusesAFileOfAuthoritiesThatHasNone() throws IOException {
    final Path none = folder.resolve("none.pem");
    assertEquals(
        none + " (expected: a file that can be read)",
        assertThrows(BadValueException.class, () -> Tls.http2(new TlsSettings(none, false, true)))
            .getMessage());
    final Path text = Files.writeString(folder.resolve("text.pem"), "not a certificate");
    final String message =
        assertThrows(BadValueException.class, () -> Tls.http1(new TlsSettings(text, false, true)))
            .getMessage();
    assertTrue(message.startsWith(text + " (expected: a file of certificates, PEM; "), message);
  }
}
