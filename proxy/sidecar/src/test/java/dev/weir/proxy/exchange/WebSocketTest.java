package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * WebSockets through two sidecars with HTTP/2 between them: a client of HTTP/1.1 to a service of
 * HTTP/2, which is the second sidecar, and from there a client of HTTP/2 to a service of HTTP/1.1.
 */
@Timeout(120)
class WebSocketTest extends RigTest {
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  /** What the key is answered with (RFC 6455, section 1.3). */
  private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

  private static final String UPGRADE =
      "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
          + KEY
          + "\r\n\r\n";
  private static final String HELLO = "\u0081\u0005hello";
  private static final String GOING_AWAY = "\u0088\u0002\u0003\u00e9";

  @TempDir Path directory;
  private Rig front;

  @AfterEach
  void endTheFront() throws IOException {
    if (front != null) {
      front.close();
    }
  }

  /** The sidecar with the service behind it, and one in front of that. */
  private void startBoth(String... flags) throws Exception {
    start("nio", flags);
    front = new Rig("nio", "--upstream", "h2c://localhost:" + port());
  }

  private int port() {
    return rig.port();
  }

  private static String head(String key) throws Exception {
    MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
    sha1.update((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: "
        + Base64.getEncoder().encodeToString(sha1.digest())
        + "\r\n\r\n";
  }

  private static String key(String request) {
    String lower = request.toLowerCase(Locale.ROOT);
    int at = lower.indexOf("\r\nsec-websocket-key: ") + 21;
    return request.substring(at, request.indexOf("\r\n", at));
  }

  /** Agrees to each WebSocket, greets, and sends back what comes until the client ends its half. */
  private void echo() {
    rig.origin.script(
        service -> {
          String request = service.head();
          try {
            service.send(head(key(request)) + HELLO);
          } catch (Exception noSha) {
            throw new AssertionError(noSha);
          }
          for (int b = service.read(); b >= 0; b = service.read()) {
            service.send(String.valueOf((char) b));
          }
          service.send("bye");
          service.endOutput();
        });
  }

  @Test
  void passesFromHttp1ToHttp2AndBack() throws Exception {
    startBoth();
    echo();
    try (RawClient client = front.connect()) {
      Response agreed = client.send(UPGRADE).read();
      assertEquals(101, agreed.status(), agreed.head());
      assertEquals(ACCEPT, agreed.field("Sec-WebSocket-Accept"));
      assertEquals("websocket", agreed.field("Upgrade"));
      assertEquals("upgrade", agreed.field("Connection"));
      assertEquals(HELLO, client.take(HELLO.length()));
      String text = "x".repeat(200_000);
      client.send(text);
      assertEquals(text, client.take(text.length()));
      client.endOutput();
      assertEquals("bye", client.readToEnd());
    }
    String asked = rig.origin.nextHead();
    assertTrue(asked.startsWith("GET /chat HTTP/1.1\r\n"), asked);
    assertFalse(asked.contains(KEY), "the client's key answers to nobody behind us");
    assertTrue(asked.contains("\r\nsec-websocket-version: 13\r\n"), asked);
    rig.await("weir_tunnels_total", 1);
    assertEquals(1, front.metric("weir_tunnels_total"));
  }

  @Test
  void refusesWhatTheServiceDoesNotAgreeTo() throws Exception {
    startBoth("--limit", "4/365d");
    rig.origin.answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    assertAnswered(403, "no");
    rig.origin.answer(RecordingOrigin.OK);
    assertAnswered(502, "upstream_no_websocket");
    rig.origin.answer("HTTP/1.1 101 A\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    assertAnswered(502, "upstream_malformed");
    rig.origin.answer(
        "HTTP/1.1 101 A\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            + ACCEPT
            + "\r\n\r\n");
    assertAnswered(502, "upstream_malformed");
    assertAnswered(429, "over_limit");
    assertEquals(0, rig.metric("weir_tunnels_total"));
    rig.origin.forget();
  }

  private void assertAnswered(int status, String words) throws IOException {
    try (RawClient client = front.connect()) {
      Response answer = client.send(UPGRADE).read();
      assertEquals(status, answer.status(), answer.head());
      assertTrue(answer.body().contains(words), answer.body());
    }
  }

  @Test
  void tellsClientsOfHttp1ToGoWhenTheProcessEnds() throws Exception {
    start("nio");
    echo();
    try (RawClient client = rig.connect()) {
      assertEquals(101, client.send(UPGRADE).read().status());
      assertEquals(HELLO, client.take(HELLO.length()));
      Thread drain = new Thread(() -> rig.sidecar.drain(TimeUnit.SECONDS.toNanos(60)), "drain");
      drain.start();
      assertEquals(GOING_AWAY, client.take(GOING_AWAY.length()));
      client.send("what nobody reads").endOutput();
      assertEquals("", client.readToEnd(), "nothing may follow a Close");
      drain.join();
    }
  }

  /** By node's own client of HTTP/2, which knows extended CONNECT. */
  @Test
  void servesAClientThatIsNotOurs() throws Exception {
    assumeTrue(hasNode(), "node is not installed");
    start("nio");
    echo();
    Path script = directory.resolve("client.js");
    try (InputStream in = WebSocketTest.class.getResourceAsStream("websocket-client.js")) {
      Files.copy(in, script);
    }
    Process node =
        new ProcessBuilder("node", script.toString(), "http://localhost:" + port())
            .redirectErrorStream(true)
            .start();
    String said = new String(node.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    assertTrue(node.waitFor(60, TimeUnit.SECONDS));
    assertEquals(
        List.of("announced true", "status 200", "hellopingbye", "closed 0"),
        said.lines().toList(),
        said);
  }

  private static boolean hasNode() {
    try {
      return new ProcessBuilder("node", "--version").start().waitFor() == 0;
    } catch (IOException | InterruptedException missing) {
      return false;
    }
  }
}
