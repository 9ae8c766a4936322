package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.downstream.HeldService;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets of clients of HTTP/2 (RFC 8441) to a service of HTTP/1.1, frame by frame. */
class Http2WebSocketTest {
  private static final List<String> HEAD =
      List.of(
          ":method: CONNECT",
          ":protocol: websocket",
          ":scheme: https",
          ":path: /chat",
          ":authority: test");

  private static final String AGREED =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: held\r\nSec-WebSocket-Protocol: chat";

  /** A frame of five bytes, and a Close frame of status 1001. */
  private static final String HELLO = "\u0081\u0005hello";

  private static final String GOING_AWAY = "\u0088\u0002\u0003\u00e9";

  /** Behind a WINDOW_UPDATE. */
  private static final String BANDWIDTH_PING = "PING 8603398602269811824";

  private final HeldLoop held = new HeldLoop().connectHttp2();

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.loop.connectionCount());
    assertEquals(0, held.http2.heldBytes());
  }

  private void ask(int stream, String... fields) {
    List<String> all = new ArrayList<>(HEAD);
    all.addAll(List.of(fields));
    held.client.headers(stream, false, all.toArray(String[]::new)).send();
  }

  private HeldService.Call open(int stream) {
    ask(stream);
    HeldService.Call call = held.service.last();
    call.answer(AGREED);
    held.client.received();
    return call;
  }

  private void assertReceived(String... frames) {
    assertEquals(List.of(frames), held.client.received());
  }

  @Test
  void areSaidToBeTaken() {
    HeldLoop fresh = new HeldLoop().connect();
    fresh.client.startAsClient().send();
    assertEquals("SETTINGS 3=100 6=32768 8=1", fresh.client.received().get(0));
    fresh.close();
  }

  @Test
  void areAskedForByAnUpgradeWithAKeyOfOurs() {
    ask(1, "sec-websocket-version: 13", "sec-websocket-key: forged", "cookie: a=1", "cookie: b=2");
    String head = held.service.last().head();
    assertTrue(head.startsWith("GET /chat HTTP/1.1\r\nHost: test\r\n"), head);
    assertTrue(head.contains("\r\nsec-websocket-version: 13\r\nCookie: a=1; b=2\r\n"), head);
    assertTrue(
        head.matches(
            "(?s).*\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Key: [A-Za-z0-9+/]{22}==\r\n.*"),
        head);
    assertFalse(head.contains("forged"), head);
    assertFalse(head.contains("Transfer-Encoding"), head);
    assertReceived();
    held.service.last().answer(AGREED);
    assertReceived("HEADERS 1 :status: 200, sec-websocket-protocol: chat, via: 1.1 weir");
    assertEquals(1, held.admission.charged);
  }

  @Test
  void passBytesBothWaysAndEachSidesEnd() {
    HeldService.Call call = open(1);
    held.client.data(1, false, "hello").send();
    assertEquals("hello", call.body());
    call.send(HELLO, false);
    assertReceived("DATA 1 " + HELLO);
    held.client.data(1, true, "bye").send();
    assertEquals("hellobye", call.body());
    assertEquals("endend", call.end, "of the head, and of the tunnel");
    call.send(HELLO, false);
    assertReceived("DATA 1 " + HELLO);
    assertEquals(List.of(), held.admission.ends);
    call.send("", true);
    assertReceived("DATA 1  end");
    assertEquals(List.of("UPGRADED_AND_CLOSED 101 8 14"), held.admission.ends);
  }

  @Test
  void passTheServicesEndFirst() {
    HeldService.Call call = open(1);
    call.send("", true);
    assertReceived("DATA 1  end");
    held.client.data(1, true, "late").send();
    assertEquals("late", call.body());
    assertEquals(List.of("UPGRADED_AND_CLOSED 101 4 0"), held.admission.ends);
    assertReceived();
  }

  @Test
  void passTheEndOfAClientThatSaidItWithItsHead() {
    held.client.headers(1, true, HEAD.toArray(String[]::new)).send();
    HeldService.Call call = held.service.last();
    call.answer(AGREED);
    assertEquals("endend", call.end, "of the head, and of the tunnel");
    call.send(HELLO, false);
    call.send("", true);
    assertEquals(List.of("UPGRADED_AND_CLOSED 101 0 7"), held.admission.ends);
  }

  @Test
  void giveTheServiceNothingBeforeItAgrees() {
    ask(1);
    HeldService.Call call = held.service.last();
    held.client.data(1, false, "GET /smuggled HTTP/1.1\r\n\r\n").data(1, true, "x").send();
    assertEquals("", call.body());
    assertEquals(27, held.http2.heldBytes());
    call.answer(AGREED);
    assertEquals("GET /smuggled HTTP/1.1\r\n\r\nx", call.body());
    assertEquals("endend", call.end);
    assertEquals(0, held.http2.heldBytes());
  }

  @Test
  void giveNothingToAServiceThatDoesNotAgree() {
    ask(1);
    HeldService.Call call = held.service.last();
    held.client.data(1, false, "GET /smuggled HTTP/1.1\r\n\r\n").send();
    call.answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 2");
    call.send("no", true);
    assertEquals("", call.body());
    List<String> frames = held.client.received();
    assertTrue(frames.get(0).startsWith("HEADERS 1 :status: 403, content-length: 2, "));
    assertEquals(List.of("DATA 1 no end", "RST_STREAM 1 NO_ERROR"), frames.subList(1, 3));
    assertEquals(0, held.http2.heldBytes());
  }

  @Test
  void areRefusedAsAnyRequestIs() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    ask(1);
    List<String> frames = held.client.received();
    assertTrue(frames.get(0).startsWith("HEADERS 1 :status: 429, "), frames.get(0));
    assertTrue(frames.get(1).endsWith(" end"), frames.get(1));
    assertEquals("RST_STREAM 1 NO_ERROR", frames.get(2));
    assertEquals(0, held.service.calls.size());
  }

  @Test
  void areRefusedWhereThereIsNoPlaceForOne() {
    held.service.full = true;
    ask(1);
    assertTrue(held.client.received().get(0).startsWith("HEADERS 1 :status: 503, "));
    assertEquals(0, held.admission.charged);
  }

  @Test
  void areAskedForWithoutATunnelToAnythingElse() {
    held.client.request(1, false, "CONNECT", "/a", "x: y").send();
    assertTrue(held.client.received().get(0).startsWith("HEADERS 1 :status: 501, "));
    held.client
        .headers(
            3,
            false,
            ":method: CONNECT",
            ":protocol: connect-udp",
            ":scheme: http",
            ":path: /a",
            ":authority: test")
        .send();
    List<String> frames = held.client.received();
    assertTrue(frames.get(0).startsWith("HEADERS 3 :status: 501, "), frames.get(0));
    assertTrue(frames.get(1).contains("protocol_not_supported"), frames.get(1));
    assertEquals(0, held.admission.asked);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ":method: GET|:protocol: websocket|:scheme: http|:path: /|:authority: a",
        ":method: CONNECT|:protocol: |:scheme: http|:path: /|:authority: a",
        ":method: CONNECT|:protocol: web socket|:scheme: http|:path: /|:authority: a",
        ":method: CONNECT|:protocol: websocket|:path: /|:authority: a",
        ":method: CONNECT|:protocol: websocket|:scheme: http|:authority: a",
        ":method: CONNECT|:protocol: websocket|:scheme: http|:path: a|:authority: a",
        ":method: CONNECT|:protocol: websocket|:protocol: websocket|:scheme: http|:path: /"
            + "|:authority: a",
        ":method: CONNECT|:protocol: websocket|:scheme: http|:path: /|:authority: a"
            + "|upgrade: websocket",
        ":method: CONNECT|:protocol: websocket|:scheme: http|:path: /|:authority: a"
            + "|content-length: 5"
      })
  void areNotAskedForByHalf(String fields) {
    held.client.headers(1, false, fields.split("\\|")).send();
    assertReceived("RST_STREAM 1 PROTOCOL_ERROR");
    assertEquals(0, held.admission.asked);
    assertEquals(0, held.service.calls.size());
  }

  @Test
  void haveNoTrailers() {
    HeldService.Call call = open(1);
    held.client.headers(1, true, "x-sum: 1").send();
    assertReceived("RST_STREAM 1 PROTOCOL_ERROR");
    assertEquals("endreset CLIENT_GONE", call.end);
  }

  @Test
  void areCutWhereOneSideCuts() {
    HeldService.Call call = open(1);
    held.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals("endreset CLIENT_GONE CANCEL", call.end);
    call = open(3);
    call.breakOff(RefusalReason.UPSTREAM_CLOSED, -1);
    assertReceived("RST_STREAM 3 CANCEL");
    assertEquals(List.of("CLIENT_GONE 101 0 0", "SERVICE_GONE 101 0 0"), held.admission.ends);
  }

  @Test
  void holdAsMuchAsAWindowOfEachSide() {
    HeldService.Call call = open(1);
    held.service.room = 0;
    String piece = "x".repeat(16_000);
    for (int i = 0; i < 4; i++) {
      held.client.data(1, false, piece);
    }
    held.client.send();
    assertReceived();
    assertEquals(64_000, held.http2.heldBytes());
    call.consume();
    assertReceived("WINDOW_UPDATE 1 64000", BANDWIDTH_PING);
    assertEquals(65_535 + 5 - 65_535, call.send("y".repeat(65_540), false));
    held.client.received();
    assertEquals(0, call.consumed);
    held.client.windowUpdate(0, 5).windowUpdate(1, 5).send();
    assertReceived("DATA 1 yyyyy");
    assertEquals(5, call.consumed);
  }

  @Test
  void endWhenNothingComesForLong() {
    HeldService.Call call = open(1);
    held.pass(HeldLoop.IDLE_NS - 1);
    assertReceived();
    held.client.data(1, false, "x").send();
    held.pass(HeldLoop.IDLE_NS - 1);
    assertReceived();
    held.pass(1);
    assertReceived("RST_STREAM 1 CANCEL");
    assertEquals("endreset TIMED_OUT", call.end);
  }

  @Test
  void tellTheClientToGoBetweenTwoFrames() {
    HeldService.Call call = open(1);
    call.send(HELLO, false);
    held.client.received();
    held.loop.drain();
    List<String> frames = held.client.received();
    assertTrue(frames.contains("DATA 1 " + GOING_AWAY), frames.toString());
    assertEquals(0, call.send(HELLO, false), "nothing comes behind it, and nothing is held");
    assertReceived();
    held.client.data(1, false, "bye").send();
    assertEquals("bye", call.body(), "the service closes as its client does");
    call.send("", true);
    assertReceived("DATA 1  end");
    held.client.data(1, true, "").send();
    assertEquals(List.of("UPGRADED_AND_CLOSED 101 3 14"), held.admission.ends);
  }

  @Test
  void tellTheClientToGoWhereTheFrameEndsThatHasBegun() {
    HeldService.Call call = open(1);
    call.send(HELLO.substring(0, 3), false);
    held.client.received();
    held.loop.drain();
    assertFalse(held.client.received().toString().contains("DATA 1"));
    call.send(HELLO.substring(3) + HELLO + HELLO, false);
    assertReceived("DATA 1 ello", "DATA 1 " + GOING_AWAY);
  }

  @Test
  void tellTheClientNothingBehindTheServicesClose() {
    HeldService.Call call = open(1);
    call.send("\u0088\u0000", false);
    held.client.received();
    held.loop.drain();
    assertFalse(held.client.received().toString().contains("DATA 1"));
    call.send("", true);
    assertReceived("DATA 1  end");
  }

  @Test
  void tellTheClientToGoAsSoonAsTheyAreOpenInTheEnd() {
    ask(1);
    held.loop.drain();
    held.client.received();
    held.service.last().answer(AGREED);
    assertEquals("DATA 1 " + GOING_AWAY, held.client.received().get(1));
  }

  @Test
  void waitNoLongerForAClientThatWasToldThanForItsReading() {
    HeldService.Call call = open(1);
    held.loop.drain();
    held.client.received();
    for (int i = 0; i < 3; i++) {
      held.pass(HeldLoop.WRITE_NS / 4);
      call.send(HELLO, false);
      held.client.data(1, false, "x").send();
    }
    held.pass(HeldLoop.WRITE_NS / 4);
    assertTrue(held.client.received().contains("RST_STREAM 1 CANCEL"));
    assertEquals("endreset TIMED_OUT", call.end);
  }

  @Test
  void giveTheServiceNoCreditForWhatWeSaid() {
    HeldService.Call call = open(1);
    assertEquals(5, call.send("\u0082\u007f\0\0\0\0\0\1\0\0" + "y".repeat(65_530), false));
    call.send("y".repeat(6), false);
    held.client.received();
    held.loop.drain();
    held.client.windowUpdate(0, 100).windowUpdate(1, 100).send();
    assertTrue(held.client.received().contains("DATA 1 yyyyyyyyyyy" + GOING_AWAY));
    assertEquals(11, call.consumed);
  }
}
