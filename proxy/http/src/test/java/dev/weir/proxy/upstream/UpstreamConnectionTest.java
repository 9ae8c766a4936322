package dev.weir.proxy.upstream;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.ConnectionCounts.Use;
import dev.weir.proxy.upstream.HeldHttp1Pool.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection to a service of HTTP/1.1, byte by byte, with time, client and service held. */
class UpstreamConnectionTest {
  private static final String HEAD = "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final String POST = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n";
  private static final String UPGRADE =
      "GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final String FIVE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String UNTIL_CLOSE = "HTTP/1.1 200 OK\r\n\r\n";
  private static final String SWITCHING =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n";

  private final HeldHttp1Pool held = new HeldHttp1Pool();

  @AfterEach
  void end() {
    held.close();
  }

  private static void assertTold(HeldClient client, String... lines) {
    assertEquals(List.of(lines), client.told());
  }

  /** The connection serves another request. */
  private void assertServesAnother(Service service) {
    HeldClient next = held.ask(GET);
    assertTrue(service.got().startsWith("GET /a HTTP/1.1\r\n"), "it has the next request");
    service.send(OK);
    assertTold(next, "head 200", "data ok end", "ended");
  }

  static List<String> clean() {
    return List.of(
        GET + '|' + OK,
        GET + "|HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        GET + '|' + CHUNKED + "2;a=b\r\nok\r\n0\r\n\r\n",
        GET + '|' + CHUNKED + "2\r\nok\r\n0\r\nContent-Length: 5\r\nMine: x\r\n\r\n",
        GET + "|HTTP/1.1 204 No Content\r\n\r\n",
        GET + "|HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        GET + "|HTTP/1.1 103 Early Hints\r\n\r\n" + OK,
        HEAD + "|HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        HEAD + "|HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        HEAD + '|' + CHUNKED);
  }

  @ParameterizedTest
  @MethodSource("clean")
  void isUsedAgainAfterAResponseThatEndedWhereItsFramingSaid(String exchange) {
    String[] parts = exchange.split("\\|");
    Service service = held.connect();
    HeldClient client = held.ask(parts[0]);
    service.got();
    service.send(parts[1]);
    List<String> told = client.told();
    assertEquals("ended", told.get(told.size() - 1), told.toString());
    assertEquals(Use.IDLE, service.use());
    assertServesAnother(service);
  }

  /** No boundary between two reads matters. */
  @ParameterizedTest
  @MethodSource("clean")
  void isUsedAgainInWhateverPiecesTheResponseCame(String exchange) {
    String[] parts = exchange.split("\\|");
    Service service = held.connect();
    HeldClient client = held.ask(parts[0]);
    service.got();
    for (char c : parts[1].toCharArray()) {
      assertEquals(Use.EXCHANGE, service.use());
      service.send(String.valueOf(c));
    }
    List<String> told = client.told();
    assertEquals("ended", told.get(told.size() - 1), told.toString());
    assertServesAnother(service);
  }

