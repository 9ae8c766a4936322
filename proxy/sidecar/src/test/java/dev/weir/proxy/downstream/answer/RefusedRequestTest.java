package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HostileRequests;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.Rig;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that must be refused, one of each kind over a real socket on each transport: one answer
 * of 4xx or 5xx that says close, the connection closed, no byte to the origin, no permit spent, and
 * the next client served. That all others are refused alike says {@code HeadReaderTest}.
 */
class RefusedRequestTest {
  private static final Map<String, Rig> RIGS = new HashMap<>();
  private static final Map<String, Long> REMAINING = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    for (String transport : Rig.transports()) {
      Rig rig = new Rig(transport);
      RIGS.put(transport, rig);
      REMAINING.put(transport, rig.serve().remaining());
    }
  }

  @AfterAll
  static void stop() throws Exception {
    for (Rig rig : RIGS.values()) {
      rig.close();
    }
  }

  static Stream<Arguments> table() {
    return Rig.transports().stream()
        .flatMap(
            transport ->
                HostileRequests.oneOfEachGroup().stream()
                    .map(hostile -> Arguments.of(transport, hostile)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("table")
  void refusesWithoutOriginOrPermit(String transport, HostileRequests.Case refused)
      throws Exception {
    Rig rig = RIGS.get(transport);
    rig.origin.forget();
    int connections = rig.origin.connectionCount();

    try (RawClient client = rig.connect()) {
      Response answer = client.send(refused.request()).read();

      assertEquals(refused.status(), answer.status(), answer.head());
      assertEquals("close", answer.field("Connection"), answer.head());
      assertEquals("application/problem+json", answer.field("Content-Type"), answer.head());
      assertNull(answer.field("RateLimit"), answer.head());
      assertEquals("", client.readToEndOrReset(), "behind the answer");
    }

    assertEquals(connections, rig.origin.connectionCount(), "connections to the origin");
    assertEquals(0, rig.origin.requestCount() + rig.origin.brokenCount());
    long remaining = rig.serve().remaining();
    assertEquals(1, REMAINING.put(transport, remaining) - remaining, "permits of one request");
  }

  /** A malformed request behind a good one: the good one is served, and nothing else. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void refusesWhatIsPipelinedBehindAGoodRequest(String transport) throws Exception {
    Rig rig = RIGS.get(transport);
    for (String bad :
        Arrays.asList(
            HostileRequests.framed("Content-Length: 6", "Transfer-Encoding: chunked"),
            "GET / HTTP/1.1\nHost: a\n\n",
            HostileRequests.chunked("5\r\n123456\r\n0\r\n\r\n"))) {
      try (RawClient client = rig.connect()) {
        client.send(Rig.VALID + bad);

        Response first = client.read();
        assertEquals(200, first.status());
        assertEquals(400, client.read().status());
        assertEquals("", client.readToEndOrReset());
        assertTrue(rig.origin.nextRequest().startsWith("GET /valid "));
        assertEquals(0, rig.origin.requestCount() + rig.origin.brokenCount());
        REMAINING.put(transport, first.remaining());
      }
    }
  }
}
