package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.downstream.HeldService;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.request.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and answers of HTTP/2 to a service of HTTP/1.1, frame by frame. */
class Http2ClientConnectionTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5";
  private static final String LIMIT =
      ", ratelimit-policy: \"held\";q=10;w=60, ratelimit: \"held\";r=9;t=6"
          + ", x-ratelimit-limit: 10, x-ratelimit-remaining: 9, x-ratelimit-reset: 6";

  private static final long DRAIN_PING = 0x7765_6972_2d65_6e64L;

  /** Behind a WINDOW_UPDATE. */
  private static final String BANDWIDTH_PING = "PING 8603398602269811824";

  private final HeldLoop held = new HeldLoop().connectHttp2();

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.loop.connectionCount());
    assertEquals(0, held.http2.heldBytes());
  }

  private void assertReceived(String... frames) {
    assertEquals(List.of(frames), held.client.received());
  }

  @Test
  void carriesARequestToTheServiceAndItsAnswerBack() {
    held.client.request(1, true, "GET", "/a?b", "x-user: 7", "cookie: a=1", "cookie: b=2").send();
    HeldService.Call call = held.service.last();
    assertTrue(
        call.head()
            .startsWith("GET /a?b HTTP/1.1\r\nHost: test\r\nx-user: 7\r\nCookie: a=1; b=2\r\n"),
        call.head());
    assertEquals("end", call.end);
    assertReceived();
    call.answer(OK + "\r\nX-A: b\r\nConnection: keep-alive");
    call.send("hello", true);
    assertReceived(
        "HEADERS 1 :status: 200, x-a: b, content-length: 5, via: 1.1 weir" + LIMIT,
        "DATA 1 hello end");
    assertEquals(List.of("COMPLETE 200 0 5"), held.admission.ends);
    assertEquals(1, held.admission.charged);
  }

  @Test
  void answersARefusedRequestInItsTurn() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    held.client.request(1, true, "GET", "/a").send();
    List<String> frames = held.client.received();
    assertEquals(2, frames.size(), frames.toString());
    assertTrue(frames.get(0).startsWith("HEADERS 1 :status: 429, date: "), frames.get(0));
    assertTrue(
        frames.get(0).contains(", content-type: application/problem+json, content-length: "),
        frames.get(0));
    assertTrue(frames.get(0).contains(", retry-after: 3, ratelimit-policy: "), frames.get(0));
    assertTrue(frames.get(1).endsWith("} end".replace("} ", "}\n ")), frames.get(1));
    assertEquals(0, held.admission.charged);
    assertEquals(0, held.service.calls.size());
  }

  @Test
  void sendsTheProblemOfARefusalAsTheWindowAllows() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    held.client.settings(Setting.INITIAL_WINDOW_SIZE, 9).request(1, true, "GET", "/a").send();
    List<String> frames = held.client.received();
    assertEquals("DATA 1 {\"type\":\"", frames.get(frames.size() - 1));
    held.client.windowUpdate(1, 1_000).send();
    frames = held.client.received();
    assertEquals(1, frames.size(), frames.toString());
    assertTrue(frames.get(0).startsWith("DATA 1 https://"), frames.get(0));
    assertTrue(frames.get(0).endsWith(" end"), frames.get(0));
  }

  @Test
  void answersACallOfGrpcInItsOwnForm() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    held.client
        .request(1, false, "POST", "/a.B/C", "content-type: application/grpc+proto")
        .data(1, true, "\0\0\0\0\0")
        .send();
    List<String> frames = held.client.received();
    assertEquals(1, frames.size(), frames.toString());
    assertTrue(frames.get(0).startsWith("HEADERS 1 :status: 200, content-type: application/grpc,"));
    assertTrue(frames.get(0).contains(", grpc-status: 8, "), frames.get(0));
    assertTrue(frames.get(0).endsWith(" end"), frames.get(0));
  }

  @Test
  void endsTheAnswerToHeadWithItsHead() {
    held.client.request(1, true, "HEAD", "/a").send();
    held.service.last().answer(OK);
    held.service.last().send("", true);
    assertReceived("HEADERS 1 :status: 200, content-length: 5, via: 1.1 weir" + LIMIT + " end");
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    held.client.request(3, true, "HEAD", "/a").send();
    List<String> refused = held.client.received();
    assertEquals(1, refused.size(), "a problem behind the head of an answer to HEAD");
    assertTrue(refused.get(0).endsWith(" end"));
  }

  @Test
  void sendsABodyOnOnceItIsThere() {
    held.client
        .request(1, false, "POST", "/a", "content-length: 10")
        .data(1, false, "hello")
        .send();
    assertEquals(0, held.service.calls.size(), "a connection waits for the client's body");
    held.client.data(1, true, "world").send();
    assertTrue(held.service.last().head().contains("\r\nContent-Length: 10\r\n"));
    assertEquals("helloworld", held.service.last().body());
    assertEquals("end", held.service.last().end);
  }

  @Test
  void carriesTrailersBothWays() {
    held.client
        .request(1, false, "POST", "/a", "te: trailers")
        .data(1, false, "hello")
        .headers(1, true, "x-sum: 1", "authorization: forged")
        .send();
    assertTrue(held.service.last().head().contains("\r\nTransfer-Encoding: chunked\r\n"));
    assertEquals("x-sum=1 end", held.service.last().end);
    held.service.last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked");
    held.service.last().send("world", false);
    held.service.last().trailers("Grpc-Status: 0\r\nContent-Length: 7\r\n");
    assertReceived(
        "HEADERS 1 :status: 200, via: 1.1 weir" + LIMIT,
        "DATA 1 world",
        "HEADERS 1 grpc-status: 0 end");
    assertEquals(List.of("COMPLETE 200 5 5"), held.admission.ends);
  }

  @Test
  void endsAResponseWhoseTrailersMayNotPass() {
    held.client.request(1, true, "GET", "/a").send();
    held.service.last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked");
    held.service.last().trailers("Content-Length: 7\r\n");
    assertReceived("HEADERS 1 :status: 200, via: 1.1 weir" + LIMIT, "DATA 1  end");
  }

  @Test
  void passesOnAFewResponsesBeforeTheFinalOne() {
    held.client.request(1, false, "PUT", "/a", "expect: 100-continue").send();
    assertTrue(held.service.last().head().contains("\r\nExpect: 100-continue\r\n"));
    held.service.last().answer("HTTP/1.1 100 Continue");
    assertReceived("HEADERS 1 :status: 100, via: 1.1 weir");
    held.client.data(1, true, "hello").send();
    for (int i = 0; i < 20; i++) {
      held.service.last().answer("HTTP/1.1 103 Early Hints\r\nLink: </a>");
    }
    assertEquals(7, held.client.received().size(), "a flood of hints is passed on");
    held.service.last().answer("HTTP/1.1 204 No Content");
    held.service.last().send("", true);
    assertReceived("HEADERS 1 :status: 204, via: 1.1 weir" + LIMIT + " end");
  }

  @Test
  void resetsWhoIsAnsweredEarlyWhenTheTurnEnds() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    held.client.request(1, false, "POST", "/a").send();
    List<String> frames = held.client.received();
    assertEquals("RST_STREAM 1 NO_ERROR", frames.get(2));
    held.client.data(1, true, "late").send();
    assertReceived();
    held.client.request(3, false, "POST", "/a").data(3, true, "in the same read").send();
    assertEquals(2, held.client.received().size());
  }

  @Test
  void givesCreditForWhatTheServiceHasConsumed() {
    held.service.room = 0;
    held.service.multiplexes = true;
    held.client.request(1, false, "POST", "/a");
    String piece = "x".repeat(16_000);
    for (int i = 0; i < 4; i++) {
      held.client.data(1, false, piece);
    }
    held.client.send();
    assertReceived();
    assertEquals(64_000, held.service.last().held);
    assertEquals(64_000, held.http2.heldBytes());
    held.service.last().consume();
    assertReceived("WINDOW_UPDATE 1 64000", BANDWIDTH_PING);
    held.client.data(1, false, piece).reset(1, 8).send();
    assertEquals("reset CLIENT_GONE CANCEL", held.service.last().end);
  }

  @Test
  void tellsTheServiceWhenTheClientHasTakenItsAnswer() {
    held.client.settings(4, 10).request(1, true, "GET", "/a").send();
    held.service.last().answer("HTTP/1.1 200 OK\r\nContent-Length: 20");
    assertEquals(5, held.service.last().send("hello hello wor", false));
    held.client.received();
    assertEquals(0, held.service.last().consumed);
    held.client.windowUpdate(1, 10).send();
    assertReceived("DATA 1 o wor");
    assertEquals(5, held.service.last().consumed);
    held.service.last().send("ld ld", true);
    assertReceived("DATA 1 ld ld end");
  }

  @Test
  void answersForAServiceThatBreaksOffBeforeItsHead() {
    held.client.request(1, true, "GET", "/a").send();
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, -1);
    assertTrue(held.client.received().get(0).startsWith("HEADERS 1 :status: 502, "));
    assertEquals(List.of("SERVICE_GONE 502 0 0"), held.admission.ends);
    assertEquals(1, held.admission.charged);
  }

  @Test
  void neverEndsWellWhatTheServiceHasCut() {
    held.client.request(1, true, "GET", "/a").send();
    held.service.last().answer(OK);
    held.service.last().send("hel", false);
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, -1);
    List<String> frames = held.client.received();
    assertEquals("RST_STREAM 1 INTERNAL_ERROR", frames.get(frames.size() - 1));
    held.client.request(3, true, "GET", "/a").send();
    held.service.last().answer(OK);
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, 11);
    frames = held.client.received();
    assertEquals("RST_STREAM 3 ENHANCE_YOUR_CALM", frames.get(frames.size() - 1));
  }

  @Test
  void refusesWhatNoServiceShouldSee() {
    held.client.request(1, true, "CONNECT", "/a").send();
    assertTrue(held.client.received().get(0).startsWith("HEADERS 1 :status: 501, "));
    held.client.request(3, true, "GET", "/a%2fb").send();
    assertTrue(held.client.received().get(0).startsWith("HEADERS 3 :status: 400, "));
    held.client.request(5, true, "GET", "/a", "host: other").send();
    assertTrue(held.client.received().get(0).startsWith("HEADERS 5 :status: 400, "));
    held.client.request(7, true, "GET", "/" + "a".repeat(9000)).send();
    assertTrue(held.client.received().get(0).startsWith("HEADERS 7 :status: 414, "));
    assertNothingAsked();
  }

  private void assertNothingAsked() {
    assertEquals(0, held.admission.asked, "a verdict was asked for");
    assertEquals(0, held.service.calls.size(), "a byte has reached the service");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ":path: /a b",
        ":path: a",
        ":path: /a\r\nx: y",
        ":path: /a#b",
        ":method: G T",
        ":scheme: http://a/",
        ":status: 200",
        "transfer-encoding: chunked",
        "connection: x",
        "upgrade: h2c",
        "te: gzip",
        "keep-alive: 1",
        "proxy-connection: close",
        "content-length: 5",
        "content-length: +0",
        "x: a\rb",
        "x: a\nb",
        "x: a\0b",
        "x:  a",
        "x: a ",
        "x\r\ny: a",
        "x:y: a"
      })
  void resetsWhatIsNoRequest(String field) {
    String name = field.substring(0, field.indexOf(": ", 1));
    List<String> lines =
        new ArrayList<>(List.of(":method: GET", ":scheme: http", ":path: /", ":authority: test"));
    lines.removeIf(line -> line.startsWith(name + ": "));
    lines.add(name.startsWith(":") ? 0 : lines.size(), field);
    held.client.headers(1, true, lines.toArray(String[]::new)).send();
    assertReceived("RST_STREAM 1 PROTOCOL_ERROR");
    assertNothingAsked();
    held.client.request(3, true, "GET", "/").send();
    assertEquals(1, held.service.calls.size(), "the connection has not survived");
  }

  @Test
  void cancelsARequestWhoseContentIsNotAsLongAsItSays() {
    held.service.multiplexes = true;
    held.client.request(1, false, "POST", "/a", "content-length: 5").data(1, false, "hel").send();
    held.client.data(1, true, "").send();
    assertReceived("RST_STREAM 1 PROTOCOL_ERROR");
    assertEquals("reset CLIENT_GONE", held.service.last().end);
    held.client
        .request(3, false, "POST", "/a", "content-length: 5")
        .data(3, false, "helloo")
        .send();
    assertReceived("RST_STREAM 3 PROTOCOL_ERROR");
    held.client
        .request(5, false, "POST", "/a", "content-length: 5")
        .headers(5, true, "x: y")
        .send();
    assertReceived("RST_STREAM 5 PROTOCOL_ERROR");
    assertEquals(3, held.admission.charged, "who breaks off has had its permit");
  }

  @Test
  void refusesStreamsAboveTheMostWithoutACharge() {
    for (int i = 0; i < Http2ClientConnection.MAX_STREAMS; i++) {
      held.client.request(2 * i + 1, true, "GET", "/a").send();
    }
    assertEquals(100, held.admission.charged);
    held.client.request(201, true, "GET", "/a").send();
    assertReceived("RST_STREAM 201 REFUSED_STREAM");
    assertEquals(100, held.admission.asked);
    held.service.calls.get(0).answer(OK);
    held.service.calls.get(0).send("hello", true);
    held.client.received();
    held.client.request(203, true, "GET", "/a").send();
    assertEquals(101, held.admission.asked);
  }

  @Test
  void endsInOrderWhenItIsDrained() {
    held.client.request(1, true, "GET", "/a").send();
    held.loop.drain();
    assertReceived("GOAWAY 2147483647 NO_ERROR", "PING " + DRAIN_PING);
    held.client.request(3, true, "GET", "/sent-before-it-knew").pingAck(DRAIN_PING).send();
    assertReceived("GOAWAY 3 NO_ERROR");
    held.client.request(5, true, "GET", "/above").send();
    assertReceived();
    assertEquals(2, held.admission.asked, "what is not processed is charged");
    for (HeldService.Call call : held.service.calls) {
      call.answer(OK);
      call.send("hello", true);
    }
    assertEquals(4, held.client.received().size());
    assertEquals(0, held.http2.heldBytes());
    held.pass(HeldLoop.IDLE_NS);
    assertFalse(held.channel.isOpen());
  }

  @Test
  void endsWhatIsIdleForLongEnough() {
    held.client.request(1, true, "GET", "/a").send();
    held.pass(HeldLoop.IDLE_NS);
    assertReceived();
    held.service.last().answer(OK);
    held.service.last().send("hello", true);
    held.client.received();
    held.pass(HeldLoop.IDLE_NS);
    assertEquals("GOAWAY 2147483647 NO_ERROR", held.client.received().get(0));
    held.pass(HeldLoop.IDLE_NS);
    held.pass(HeldLoop.IDLE_NS);
    assertFalse(held.channel.isOpen());
  }

  @Test
  void endsARequestWhoseBodyDoesNotCome() {
    held.client.request(1, false, "POST", "/a", "content-length: 10").send();
    held.pass(HeldLoop.BODY_NS);
    assertTrue(held.client.received().get(0).startsWith("HEADERS 1 :status: 408, "));
    assertEquals(List.of("TIMED_OUT 408 0 0"), held.admission.ends);
  }

  @Test
  void freesTheServiceOfAClientThatTakesNothing() {
    held.client.settings(4, 0).request(1, true, "GET", "/a").send();
    held.service.last().answer(OK);
    held.service.last().send("hello", false);
    held.client.received();
    held.pass(HeldLoop.WRITE_NS);
    held.pass(HeldLoop.WRITE_NS);
    assertReceived("RST_STREAM 1 CANCEL");
    assertTrue(held.service.last().end.startsWith("endreset "), held.service.last().end);
  }
}