  static List<String> surplus() {
    return List.of(
        GET + '|' + OK + 'x',
        GET + '|' + OK + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        GET + "|HTTP/1.1 204 No Content\r\n\r\n12345",
        GET + "|HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n12345",
        GET + "|HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        GET + "|HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n12345",
        GET + '|' + CHUNKED + "2\r\nok\r\n0\r\n\r\nx",
        HEAD + '|' + OK,
        HEAD + '|' + CHUNKED + "0\r\n\r\n",
        GET + "|HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        GET + "|HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
  }

  /** Bytes behind a response are nobody's, and the client gets what was its own. */
  @ParameterizedTest
  @MethodSource("surplus")
  void isClosedAfterAResponseBehindWhichMoreCameOrNoneMay(String exchange) {
    String[] parts = exchange.split("\\|");
    Service service = held.connect();
    HeldClient client = held.ask(parts[0]);
    service.send(parts[1]);
    List<String> told = client.told();
    assertEquals("ended", told.get(told.size() - 1), told.toString());
    assertFalse(told.toString().contains("12345") || told.toString().contains("evil"));
    assertFalse(service.isConnected());
  }

  @Test
  void isClosedWhenAServiceSpeaksThatNobodyAsked() {
    Service service = held.connect();
    service.send(OK);
    assertFalse(service.isConnected());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        FIVE + "1234",
        CHUNKED + "5\r\n12345\r\n",
        CHUNKED + "5\r\n123",
        CHUNKED + "5\r\n12345\r\n0\r\n",
        CHUNKED + "5\r\n12345\r\n0\r\nA: b\r\n"
      })
  void cutsAResponseWhoseConnectionEndsBeforeIt(String begun) {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.send(begun).end();
    List<String> told = client.told();
    assertEquals("head 200", told.get(0));
    assertEquals("reset SERVICE_GONE", told.get(told.size() - 1), "never a clean end");
    assertEquals(
        List.of("SERVICE_GONE"),
        held.admission.ends.stream().map(end -> end.split(" ")[0]).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        CHUNKED + "5\r\n123456\r\n0\r\n\r\n",
        CHUNKED + "5\r\n12345\r\ng\r\n",
        CHUNKED + "5\r\n12345\n0\n\n"
      })
  void cutsAResponseWhoseChunksAreNone(String response) {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.send(response);
    List<String> told = client.told();
    assertEquals("reset SERVICE_GONE", told.get(told.size() - 1));
    assertFalse(service.isConnected());
  }

  static List<String> malformed() {
    return List.of(
        FIVE.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        FIVE.replace("\r\n\r\n", "\r\nContent-Length: 5\r\n\r\n12345"),
        FIVE.replace("\r\n\r\n", "\r\nA: b\nC: d\r\n\r\n12345"),
        "HTTP/1.1 600 OK\r\nContent-Length: 5\r\n\r\n12345",
        "hello",
        SWITCHING,
        "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17) + OK,
        FIVE.replace("\r\n\r\n", "\r\nA: " + "x".repeat(70_000) + "\r\n\r\n12345"),
        FIVE.replace("\r\n\r\n", "\r\n" + "A: b\r\n".repeat(300) + "\r\n12345"));
  }

  /** One of each kind; all that a head may be wrong in says {@code ResponseHeadTest}. */
  @ParameterizedTest
  @MethodSource("malformed")
  void refusesAHeadThatIsMalformed(String response) {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.send(response);
    List<String> told = client.told();
    assertEquals("refused UPSTREAM_MALFORMED", told.get(told.size() - 1));
    assertFalse(service.isConnected());
  }

