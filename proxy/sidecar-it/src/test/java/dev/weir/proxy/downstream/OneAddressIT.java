package dev.weir.proxy.downstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.WeirProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One address does not end a sidecar that has the heap it ships with: it opens 2,500 connections
 * with 100 streams each, sends heads of which no content follows, and stays. Others are answered
 * meanwhile and afterwards.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OneAddressIT {
  private static final int CONNECTIONS = 2_500;
  private static final int STREAMS = 100;
  private static final String NOBODY = "user/one";
  private static final int PATIENCE_MS = 20_000;
  private static final InetAddress OTHER = address(2);
  @TempDir private static Path folder;
  private final List<SocketChannel> attackers = new ArrayList<>();
  private RecordingOrigin service;
  private WeirProcess weir;
  private int port;
  private int decisionPort;
  private int adminPort;

  private static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    } catch (IOException impossible) {
      throw new AssertionError(impossible);
    }
  }

  @BeforeAll
  void start() throws IOException {
    service = new RecordingOrigin();
    Path file = folder.resolve("weir.yaml");
    Files.writeString(
        file,
        """
        upstream: %s
        listen: 127.0.0.1:0
        decision: 127.0.0.1:0
        admin: 127.0.0.1:0
        event-loops: 2
        table: {keys: 300000}
        rules:
          - {id: limited, match: {path: /limited}, key: 'header:x-user-id', limit: 10/1m}
        """
            .formatted(service.url()));
    weir = WeirProcess.run(folder, List.of(), WeirProcess.shippedMemory(), "-c", file.toString());
    port = weir.listenAddress().getPort();
    decisionPort = weir.decisionAddress().getPort();
    adminPort = weir.adminAddress().getPort();
  }

  @AfterAll
  void stop() throws IOException {
    weir.close();
    service.close();
  }

  @Test
  void postsWithoutContentUnderARuleEndNobody() throws IOException {
    attack(port, STREAMS, "/limited", null);
    assertTrue(figure("weir_refusals_total{reason=\"too_many_in_flight\"}") > 0);
    assertTrue(figure("weir_http2_resets_sent_total{code=\"refused_stream\"}") > 0);
  }

  @Test
  void postsWithoutContentAndWithoutARuleEndNobody() throws IOException {
    attack(port, STREAMS, "/", null);
  }

  @Test
  void callsWithoutAMessageEndNobody() throws IOException {
    attack(decisionPort, STREAMS, "/weir.v1.RateLimiter/CheckRateLimit", "application/grpc");
    assertTrue(figure("weir_decision_refusals_total{reason=\"too_many_in_flight\"}") > 0);
  }

  @Test
  void checksByHttpWithoutTheirContentEndNobody() throws IOException {
    attack(decisionPort, STREAMS, "/v1/check", "application/json");
  }

  @Test
  void connectionsOfTheAdminPortEndNobody() throws IOException {
    attack(adminPort, 0, "/metrics", null);
  }

  /** Opens connections and what is to be opened on each, asks as another, and leaves. */
  private void attack(int atPort, int streams, String path, String contentType) throws IOException {
    assertAnswered();
    String bytes = bytes(streams, path, contentType);
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        connect(atPort, withUsers(i, bytes));
        if (i % 500 == 0) {
          assertAnswered();
        }
      }
      assertAnswered();
    } finally {
      for (SocketChannel attacker : attackers) {
        attacker.close();
      }
      attackers.clear();
    }
    assertAnswered();
    assertTrue(weir.isAlive(), weir::log);
    assertTrue(!weir.log().contains("OutOfMemory"), weir::log);
  }

  private void connect(int atPort, ByteBuffer bytes) throws IOException {
    SocketChannel attacker = SocketChannel.open(new InetSocketAddress(address(1), atPort));
    attackers.add(attacker);
    try {
      while (bytes.hasRemaining()) {
        attacker.write(bytes);
      }
    } catch (IOException turnedAway) {
      // There are as many as there may be.
    }
  }

  /** A connection's preface, and heads; HTTP/1.1 for no streams. */
  private static String bytes(int streams, String path, String contentType) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (streams == 0) {
      String head =
          "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n";
      out.write(head.getBytes(StandardCharsets.US_ASCII));
    } else {
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      out.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
    }
    for (int stream = 0; stream < streams; stream++) {
      HpackEncoder fields =
          new HpackEncoder()
              .add(":method", "POST")
              .add(":scheme", "http")
              .add(":path", path)
              .add(":authority", "a");
      if (contentType != null) {
        fields.add("content-type", contentType);
      }
      byte[] block = fields.add("x-user-id", NOBODY).bytes();
      out.write(
          ByteBuffer.allocate(9)
              .putInt(block.length << 8 | 1)
              .put((byte) 4)
              .putInt(2 * stream + 1)
              .array());
      out.write(block);
    }
    return out.toString(StandardCharsets.ISO_8859_1);
  }

  /** Gives each stream a user of its own: replaces the one that all of them have. */
  private static ByteBuffer withUsers(int connection, String bytes) {
    StringBuilder own = new StringBuilder(bytes);
    int stream = 0;
    for (int at = own.indexOf(NOBODY); at >= 0; at = own.indexOf(NOBODY, at + NOBODY.length())) {
      own.replace(at, at + NOBODY.length(), "%04d/%03d".formatted(connection, stream++));
    }
    return ByteBuffer.wrap(own.toString().getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Another address is answered by each port, and by both event loops. */
  private void assertAnswered() throws IOException {
    for (int i = 0; i < 4; i++) {
      assertEquals(
          200, ask(port, "GET /limited HTTP/1.1\r\nX-User-Id: honest-" + System.nanoTime()));
      assertEquals(200, ask(port, "GET / HTTP/1.1"));
      assertEquals(404, ask(decisionPort, "GET / HTTP/1.1"));
    }
    assertEquals(200, ask(adminPort, "GET /healthz HTTP/1.1"));
  }

  private int ask(int atPort, String head) throws IOException {
    return answer(atPort, head).status();
  }

  private RawClient.Response answer(int atPort, String head) throws IOException {
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(OTHER, 0));
      socket.connect(new InetSocketAddress(address(1), atPort), PATIENCE_MS);
      try (RawClient client = new RawClient(socket)) {
        socket.setSoTimeout(PATIENCE_MS);
        return client.send(head + "\r\nHost: localhost\r\nConnection: close\r\n\r\n").read();
      }
    }
  }

  private double figure(String name) throws IOException {
    return answer(adminPort, "GET /metrics HTTP/1.1")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }
}
