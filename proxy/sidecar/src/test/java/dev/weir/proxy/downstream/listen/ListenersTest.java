package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.TestCertificates;
import dev.weir.proxy.tls.TlsClient;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Several listeners of one sidecar, and the PROXY protocol on those that want it. */
@Timeout(60)
class ListenersTest {
  private static final TlsClient CLIENT = new TlsClient(TestCertificates.AUTHORITY, null);
  private static final String HEADER = "PROXY TCP4 192.0.2.7 10.0.0.1 4660 443\r\n";

  @TempDir private static Path directory;
  private static CertificateFiles files;

  @BeforeAll
  static void makeFiles() {
    files = TestCertificates.write(directory, "a", TestCertificates.server("a.example"));
  }

  private static String tls() {
    return "tls: {certificate: " + files.chain() + ", key: " + files.key() + "}\n";
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void servesOnAllOfThem(String transport) throws Exception {
    Path socket = directory.resolve(transport + ".sock");
    String yaml =
        tls()
            + "rules: [{id: r, limit: 1000/365d}]\nlisten: [127.0.0.1:0, https://127.0.0.1:0, unix:"
            + socket
            + "]\n";
    try (Rig rig = Rig.ofFile(transport, yaml)) {
      List<SocketAddress> addresses = rig.sidecar.listenAddresses();
      try (RawClient plain = new RawClient(addresses.get(0))) {
        assertEquals(200, plain.send(Rig.VALID).read().status());
      }
      assertTrue(rig.origin.nextRequest().contains("X-Forwarded-Proto: http\r\n"));
      try (RawClient secure = new RawClient(CLIENT.connect(addresses.get(1)))) {
        assertEquals(200, secure.send(Rig.VALID).read().status());
      }
      assertTrue(rig.origin.nextRequest().contains("X-Forwarded-Proto: https\r\n"));
      try (SocketChannel local = SocketChannel.open(StandardProtocolFamily.UNIX)) {
        local.connect(UnixDomainSocketAddress.of(socket));
        local.write(ByteBuffer.wrap(Rig.VALID.getBytes(StandardCharsets.ISO_8859_1)));
        assertTrue(rig.origin.nextRequest().startsWith("GET /valid "));
      }
    }
  }

  @Test
  void pausesAllOfThemAtTheCapAndResumesAll() throws Exception {
    String yaml =
        "caps: {connections: 1}\nrules: [{id: r, limit: 1000/365d}]\n"
            + "listen: [127.0.0.1:0, 127.0.0.1:0]\n";
    try (Rig rig = Rig.ofFile("epoll", yaml)) {
      for (int round = 0; round < 3; round++) {
        for (SocketAddress address : rig.sidecar.listenAddresses()) {
          try (RawClient client = new RawClient(address)) {
            assertEquals(200, client.send(Rig.VALID).read().status());
          }
        }
      }
    }
  }

  @Test
  void agreesOnHttp2ByAlpn() throws Exception {
    String yaml = tls() + "rules: [{id: r, limit: 1000/365d}]\nlisten: https://127.0.0.1:0\n";
    try (Rig rig = Rig.ofFile("epoll", yaml)) {
      int port = rig.port();
      HttpClient client = HttpClient.newBuilder().sslContext(CLIENT.context()).build();
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> response =
            client.send(
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + "/valid")).build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(HttpClient.Version.HTTP_2, response.version());
        assertEquals(RecordingOrigin.BODY, response.body());
        assertTrue(rig.origin.nextRequest().contains("https"), "X-Forwarded-Proto");
      }
      assertEquals(1, rig.metric("weir_http2_connections_total"));
    }
  }

  private static Rig proxied(String trusted, String more) throws Exception {
    return Rig.ofFile(
        "epoll",
        tls()
            + "rules: [{id: r, limit: 1000/365d, key: ip}]\ntrusted-proxies: ["
            + trusted
            + "]\nlisten:\n  - {address: 127.0.0.1:0, proxy-protocol: true}\n"
            + "  - {address: https://127.0.0.1:0, proxy-protocol: true}\n"
            + more);
  }

  private static double refused(String why, Rig rig) throws IOException {
    return rig.metric("weir_proxy_headers_refused_total{reason=\"" + why + "\"}");
  }

  @Test
  void takesTheClientThatATrustedPeerNames() throws Exception {
    try (Rig rig = proxied("127.0.0.1", "")) {
      try (RawClient client = rig.connect()) {
        assertEquals(999, client.send(HEADER + Rig.VALID).read().remaining());
        assertEquals(998, client.send(Rig.VALID).read().remaining());
      }
      assertTrue(rig.origin.nextRequest().contains("X-Forwarded-For: 192.0.2.7\r\n"));
      rig.origin.forget();
      try (RawClient other = rig.connect()) {
        other.send(HEADER.substring(0, 9));
        other.send(HEADER.substring(9).replace("2.7", "2.8"));
        assertEquals(999, other.send(Rig.VALID).read().remaining());
      }
      try (RawClient unnamed = rig.connect()) {
        assertEquals(999, unnamed.send("PROXY UNKNOWN\r\n" + Rig.VALID).read().remaining());
      }
      Socket plain = new Socket();
      plain.connect(rig.sidecar.listenAddresses().get(1));
      plain.getOutputStream().write(HEADER.getBytes(StandardCharsets.US_ASCII));
      try (RawClient secure = new RawClient(CLIENT.handshake(plain, "a.example", "TLSv1.3"))) {
        assertEquals(997, secure.send(Rig.VALID).read().remaining());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, missing, 'GET /valid HTTP/1.1\r\nHost: a\r\n\r\n'",
    "127.0.0.1, malformed, 'PROXY TCP4 1.2.3.4\r\n'",
    "127.0.0.1, incomplete, 'PROXY TCP4 1.2.3.4'",
    "10.0.0.0/8, not_trusted, 'PROXY TCP4 192.0.2.7 10.0.0.1 4660 443\r\n'",
  })
  void closesWhatHasNoHeaderThatIsBelieved(String trusted, String why, String sent)
      throws Exception {
    String times = why.equals("incomplete") ? "timeouts: {head: 200ms}\n" : "";
    try (Rig rig = proxied(trusted, times)) {
      try (RawClient client = rig.connect()) {
        try {
          client.send(sent);
        } catch (IOException closed) {
          // Before it could be sent.
        }
        assertEquals("", client.readToEndOrReset());
      }
      rig.await("weir_proxy_headers_refused_total{reason=\"" + why + "\"}", 1);
      assertEquals(0, rig.metric("weir_requests_total"));
      assertEquals(1, refused(why, rig));
    }
  }

  @Test
  void capsTheClientsThatAreNamed() throws Exception {
    try (Rig rig = proxied("127.0.0.1", "caps: {connections-per-address: 1}\n")) {
      try (RawClient first = rig.connect();
          RawClient second = rig.connect();
          RawClient other = rig.connect()) {
        assertEquals(200, first.send(HEADER + Rig.VALID).read().status());
        second.send(HEADER + Rig.VALID);
        assertEquals("", second.readToEndOrReset());
        assertEquals(200, other.send(HEADER.replace("2.7", "2.8") + Rig.VALID).read().status());
      }
      assertEquals(1, rig.metric("weir_connections_refused_total"));
    }
  }

  @Test
  void believesNoHeaderWhereNoneIsWanted() throws Exception {
    try (Rig rig =
            Rig.ofFile("epoll", "trusted-proxies: [127.0.0.1]\nrules: [{id: r, limit: 1/1d}]\n");
        RawClient client = rig.connect()) {
      assertEquals(400, client.send(HEADER + Rig.VALID).read().status());
    }
  }
}
