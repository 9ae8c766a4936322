package dev.weir.proxy.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.wiring.StartException;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS with clients, over sockets and with the JDK's TLS on their side. */
@Timeout(60)
class TlsTest {
  private static final TlsClient CLIENT = new TlsClient(TestCertificates.AUTHORITY, null);
  private static final String LARGE = "x".repeat(1 << 18);

  @TempDir private static Path directory;
  private static CertificateFiles files;
  private static Path authority;

  @BeforeAll
  static void makeFiles() {
    files = TestCertificates.write(directory, "a", TestCertificates.server("a.example"));
    authority = TestCertificates.writeAuthority(directory, "ca.crt", TestCertificates.AUTHORITY);
  }

  private static Rig rig(String... more) throws Exception {
    return rigOf("epoll", more);
  }

  private static Rig rigOf(String transport, String... more) throws Exception {
    String[] flags = new String[6 + more.length];
    String[] tls = {
      "--listen", "https://127.0.0.1:0",
      "--tls.certificate", files.chain().toString(),
      "--tls.key", files.key().toString()
    };
    System.arraycopy(tls, 0, flags, 0, 6);
    System.arraycopy(more, 0, flags, 6, more.length);
    return new Rig(transport, flags);
  }

  private static double handshakes(Rig rig, String outcome) throws IOException {
    return rig.metric("weir_tls_handshakes_total{outcome=\"" + outcome + "\"}");
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void proxiesOverTls(String transport) throws Exception {
    try (Rig rig = rigOf(transport);
        RawClient client = new RawClient(CLIENT.connect(rig.sidecar.listenAddress()))) {
      assertEquals(200, client.send(Rig.VALID).read().status());
      assertTrue(rig.origin.nextRequest().contains("\r\nX-Forwarded-Proto: https\r\n"));
      rig.origin.answer(
          "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE.length() + "\r\n\r\n" + LARGE);
      client.send(
          "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: " + LARGE.length() + "\r\n\r\n" + LARGE);
      assertEquals(LARGE, client.read().body());
      assertTrue(rig.origin.nextRequest().endsWith(LARGE));
      client.send("GET /c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertEquals(LARGE, client.read().body());
      assertEquals("", client.readToEnd(), "the end is said in TLS, else this throws");
      assertEquals(1, handshakes(rig, "full"));
    }
  }

  @Test
  void refusesOverTls() throws Exception {
    try (Rig rig = rig("--limit", "1/365d");
        RawClient client = new RawClient(CLIENT.connect(rig.sidecar.listenAddress()))) {
      assertEquals(200, client.send(Rig.VALID).read().status());
      assertEquals(429, client.send(Rig.VALID).read().status());
      assertEquals(400, client.send("GET / HTTP/1.1\r\n\r\n").read().status());
      assertEquals("", client.readToEnd());
    }
  }

  @Test
  void letsNoResponseThatIsCutOffLookWhole() throws Exception {
    try (Rig rig = rig();
        RawClient client = new RawClient(CLIENT.connect(rig.sidecar.listenAddress()))) {
      rig.origin.script(
          conversation -> {
            conversation.request();
            conversation.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
            conversation.end();
          });
      client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
      assertThrows(IOException.class, client::readToEnd);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void resumesASession(String version) throws Exception {
    TlsClient client = new TlsClient(TestCertificates.AUTHORITY, null);
    try (Rig rig = rig("--event-loops", "2")) {
      for (int i = 0; i < 3; i++) {
        // Only what comes behind the handshake brings the ticket of TLS 1.3.
        try (SSLSocket socket = client.connect(rig.sidecar.listenAddress(), "a.example", version);
            RawClient raw = new RawClient(socket)) {
          assertEquals(version, socket.getSession().getProtocol());
          assertEquals("http/1.1", socket.getApplicationProtocol());
          assertEquals(200, raw.send(Rig.VALID).read().status());
        }
      }
      assertEquals(1, handshakes(rig, "full"));
      assertEquals(2, handshakes(rig, "resumed"));
    }
  }

  @Test
  void showsTheCertificateForTheName() throws Exception {
    CertificateFiles b =
        TestCertificates.write(directory, "b", TestCertificates.server("*.b.example"));
    try (Rig rig =
        rig(
            "--tls.certificate", files.chain() + "," + b.chain(),
            "--tls.key", files.key() + "," + b.key())) {
      assertEquals("CN=a.example", shown(rig, "a.example"));
      assertEquals("CN=*.b.example", shown(rig, "x.b.example"));
      assertEquals("CN=*.b.example", shown(rig, "X.B.example"));
      assertEquals("CN=a.example", shown(rig, "elsewhere.example"));
    }
  }

  private static String shown(Rig rig, String name) throws IOException {
    TlsClient client = new TlsClient(TestCertificates.AUTHORITY, null);
    try (SSLSocket socket =
            client.connect(rig.sidecar.listenAddress(), name, "TLSv1.3", "TLSv1.2");
        RawClient raw = new RawClient(socket)) {
      assertEquals(200, raw.send(Rig.VALID).read().status());
      X509Certificate leaf = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      return leaf.getSubjectX500Principal().getName();
    }
  }

  @Test
  void speaksTls12And13Only() throws Exception {
    try (Rig rig = rig()) {
      assertThrows(
          SSLException.class,
          () -> CLIENT.connect(rig.sidecar.listenAddress(), "a.example", "TLSv1.1"));
      try (RawClient plain = rig.connect()) {
        plain.send(Rig.VALID);
        plain.readToEndOrReset();
      }
      rig.await("weir_tls_handshakes_total{outcome=\"not_tls\"}", 1);
      rig.serveOver(CLIENT);
    }
  }

  @Test
  void refusesRenegotiation() throws Exception {
    try (Rig rig = rig();
        SSLSocket socket = CLIENT.connect(rig.sidecar.listenAddress(), "a.example", "TLSv1.2");
        RawClient client = new RawClient(socket)) {
      assertEquals(200, client.send(Rig.VALID).read().status());
      assertThrows(
          IOException.class,
          () -> {
            socket.startHandshake();
            client.send(Rig.VALID).read();
          });
      rig.serveOver(CLIENT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void asksClientsForTheirCertificate(String version) throws Exception {
    TlsClient known =
        new TlsClient(
            TestCertificates.AUTHORITY, TestCertificates.client("me", "spiffe://example.org/me"));
    TlsClient stranger =
        new TlsClient(
            TestCertificates.AUTHORITY,
            TestCertificates.builder("CN=me").buildIssuedBy(TestCertificates.OTHER_AUTHORITY));
    String[] keyed = {"--tls.client-ca", authority.toString(), "--key", "tls:spiffe"};
    try (Rig rig = rig(keyed)) {
      for (int i = 0; i < 2; i++) {
        // The second time it is told by the session that is resumed.
        assertEquals(999 - i, served(rig, known, version).remaining());
      }
      assertEquals(1, handshakes(rig, "resumed"));
      assertThrows(IOException.class, () -> served(rig, CLIENT, version));
      assertThrows(IOException.class, () -> served(rig, stranger, version));
      rig.await("weir_tls_handshakes_total{outcome=\"certificate_refused\"}", 2);
    }
    try (Rig rig =
        rig(
            "--tls.client-ca", authority.toString(),
            "--tls.client-certificate", "optional",
            "--key", "tls:cn",
            "--on-missing-key", "refuse")) {
      assertEquals(999, served(rig, known, version).remaining());
      assertEquals(401, served(rig, CLIENT, version).status());
      assertThrows(IOException.class, () -> served(rig, stranger, version));
    }
  }

  private static RawClient.Response served(Rig rig, TlsClient client, String version)
      throws IOException {
    try (RawClient raw =
        new RawClient(client.connect(rig.sidecar.listenAddress(), "a.example", version))) {
      return raw.send(Rig.VALID).read();
    }
  }

  @Test
  void takesNewCertificatesWithoutDroppingAConnection() throws Exception {
    CertificateFiles used =
        TestCertificates.write(directory, "used", TestCertificates.server("a.example"));
    try (Rig rig =
            rig("--tls.certificate", used.chain().toString(), "--tls.key", used.key().toString());
        RawClient kept = new RawClient(CLIENT.connect(rig.sidecar.listenAddress()))) {
      assertEquals(200, kept.send(Rig.VALID).read().status());
      AtomicBoolean done = new AtomicBoolean();
      AtomicReference<Throwable> failed = new AtomicReference<>();
      Thread load =
          new Thread(
              () -> {
                try {
                  while (!done.get()) {
                    TlsClient fresh = new TlsClient(TestCertificates.AUTHORITY, null);
                    assertEquals(200, served(rig, fresh, "TLSv1.3").status());
                  }
                } catch (IOException | RuntimeException | AssertionError e) {
                  failed.set(e);
                }
              });
      load.start();
      for (int i = 0; i < 5; i++) {
        X509Bundle next = TestCertificates.server("next" + i + ".example", "a.example");
        CertificateFiles made = TestCertificates.write(directory, "next", next);
        Files.move(made.chain(), used.chain(), StandardCopyOption.REPLACE_EXISTING);
        rig.sidecar.reload(); // the key is that of the one before: nothing changes
        Files.move(made.key(), used.key(), StandardCopyOption.REPLACE_EXISTING);
        rig.sidecar.reload();
        assertEquals("CN=next" + i + ".example", shown(rig, "a.example"));
        assertEquals(200, kept.send(Rig.VALID).read().status());
      }
      done.set(true);
      load.join();
      assertEquals(null, failed.get());
      assertEquals(5, rig.metric("weir_tls_reloads_total"));
      assertEquals(5, rig.metric("weir_tls_reload_failures_total"));
      assertEquals(0, rig.metric("weir_tls_certificate_days_left"));
    }
  }

  @Test
  void endsInOrderInADrain() throws Exception {
    try (Rig rig = rig();
        RawClient idle = new RawClient(CLIENT.connect(rig.sidecar.listenAddress()));
        RawClient busy = new RawClient(CLIENT.connect(rig.sidecar.listenAddress()));
        RawClient silent = rig.connect()) {
      assertEquals(200, idle.send(Rig.VALID).read().status());
      busy.send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
      rig.await("weir_requests_in_flight", 1);
      Thread drain = new Thread(() -> rig.sidecar.drain(30_000_000_000L));
      drain.start();
      assertEquals("", idle.readToEnd(), "a close_notify, or this throws");
      busy.send("x");
      assertEquals(200, busy.read().status());
      assertEquals("", busy.readToEnd());
      silent.readToEndOrReset();
      drain.join();
    }
  }

  @Test
  void carriesATunnelWhoseSidesEndApart() throws Exception {
    try (Rig rig = rig();
        RawClient client = new RawClient(CLIENT.connect(rig.sidecar.listenAddress()))) {
      rig.origin.script(
          conversation -> {
            conversation.head();
            conversation.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\nhi");
            conversation.end();
          });
      client.send("GET /t HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n");
      assertEquals(101, client.read().status());
      assertEquals("hi", client.readToEnd());
    }
  }

  @Test
  void startsNotWithWhatItCannotUse() {
    StartException fault =
        assertThrows(StartException.class, () -> rig("--tls.key", files.chain().toString()));
    assertEquals(
        "tls: "
            + files.chain()
            + ": no private key in it (expected: PEM: -----BEGIN PRIVATE KEY-----)",
        fault.getMessage());
  }

  @Test
  void closesAHandshakeThatTakesTooLong() throws Exception {
    try (Rig rig = rig("--timeouts.head", "100ms");
        RawClient silent = rig.connect();
        RawClient slow = rig.connect()) {
      slow.send("\u0016\u0003\u0001");
      assertEquals("", silent.readToEndOrReset());
      assertEquals("", slow.readToEndOrReset());
      rig.await("weir_tls_handshakes_total{outcome=\"timed_out\"}", 2);
    }
  }

  @Test
  void boundsTheHandshakesOfAClient() throws Exception {
    try (Rig rig = rig("--caps.connections-per-address", "8");
        RawClient first = rig.connect();
        RawClient second = rig.connect()) {
      first.send("\u0016");
      second.send("\u0016");
      try (RawClient third = rig.connect()) {
        assertEquals("", third.readToEndOrReset());
      }
      assertEquals(1, handshakes(rig, "turned_away"));
      first.reset();
      rig.await("weir_tls_handshakes_total{outcome=\"failed\"}", 1);
      rig.serveOver(CLIENT);
    }
  }
}
