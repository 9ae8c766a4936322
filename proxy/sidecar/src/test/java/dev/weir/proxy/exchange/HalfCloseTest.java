package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One side of a connection ends before the other does. */
@Timeout(120)
class HalfCloseTest extends RigTest {
  private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\n";
  private static final String UPGRADE =
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  private static final String SWITCHING =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void answersWhoEndsTheirSideBehindTheRequest(String transport) throws Exception {
    start(transport);
    CountDownLatch ended = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.request();
          ended.await();
          origin.send(RecordingOrigin.OK);
        });
    try (RawClient client = rig.connect()) {
      client.send(POST + "Content-Length: 5\r\n\r\n12345");
      rig.origin.nextRequest();
      client.endOutput();
      ended.countDown();
      assertEquals(RecordingOrigin.BODY, client.read().body());
      assertEquals("", client.readToEnd());
    }
  }

  /** Its bytes and its reset come at once, and may be one event then. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void noticesAClientThatResetsBehindHalfARequest(String transport) throws Exception {
    start(transport, "--timeouts.body", "1h");
    for (int i = 0; i < 10; i++) {
      RawClient client = rig.connect();
      client.send(POST + "Content-Length: 5\r\n\r\n123");
      client.reset();
    }
    rig.await("weir_connections_total", 10);
    rig.await("weir_connections_open", 0);
    rig.await("weir_requests_in_flight", 0);
  }

  /** Its bytes and its reset come at once, and may be one event then. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void noticesAServiceThatResetsBehindHalfAResponse(String transport) throws Exception {
    start(transport, "--timeouts.response", "1h");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123");
          origin.reset();
        });
    for (int i = 0; i < 10; i++) {
      try (RawClient client = rig.connect()) {
        client.send(Rig.VALID);
        rig.origin.nextRequest();
        rig.await("weir_upstream_connections_open", 0);
        rig.await("weir_requests_in_flight", 0);
      }
    }
  }

  /** More than the system takes at once, either way, and with both sides slow to take it. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void passesLargeBodiesOfWhoEndsTheirSideEarly(String transport) throws Exception {
    start(transport);
    String body = "x".repeat(8 << 20);
    CountDownLatch ended = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.head();
          ended.await();
          for (int i = 0; i < body.length() / 16; i++) {
            origin.read();
          }
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        });
    try (RawClient client = new RawClient(rig.sidecar.listenAddress(), 4096)) {
      String request = body.substring(body.length() / 16 * 15);
      client.send(POST + "Content-Length: " + request.length() + "\r\n\r\n" + request);
      client.endOutput();
      ended.countDown();
      rig.await("weir_upstream_streams_open", 1); // it takes its response too slowly
      while (!client.line().isEmpty()) {
        // The head.
      }
      assertEquals(body.length(), client.take(body.length()).length());
      assertEquals("", client.readToEnd());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void answersAllThatWerePipelinedBefore(String transport) throws Exception {
    start(transport, "--limit", "2/365d");
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID.repeat(3)).endOutput();
      assertEquals(200, client.read().status());
      assertEquals(200, client.read().status());
      assertEquals(429, client.read().status());
      assertEquals("", client.readToEnd());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void closesAConnectionThatIsDoneWith(String transport) throws Exception {
    start(transport);
    try (RawClient client = rig.connect()) {
      assertEquals("", client.endOutput().readToEnd());
    }
    try (RawClient client = rig.connect()) {
      assertEquals(200, client.send(Rig.VALID).read().status());
      assertEquals("", client.send("\r\n").endOutput().readToEnd());
    }
    assertEquals(1, rig.metric("weir_requests_total"));
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void refusesARequestThatWillNeverBeWhole(String transport) throws Exception {
    start(transport);
    String begun = "x".repeat(20_000); // too much to be kept here until it is whole
    List<String> bodies =
        List.of(
            POST + "Content-Length: 20001\r\n\r\n" + begun,
            POST + "Transfer-Encoding: chunked\r\n\r\n4e20\r\n" + begun + "\r\n0\r\n",
            POST + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    for (String request : bodies) {
      try (RawClient client = rig.connect()) {
        client.send(request);
        rig.origin.nextHead();
        assertIncomplete(client.endOutput());
      }
      rig.origin.nextBroken();
      assertEquals(0, rig.origin.requestCount());
    }
    int connections = rig.origin.connectionCount();
    for (String request :
        List.of(
            "GET / HTT",
            "GET / HTTP/1.1\r\nHost: a\r\n",
            POST + "Content-Length: 5\r\n\r\n12",
            POST + "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n")) {
      try (RawClient client = rig.connect()) {
        assertIncomplete(client.send(request).endOutput());
      }
    }
    assertEquals(connections, rig.origin.connectionCount(), "the service hears of none");
    assertEquals(7, rig.metric("weir_refusals_total{reason=\"incomplete_request\"}"));
    rig.origin.forget();
    rig.serve();
  }

  private static void assertIncomplete(RawClient client) throws IOException {
    Response answer = client.read();
    assertEquals(400, answer.status());
    assertTrue(answer.body().contains("incomplete_request"), answer.body());
    assertEquals("close", answer.field("Connection"));
    assertEquals("", client.readToEnd());
  }

  /** It looks like one that waits for its answer, so the usual times end what it left behind. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void noticesThatAClientHasLeftWhenItIsAnswered(String transport) throws Exception {
    start(transport, "--timeouts.response", "300ms");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.awaitEnd();
        });
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID);
      rig.origin.nextRequest();
    }
    rig.await("weir_requests_in_flight", 0);
    rig.await("weir_connections_open", 0);

    rig.origin.script(
        origin -> {
          origin.request();
          origin.send("HTTP/1.1 200 OK\r\n\r\n");
          for (int i = 0; i < 1_000; i++) { // until somebody notices
            origin.send("x".repeat(1_000));
            TimeUnit.MILLISECONDS.sleep(10);
          }
        });
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID);
      rig.origin.nextRequest();
    }
    rig.await("weir_requests_in_flight", 0);
    assertTrue(rig.metric("weir_upstream_connections_open") <= 1);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void passesTheEndOfEitherSideOfATunnelOn(String transport) throws Exception {
    start(transport);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(SWITCHING);
          StringBuilder came = new StringBuilder();
          for (int b = origin.read(); b >= 0; b = origin.read()) {
            came.append((char) b);
          }
          origin.send("got " + came);
          origin.end();
        });
    try (RawClient client = rig.connect()) {
      assertEquals(101, client.send(UPGRADE).read().status());
      client.send("abc").endOutput();
      assertEquals("got abc", client.readToEnd());
    }
    rig.await("weir_upstream_connections_open", 0);

    CountDownLatch came = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(SWITCHING + "bye");
          origin.endOutput();
          for (char c : "still here".toCharArray()) {
            assertEquals(c, origin.read());
          }
          assertEquals(-1, origin.read());
          came.countDown();
        });
    try (RawClient client = rig.connect()) {
      assertEquals(101, client.send(UPGRADE).read().status());
      assertEquals("bye", client.readToEnd());
      client.send("still here").endOutput();
      assertTrue(came.await(60, TimeUnit.SECONDS));
    }
  }

  /**
   * The service gets it as soon as there is a tunnel, and what counts as a stream is free again.
   */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void endsATunnelWhoseClientHadEndedItsSideBefore(String transport) throws Exception {
    start(transport, "--timeouts.tunnel-idle", "1h");
    CountDownLatch ended = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          if (origin.request().startsWith("GET /valid ")) {
            origin.send(RecordingOrigin.OK);
            return;
          }
          ended.await();
          origin.send(SWITCHING);
          origin.awaitEnd();
          origin.end();
        });
    try (RawClient client = rig.connect()) {
      client.send(UPGRADE).endOutput();
      rig.origin.nextRequest();
      rig.serve();
      ended.countDown();
      assertEquals(101, client.read().status());
      assertEquals("", client.readToEnd());
      rig.await("weir_upstream_streams_open", 0);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void passesAResetOfATunnelOn(String transport) throws Exception {
    start(transport);
    CountDownLatch came = new CountDownLatch(1);
    CountDownLatch reset = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(SWITCHING);
          assertEquals('x', origin.read());
          came.countDown();
          assertThrows(IOException.class, origin::read);
          reset.countDown();
        });
    try (RawClient client = rig.connect()) {
      assertEquals(101, client.send(UPGRADE).read().status());
      client.send("x");
      assertTrue(came.await(60, TimeUnit.SECONDS)); // or the reset overtakes what was sent
      client.reset();
    }
    assertTrue(reset.await(60, TimeUnit.SECONDS));

    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(SWITCHING);
          assertEquals('x', origin.read());
          origin.reset();
        });
    try (RawClient client = rig.connect()) {
      assertEquals(101, client.send(UPGRADE).read().status());
      assertTrue(client.send("x").endsWithReset());
    }
  }
}
