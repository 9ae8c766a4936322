package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the origin may answer, and what a client gets of it over a socket: malformed heads are a
 * 502, a response that breaks off is seen to, and no byte behind a response is ever part of
 * another. All that may come, and in what pieces, says {@code UpstreamConnectionTest}.
 */
class ResponseTest {
  private static final String LENGTH_5 = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";
  private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final Map<String, Rig> RIGS = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    for (String transport : Rig.transports()) {
      RIGS.put(transport, new Rig(transport, "--limit", "1000000/1s"));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    for (Rig rig : RIGS.values()) {
      rig.await("weir_requests_in_flight", 0);
      rig.close();
    }
  }

  @BeforeEach
  void forget() {
    for (Rig rig : RIGS.values()) {
      rig.origin.forget();
    }
  }

  /** Each response on one of the transports. */
  private static Stream<Arguments> inTurn(String... responses) {
    List<String> transports = Rig.transports();
    return IntStream.range(0, responses.length)
        .mapToObj(i -> Arguments.of(transports.get(i % transports.size()), responses[i]));
  }

  /** One of each kind; all that a head may be wrong in says {@code ResponseHeadTest}. */
  static Stream<Arguments> malformed() {
    return inTurn(
        LENGTH_5 + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "hello",
        "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17) + LENGTH_5 + "\r\n12345");
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void answers502(String transport, String response) throws Exception {
    Rig rig = RIGS.get(transport);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(response);
          origin.awaitEnd(); // it is not used again, or the next client would wait in vain
        });
    try (RawClient client = rig.connect()) {
      // As many as there may be before the one that is too many.
      Response answer = client.send(Rig.VALID).read();
      while (answer.status() < 200) {
        answer = client.read();
      }
      assertEquals(502, answer.status(), answer.head());
      assertEquals("application/problem+json", answer.field("Content-Type"));
      assertTrue(answer.body().contains("upstream_malformed"), answer.body());
      rig.origin.answer(RecordingOrigin.OK);
      assertEquals(RecordingOrigin.BODY, client.send(Rig.VALID).read().body());
    }
  }

  static Stream<Arguments> brokenOff() {
    return inTurn(
        LENGTH_5 + "\r\n1234", CHUNKED + "5\r\n12345\r\n0\r\n", CHUNKED + "5\r\n12345\r\ng\r\n");
  }

  /** Never a clean end: a client that takes a half body for a whole one is the worst outcome. */
  @ParameterizedTest
  @MethodSource("brokenOff")
  void cutsWhatBreaksOff(String transport, String response) throws Exception {
    Rig rig = RIGS.get(transport);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(response);
          origin.end();
        });
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID);
      assertThrows(IOException.class, client::read);
    }
    try (RawClient old = rig.connect()) {
      assertTrue(old.send("GET / HTTP/1.0\r\n\r\n").endsWithReset(), "HTTP/1.0 sees a reset");
    }
    rig.origin.answer(RecordingOrigin.OK);
    rig.origin.forget();
    rig.serve();
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void cutsABodyUntilCloseThatIsReset(String transport) throws Exception {
    Rig rig = RIGS.get(transport);
    CountDownLatch came = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send("HTTP/1.1 200 OK\r\n\r\nhalf");
          came.await(); // or the reset overtakes what was sent
          origin.reset();
        });
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID);
      while (!client.line().isEmpty()) {
        // The head.
      }
      assertEquals("4\r\nhalf\r\n", client.take(9));
      came.countDown();
      assertThrows(IOException.class, client::line);
    }
  }

  @Test
  void passesInformationalResponses() throws Exception {
    Rig rig = RIGS.get(Rig.preferredTransport());
    rig.origin.answer(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
            + "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n"
            + RecordingOrigin.OK);
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID);
      assertEquals(100, client.read().status());
      assertEquals("a", client.read().field("Link"));
      Response last = client.read();
      assertEquals(103, last.status());
      assertNull(last.field("Content-Length"), "a length of nothing");
      assertEquals(RecordingOrigin.BODY, client.read().body());
    }
    try (RawClient old = rig.connect()) {
      Response only = old.send("GET / HTTP/1.0\r\n\r\n").read();
      assertEquals(200, only.status(), "HTTP/1.0 has no others");
    }
  }

  static Stream<Arguments> bodyless() {
    return inTurn(
        "HEAD HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345",
        "GET HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n12345",
        "GET HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET " + RecordingOrigin.OK + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
  }

  /** Bytes behind a response are nobody's: the connection they came on is not used again. */
  @ParameterizedTest
  @MethodSource("bodyless")
  void discardsWhatFollowsAResponse(String transport, String methodAndResponse) throws Exception {
    Rig rig = RIGS.get(transport);
    String[] parts = methodAndResponse.split(" ", 2);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(parts[1]);
          origin.awaitEnd();
        });
    try (RawClient client = rig.connect()) {
      Response response =
          client.send(parts[0] + " / HTTP/1.1\r\nHost: a\r\n\r\n").read(parts[0].equals("HEAD"));
      assertEquals(Integer.parseInt(parts[1].substring(9, 12)), response.status());
      if (response.status() == 204) {
        assertNull(response.field("Content-Length"));
        assertNull(response.field("Transfer-Encoding"));
      }
      rig.origin.answer(RecordingOrigin.OK);
      Response next = client.send(Rig.VALID).read();
      assertEquals(200, next.status(), next.head());
      assertEquals(RecordingOrigin.BODY, next.body());
    }
  }

  @Test
  void framesABodyThatEndsWithTheConnection() throws Exception {
    Rig rig = RIGS.get(Rig.preferredTransport());
    for (String version : List.of("1.0", "1.1")) {
      rig.origin.script(
          origin -> {
            origin.request();
            origin.send("HTTP/" + version + " 200 OK\r\n\r\nhello ");
            origin.send("world");
            origin.end();
          });
      try (RawClient client = rig.connect()) {
        Response response = client.send(Rig.VALID).read();
        assertEquals("chunked", response.field("Transfer-Encoding"));
        assertEquals("hello world", response.body());
        assertEquals("hello world", client.send(Rig.VALID).read().body(), "the client stays");
      }
      try (RawClient old = rig.connect()) {
        Response response = old.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").read();
        assertNull(response.field("Transfer-Encoding"));
        assertEquals("close", response.field("Connection"));
        assertEquals("hello world", response.body());
      }
    }
  }

  @Test
  void passesChunksWithoutTheirExtensionsAndTrailersThatFrame() throws Exception {
    Rig rig = RIGS.get(Rig.preferredTransport());
    rig.origin.answer(CHUNKED + "5;a=b\r\n12345\r\n0\r\nContent-Length: 5\r\nMine: x\r\n\r\n");
    try (RawClient client = rig.connect()) {
      client.send(Rig.VALID);
      while (!client.line().isEmpty()) {
        // The head.
      }
      String body = "5\r\n12345\r\n0\r\nMine: x\r\n\r\n";
      assertEquals(body, client.take(body.length()));
      assertEquals("12345", client.send(Rig.VALID).read().body());
    }
    try (RawClient old = rig.connect()) {
      Response response = old.send("GET / HTTP/1.0\r\n\r\n").read();
      assertNull(response.field("Transfer-Encoding"));
      assertEquals("12345", response.body());
    }
  }
}
