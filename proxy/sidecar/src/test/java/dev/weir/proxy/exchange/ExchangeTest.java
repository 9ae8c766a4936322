package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of an exchange when one side waits, leaves, is slow or asks for more. */
class ExchangeTest extends RigTest {
  private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\n";
  private static final String EXPECT = POST + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  private static final String UPGRADE =
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

  @Test
  void answersPipelinedRequestsInOrder() throws Exception {
    start(Rig.preferredTransport(), "--limit", "1000000/1s");
    rig.origin.script(
        origin -> {
          String path = origin.request().split(" ")[1];
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: " + path.length() + "\r\n\r\n" + path);
        });
    for (int count : List.of(3, 1_000)) {
      try (RawClient client = rig.connect()) {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
          requests.append("GET /").append(i).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        client.send(requests.toString());
        for (int i = 0; i < count; i++) {
          assertEquals("/" + i, client.read().body());
        }
      }
    }
    assertEquals(1, rig.origin.connectionCount(), "one upstream connection does");
  }

  @Test
  void spendsOnePermitOnEachPipelinedRequest() throws Exception {
    start(Rig.preferredTransport(), "--limit", "2/365d");
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID.repeat(4));
      assertEquals(1, client.read().remaining());
      assertEquals(0, client.read().remaining());
      for (int i = 0; i < 2; i++) {
        Response refused = client.read();
        assertEquals(429, refused.status());
        assertNotNull(refused.field("Retry-After"));
        assertNull(refused.field("Connection"), "the connection stays");
      }
    }
    rig.origin.nextRequest();
    rig.origin.nextRequest();
    assertEquals(0, rig.origin.requestCount());
  }

  /** Reading stops when answers are not taken: memory stays what the buffers hold. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void stopsReadingFromAClientThatTakesNoAnswers(String transport) throws Exception {
    start(transport, "--limit", "1/365d", "--timeouts.write", "500ms");
    try (RawClient client = new RawClient(rig.sidecar.listenAddress(), 4096)) {
      String requests = Rig.VALID.repeat(1_000);
      for (int i = 0; i < 1_000; i++) { // 31 MB of requests, and ten times that of answers
        client.send(requests);
      }
    } catch (IOException cut) {
      double begun = rig.metric("weir_requests_total");
      assertTrue(begun < 200_000, () -> "requests begun: " + begun);
      return;
    }
    throw new AssertionError("a client that reads nothing was read to the end");
  }

  @Test
  void passesOne100ContinueAndThenTheBody() throws Exception {
    start(Rig.preferredTransport());
    rig.origin.script(
        origin -> {
          assertTrue(origin.head().contains("\r\nExpect: 100-continue\r\n"));
          origin.send("HTTP/1.1 100 Continue\r\n\r\n");
          for (int i = 0; i < 5; i++) {
            origin.read();
          }
          origin.send(RecordingOrigin.OK);
        });
    try (RawClient client = rig.connect()) {
      client.send(EXPECT);
      assertEquals(100, client.read().status());
      client.send("12345");
      assertEquals(200, client.read().status());
      rig.origin.answer(RecordingOrigin.OK);
      assertEquals(200, client.send(Rig.VALID).read().status(), "in step");
    }
  }

  @Test
  void refusesAnExpectingRequestWithout100() throws Exception {
    start(Rig.preferredTransport(), "--limit", "1/365d");
    rig.serve();
    try (RawClient client = rig.connect()) {
      Response refused = client.send(EXPECT).read();
      assertEquals(429, refused.status());
      assertEquals("close", refused.field("Connection"), "who knows whether a body comes");
      assertEquals("", client.readToEnd());
    }
    assertEquals(0, rig.origin.requestCount());
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void tunnelsBehindA101(String transport) throws Exception {
    start(transport, "--limit", "1/365d");
    rig.origin.script(
        origin -> {
          String head = origin.request();
          assertTrue(head.contains("\r\nConnection: upgrade\r\n"), head);
          assertTrue(head.contains("\r\nUpgrade: websocket\r\n"), head);
          origin.send(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                  + "Connection: Upgrade\r\n\r\nhello");
          for (int b = origin.read(); b != '.'; b = origin.read()) {
            origin.send(String.valueOf((char) (b + 1)));
          }
          origin.end();
        });
    try (RawClient client = rig.connect()) {
      Response answer = client.send(UPGRADE).read();
      assertEquals(101, answer.status());
      assertEquals("upgrade", answer.field("Connection"));
      assertEquals("hello", client.take(5));
      assertEquals("bcd", client.send("abc").take(3));
      assertEquals("HFU!0", client.send("GET /").take(5), "no request");
      client.send(".");
      assertEquals("", client.readToEnd());
    }
  }

  @Test
  void limitsWhatFollowsARefusedUpgrade() throws Exception {
    start(Rig.preferredTransport(), "--limit", "2/365d");
    try (RawClient client = rig.connect()) {
      assertEquals(200, client.send(UPGRADE).read().status());
      assertEquals(200, client.send(Rig.VALID).read().status());
      assertEquals(429, client.send(Rig.VALID).read().status());
    }
    rig.origin.nextRequest();
    assertTrue(rig.origin.nextRequest().contains("\r\nVia: 1.1 weir\r\n"), "no tunnel");
  }

  @Test
  void saysWhetherTheConnectionStays() throws Exception {
    start(Rig.preferredTransport());
    try (RawClient client = rig.connect()) {
      client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + Rig.VALID);
      assertEquals("close", client.read().field("Connection"));
      assertEquals("", client.readToEnd());
    }
    try (RawClient old = rig.connect()) {
      assertEquals("close", old.send("GET / HTTP/1.0\r\n\r\n").read().field("Connection"));
      assertEquals("", old.readToEnd());
    }
    try (RawClient old = rig.connect()) {
      String request = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
      assertEquals("keep-alive", old.send(request).read().field("Connection"));
      assertEquals("keep-alive", old.send(request).read().field("Connection"));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void answersForAnUpstreamThatIsNotThere(String transport) throws Exception {
    // Bound and not listening: nobody else gets it, and whoever connects is refused.
    try (Socket bound = new Socket()) {
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      assert502(transport, bound.getLocalPort());
    }
  }

  private void assert502(String transport, int port) throws Exception {
    start(transport, "--upstream", "http://127.0.0.1:" + port);
    try (RawClient client = rig.connect()) {
      for (int i = 0; i < 3; i++) {
        Response answer = client.send(POST + "Content-Length: 5\r\n\r\n12345").read();
        assertEquals(502, answer.status());
        assertEquals("application/problem+json", answer.field("Content-Type"));
        assertNull(answer.field("Connection"), "the body was there: the client may stay");
      }
    }
  }

  @Test
  void answersForAnUpstreamThatDoesNotAnswer() throws Exception {
    start(Rig.preferredTransport(), "--timeouts.response", "200ms");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.awaitEnd();
        });
    try (RawClient client = rig.connect()) {
      assertEquals(504, client.send(Rig.VALID).read().status());
      rig.origin.answer(RecordingOrigin.OK);
      int status = client.send(Rig.VALID).read().status();
      for (int again = 0; status == 504 && again < 20; again++) { // a busy machine is as slow
        status = client.send(Rig.VALID).read().status();
      }
      assertEquals(200, status, "on another connection");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void answersForAnUpstreamThatTakesNoBody(String transport) throws Exception {
    start(transport, "--timeouts.response", "200ms");
    rig.origin.script(
        origin -> {
          origin.head();
          TimeUnit.MINUTES.sleep(1); // longer than the test: its thread is none that anybody awaits
        });
    try (RawClient client = rig.connect()) {
      client.send(POST + "Content-Length: 100000000\r\n\r\n");
      Thread sender = new Thread(() -> flood(client));
      sender.setDaemon(true);
      sender.start();
      assertTrue(client.readToEndOrReset().startsWith("HTTP/1.1 504 "));
    }
  }

  private static void flood(RawClient client) {
    try {
      String bytes = "x".repeat(1 << 16);
      for (int i = 0; i < 1_500; i++) {
        client.send(bytes);
      }
    } catch (IOException cut) {
      // As it should be.
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void passesAnAnswerThatComesBeforeTheBodyIsThere(String transport) throws Exception {
    start(transport);
    rig.origin.script(
        origin -> {
          origin.head();
          origin.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno");
          origin.awaitEnd();
        });
    try (RawClient client = rig.connect()) {
      String begun = "x".repeat(100_000); // more than is gathered before the service hears of it
      Response answer = client.send(POST + "Content-Length: 1000000\r\n\r\n" + begun).read();
      assertEquals(413, answer.status());
      assertEquals("close", answer.field("Connection"));
      assertEquals("no", answer.body());
      client.send("x".repeat(100_000));
      assertEquals("", client.readToEnd(), "what is still sent is drained, not reset");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void endsTheUpstreamExchangeOfAClientThatLeft(String transport) throws Exception {
    start(transport);
    CountDownLatch ended = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.awaitEnd();
          ended.countDown();
        });
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID);
      rig.origin.nextRequest();
      client.reset();
    }
    assertTrue(ended.await(60, TimeUnit.SECONDS));
    rig.origin.answer(RecordingOrigin.OK);
    rig.serve();
  }

  /** A body found malformed after it began: its permit is spent, its request never whole. */
  @Test
  void abandonsABodyThatGoesWrongOnTheWay() throws Exception {
    start(Rig.preferredTransport());
    for (String rest :
        List.of("6\r\n12345\r\n", "1;" + "x".repeat(70_000), "0\r\nA: " + "x".repeat(70_000))) {
      rig.origin.forget();
      try (RawClient client = rig.connect()) {
        String begun = "10000\r\n" + "x".repeat(0x10000) + "\r\n"; // more than is gathered
        client.send(POST + "Transfer-Encoding: chunked\r\n\r\n" + begun);
        rig.origin.nextHead();
        client.send(rest);
        assertTrue(client.readToEndOrReset().startsWith("HTTP/1.1 400 "));
      }
      assertTrue(rig.origin.nextBroken().startsWith("POST / "));
      rig.serve();
    }
  }

  @Test
  void givesUpOnSlowHeads() throws Exception {
    start(Rig.preferredTransport(), "--timeouts.head", "200ms");
    try (RawClient client = rig.connect();
        RawClient dribbling = rig.connect()) {
      assertEquals(408, client.send("GET / HTTP/1.1\r\nHo").read().status());
      assertEquals("", client.readToEnd());
      try {
        for (int i = 0; i < 50; i++) { // the deadline is a total, whatever trickles in
          dribbling.send(i == 0 ? "GET /" : "x");
          Thread.sleep(10);
        }
      } catch (IOException closed) {
        // Long since.
      }
      assertTrue(dribbling.readToEndOrReset().startsWith("HTTP/1.1 408 "));
    }
    assertEquals(0, rig.origin.connectionCount());
  }

  @Test
  void givesUpOnSlowBodies() throws Exception {
    start(Rig.preferredTransport(), "--timeouts.body", "200ms");
    try (RawClient client = rig.connect()) {
      assertEquals(408, client.send(POST + "Content-Length: 5\r\n\r\n12").read().status());
      assertEquals("", client.readToEnd());
    }
    assertEquals(0, rig.origin.connectionCount(), "the service has not heard of it");
    try (RawClient client = rig.connect()) {
      String begun = "x".repeat(100_000); // more than is gathered
      client.send(POST + "Content-Length: 100005\r\n\r\n" + begun);
      assertEquals(408, client.read().status());
      assertEquals("", client.readToEnd());
    }
    assertTrue(rig.origin.nextBroken().endsWith("xxx"));
    rig.serve();
  }

  /** To a client of HTTP/1.0 the end of the connection is the end of the body. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void resetsAClientThatDoesNotTakeItsResponse(String transport) throws Exception {
    start(transport, "--timeouts.write", "200ms");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send("HTTP/1.1 200 OK\r\n\r\n" + "x".repeat(32 << 20));
          origin.end();
        });
    try (RawClient client = new RawClient(rig.sidecar.listenAddress(), 4096)) {
      client.send("GET / HTTP/1.0\r\n\r\n");
      rig.origin.nextRequest();
      rig.await("weir_connections_open", 0);
      assertTrue(client.endsWithReset(), "half a body is no whole one");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void turnsAwayConnectionsAboveACap(String transport) throws Exception {
    start(transport, "--caps.connections-per-address", "2");
    try (RawClient first = rig.connect();
        RawClient second = rig.connect()) {
      assertEquals(200, first.send(Rig.VALID).read().status());
      assertEquals(200, second.send(Rig.VALID).read().status());
      try (RawClient third = rig.connect()) {
        assertTrue(third.readToEndOrReset().startsWith("HTTP/1.1 503 "));
      }
      assertEquals(200, first.send(Rig.VALID).read().status());
    }
    rig.await("weir_connections_open", 0);
    rig.origin.forget();
    rig.serve();
  }

  @Test
  void doesNotTakeATrustedProxyForOneClient() throws Exception {
    start(
        Rig.preferredTransport(),
        "--caps.connections-per-address",
        "1",
        "--trusted-proxies",
        "127.0.0.1");
    try (RawClient first = rig.connect();
        RawClient second = rig.connect()) {
      assertEquals(200, first.send(Rig.VALID).read().status());
      assertEquals(200, second.send(Rig.VALID).read().status());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void acceptsAgainBelowTheCapOfAll(String transport) throws Exception {
    start(transport, "--caps.connections", "2");
    for (int i = 0; i < 20; i++) {
      try (RawClient first = rig.connect();
          RawClient second = rig.connect()) {
        assertEquals(200, first.send(Rig.VALID).read().status());
        assertEquals(200, second.send(Rig.VALID).read().status());
      } catch (SocketTimeoutException stuck) {
        throw new AssertionError("the listener does not accept again", stuck);
      }
    }
  }
}