  @Test
  void refusesForAServiceThatEndsTheConnectionWithoutAnAnswer() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.end();
    assertTold(client, "refused UPSTREAM_CLOSED");
    assertEquals(1, held.admission.asked, "and asks for no other connection");
  }

  @Test
  void endsABodyWithTheConnectionAndCutsItWithAReset() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.send(UNTIL_CLOSE + "hello ").send("world").end();
    assertTold(
        client, "head 200", "data hello ", "flush", "data world", "flush", "data  end", "ended");
    service = held.connect();
    client = held.ask(GET);
    service.send(UNTIL_CLOSE + "hello").reset();
    assertTold(client, "head 200", "data hello", "flush", "reset SERVICE_GONE");
  }

  @Test
  void passesInformationalResponsesOnOneByOne() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.send("HTTP/1.1 100 Continue\r\n\r\n");
    assertTold(client, "informational 100", "flush");
    service.send("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(15) + OK);
    List<String> told = client.told();
    assertEquals(15, told.stream().filter("informational 103"::equals).count());
    assertEquals(List.of("head 200", "data ok end", "ended"), told.subList(15, told.size()));
    HeldClient next = held.ask(GET);
    service.send("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(16) + OK);
    assertTrue(next.told().contains("ended"), "each exchange has as many");
  }

  @Test
  void passesTheTrailersThatFrameNothing() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.send(CHUNKED + "2\r\nok\r\n0\r\nContent-Length: 5\r\nMine: x\r\n\r\n");
    assertTold(client, "head 200", "data ok", "trailers Mine=x", "ended");
  }

  /** What is left of the request would be the beginning of the next one. */
  @Test
  void isClosedByAnAnswerThatComesBeforeTheRequestIsWhole() {
    Service service = held.connect();
    HeldClient client = held.ask(POST.formatted(100_000)).data("x".repeat(20_000), false);
    assertEquals(20_000, body(service.got()).length());
    service.send(OK);
    assertTold(client, "head 200", "data ok end", "ended");
    assertFalse(service.isConnected());
  }

  private static String body(String request) {
    return request.split("\r\n\r\n", 2)[1];
  }

  @Test
  void endsWithItsClient() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    service.send(FIVE + "12");
    client.request.clientGone(RequestEnd.NO_CODE);
    assertFalse(service.isConnected());
  }

  @Test
  void givesTheServiceItsTimeAnewWithEachRead() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    held.pass(HeldHttp1Pool.RESPONSE_NS - 1);
    service.send(FIVE);
    held.pass(HeldHttp1Pool.RESPONSE_NS - 1);
    service.send("12");
    held.pass(HeldHttp1Pool.RESPONSE_NS - 1);
    assertTold(client, "head 200", "flush", "data 12", "flush");
    held.pass(1);
    assertTold(client, "reset TIMED_OUT");
    assertFalse(service.isConnected());
  }

  @Test
  void refusesForAServiceThatSaysNothing() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    held.pass(HeldHttp1Pool.RESPONSE_NS);
    assertTold(client, "refused UPSTREAM_TIMEOUT");
    assertFalse(service.isConnected());
  }

  /** The time of the service is no other's: not the client's that sends, nor that takes. */
  @Test
  void doesNotCountAgainstTheServiceWhatTheClientTakes() {
    Service service = held.connect();
    HeldClient client = held.ask(POST.formatted(20_001)).data("x".repeat(20_000), false);
    service.send("HTTP/1.1 100 Continue\r\n\r\n");
    held.pass(2 * HeldHttp1Pool.RESPONSE_NS);
    assertTold(client, "informational 100", "flush");
    client.data("x", true);
    held.pass(HeldHttp1Pool.RESPONSE_NS - 1);
    client.room = 1;
    service.send(FIVE + "123");
    held.pass(2 * HeldHttp1Pool.RESPONSE_NS);
    assertTold(client, "head 200", "data 123", "flush");
    client.request.responseConsumed(1);
    held.pass(2 * HeldHttp1Pool.RESPONSE_NS);
    client.request.responseConsumed(1);
    held.pass(HeldHttp1Pool.RESPONSE_NS - 1);
    assertTold(client);
    held.pass(1);
    assertTold(client, "reset TIMED_OUT");
  }

  @Test
  void countsAgainstTheServiceThatItTakesNoMoreOfARequest() {
    Service service = held.connect();
    HeldClient client = held.ask(POST.formatted(100_000)).data("x".repeat(20_000), false);
    service.takes(false);
    client.data("x".repeat(100), false);
    assertEquals(100, client.heldBytes);
    held.pass(HeldHttp1Pool.RESPONSE_NS);
    assertTold(client, "refused UPSTREAM_TIMEOUT");
  }

  @Test
  void tellsTheClientWhenTheServiceTakesMore() {
    Service service = held.connect();
    HeldClient client = held.ask(POST.formatted(100_000)).data("x".repeat(20_000), false);
    service.takes(false);
    client.data("x".repeat(100), false);
    service.takes(true);
    assertEquals(0, client.heldBytes);
    assertEquals(20_100, body(service.got()).length());
  }

  /** The service never had them: they count once, until their verdict has come. */
  @Test
  void tellsTheClientNothingOfBytesThatWaitForAVerdictWhenTheServiceTakesMore() {
    Service service = held.connect();
    held.admission.countsMessages = true;
    HeldClient client = held.ask(POST.formatted(100_000)).data(message(20_000) + message(0), false);
    held.admission.late = true;
    service.takes(false);
    client.data(message(10) + message(20), false); // a verdict on the first is awaited
    assertEquals(40, client.heldBytes);
    service.takes(true);
    assertEquals(40, client.heldBytes);
    held.admission.decide(0, null);
    assertEquals(25, client.heldBytes);
    service.takes(false);
    held.admission.decide(1, null);
    assertEquals(25, client.heldBytes, "the service has it now");
    service.takes(true);
    assertEquals(0, client.heldBytes);
    assertEquals(20_050, body(service.got()).length());
  }

  /** A message of gRPC. */
  private static String message(int bytes) {
    char[] length = {0, 0, 0, (char) (bytes >> 8), (char) (bytes & 0xFF)};
    return new String(length) + "x".repeat(bytes);
  }

  @Test
  void readsNoMoreThanTheClientTakesAndReadsForTheNext() {
    Service service = held.connect();
    HeldClient client = held.ask(GET);
    client.room = 1;
    service.send(FIVE + "123");
    assertFalse(service.isRead());
    assertEquals(Use.STREAM, service.use(), "it takes as long as its client likes");
    service.send("45");
    assertTold(client, "head 200", "data 123", "flush", "data 45 end", "ended");
    assertTrue(service.isRead());
    assertServesAnother(service);

    client = held.ask(GET);
    client.room = 1;
    service.send(FIVE + "123");
    client.request.responseConsumed(2);
    assertTrue(service.isRead());
  }

  @Test
  void carriesATunnelUntilBothSidesHaveEnded() {
    Service service = held.connect();
    HeldClient client = held.ask(UPGRADE);
    service.send(SWITCHING + "hello");
    assertTold(client, "switched 101", "data hello", "flush");
    assertEquals(Use.STREAM, service.use());
    service.got();
    service.send("!");
    assertTold(client, "data !", "flush");
    service.endOutput();
    assertTold(client, "data  end");
    client.data("still here", false);
    assertEquals("still here", service.got());
    held.pass(HeldHttp1Pool.RESPONSE_NS);
    assertTrue(service.isConnected(), "a tunnel's time is not the service's");
    client.data("", true);
    assertTold(client, "ended");
    assertFalse(service.isConnected());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void endsTheServicesSideOfATunnelWithTheClients(boolean inOrder) {
    Service service = held.connect();
    HeldClient client = held.ask(UPGRADE);
    service.send(SWITCHING);
    client.data("bye", true);
    assertTrue(service.got().endsWith("bye"));
    assertTrue(service.channel.isOutputShutdown());
    assertTrue(service.isConnected());
    service.send("got bye");
    if (inOrder) {
      service.endOutput();
      assertTold(client, "switched 101", "flush", "data got bye", "flush", "data  end", "ended");
    } else {
      service.reset();
      assertTold(client, "switched 101", "flush", "data got bye", "flush", "reset SERVICE_GONE");
    }
    assertFalse(service.isConnected());
  }

  @Test
  void isClosedWhenItIsIdleForTooLong() {
    Service service = held.connect();
    held.pass(HeldHttp1Pool.IDLE_NS - 1);
    assertTrue(service.isConnected());
    held.pass(1);
    assertFalse(service.isConnected());
  }

  @Test
  void isNotUsedAgainOnceTheServiceHasEndedIt() {
    Service ended = held.connect();
    ended.end();
    Service other = held.connect();
    held.ask(GET);
    assertEquals("", ended.got());
    assertTrue(other.got().startsWith("GET /a "));
  }

  @Test
  void isNotUsedAgainOnceTheServiceIsElsewhere() throws IOException {
    byte[] host = {127, 0, 0, 1};
    UpstreamAddresses addresses =
        new UpstreamAddresses(
            InetSocketAddress.createUnresolved("app.test", 80),
            Transport.NIO,
            name -> new InetAddress[] {InetAddress.getByAddress(host)});
    HeldHttp1Pool moved = new HeldHttp1Pool(addresses);
    Service before = moved.connect();
    host[3] = 2;
    addresses.lookUpAgain();
    HeldClient client = moved.ask(GET);
    assertEquals("", before.got());
    assertFalse(before.isConnected());
    client.request.clientGone(RequestEnd.NO_CODE);
    moved.pass(1); // until there is none at the other address, as nobody listens there
    moved.close();
  }

  @Test
  void isTheOneUsedLastThatIsUsedNext() {
    Service first = held.connect();
    Service last = held.connect();
    assertServesAnother(last);
    assertServesAnother(last);
    assertEquals("", first.got());
  }
}
