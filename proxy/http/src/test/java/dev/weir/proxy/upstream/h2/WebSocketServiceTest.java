package dev.weir.proxy.upstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upgrades of HTTP/1.1 to a service of HTTP/2 (RFC 8441), frame by frame. */
class WebSocketServiceTest extends HeldPoolTest {
  private static final String UPGRADE =
      "GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: %s\r\n";
  private static final String WEBSOCKET =
      UPGRADE.formatted("websocket")
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  private static final String HEAD =
      "HEADERS %d :method: CONNECT, :protocol: websocket, :scheme: http, :authority: h, :path: /a"
          + ", sec-websocket-version: 13";
  private static final String PLAIN =
      "HEADERS 1 :method: GET, :scheme: http, :authority: h, :path: /a";

  private static void assertTold(HeldClient client, String... lines) {
    assertEquals(List.of(lines), client.told());
  }

  private Service settled() {
    return held.connectSettled(Setting.ENABLE_CONNECT_PROTOCOL, 1);
  }

  private Service open(HeldClient client) {
    Service service = settled();
    service.peer.headers(1, false, ":status: 200", "content-length: 5").send();
    held.run();
    assertTold(client, "switched 200", "flush");
    assertEquals(List.of(HEAD.formatted(1)), service.streams());
    return service;
  }

  @Test
  void isNotAskedForBeforeTheServiceHasSaidThatItMayBe() {
    held.ask(WEBSOCKET);
    Service service = held.connect();
    assertEquals(List.of(), service.streams());
    service.peer.settings(Setting.ENABLE_CONNECT_PROTOCOL, 1);
    service.send();
    assertEquals(List.of(HEAD.formatted(1)), service.streams());
    held.ask(WEBSOCKET);
    assertEquals(List.of(HEAD.formatted(3)), service.streams());
  }

  @Test
  void isRefusedIfTheServiceTakesNone() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = held.connectSettled();
    assertTold(client, "refused UPSTREAM_NO_WEBSOCKET");
    assertEquals(List.of(), service.streams(), "a reset of a stream that it knows nothing of");
    assertEquals(List.of("REFUSED_HERE 502 0 0"), held.admission.ends);
    held.ask("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
    assertEquals(1, service.streams().size(), "the connection goes on");
  }

  @Test
  void passesBytesBothWaysAndEachSidesEnd() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = open(client);
    client.data("hello", false);
    assertEquals(List.of("DATA 1 hello"), service.streams());
    service.peer.data(1, false, "world").send();
    held.run();
    assertTold(client, "data world", "flush");
    client.data("bye", true);
    assertEquals(List.of("DATA 1 bye end"), service.streams());
    service.peer.data(1, false, "more");
    service.send();
    service.peer.data(1, true, "");
    service.send();
    assertTold(client, "data more", "flush", "data  end", "ended");
    assertEquals(List.of("UPGRADED_AND_CLOSED 200 8 9"), held.admission.ends);
    assertEquals(List.of(), service.streams());
  }

  @Test
  void endsNoOtherStreamWhereTheServiceTakesNothingOfAFew() {
    List<HeldClient> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      clients.add(held.ask(WEBSOCKET));
    }
    Service service =
        held.connectSettled(Setting.ENABLE_CONNECT_PROTOCOL, 1, Setting.INITIAL_WINDOW_SIZE, 0);
    for (int id = 1; id <= 7; id += 2) {
      service.peer.headers(id, false, ":status: 200");
    }
    service.send();
    clients.subList(0, 3).forEach(client -> client.data("hello", false));
    held.pass(HeldPool.SECOND_NS);
    held.pass(30 * HeldPool.SECOND_NS);
    clients.subList(0, 3).forEach(c -> assertTold(c, "switched 200", "flush", "reset TIMED_OUT 8"));
    assertTold(clients.get(3), "switched 200", "flush");
    assertTrue(service.channel.isOpen());
  }

  @Test
  void isRefusedBeyondWhatMayLast() {
    HeldPool few = new HeldPool(100, 1, 2, HeldPool.SECOND_NS);
    few.ask(WEBSOCKET);
    Service service = few.connectSettled(Setting.ENABLE_CONNECT_PROTOCOL, 1);
    few.ask(WEBSOCKET);
    HeldClient client = few.ask(WEBSOCKET);
    assertEquals(2, service.streams().size());
    assertTold(client, "refused UPSTREAM_BUSY");
    few.ask("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
    assertEquals(1, service.streams().size(), "a request that does not last");
    service.peer.reset(1, ErrorCode.CANCEL);
    service.send();
    few.ask(WEBSOCKET);
    assertEquals(1, service.streams().size());
    few.close();
  }

  @Test
  void passesTheServicesEndFirst() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = open(client);
    service.peer.data(1, true, "bye");
    service.send();
    assertTold(client, "data bye end", "flush");
    client.data("late", true);
    assertEquals(List.of("DATA 1 late end"), service.streams());
    assertTold(client, "ended");
    assertEquals(List.of("UPGRADED_AND_CLOSED 200 4 3"), held.admission.ends);
  }

  /** As a socket does whose last bytes are sent within the call that ends its output. */
  @Test
  void endsInOrderWhereTheClientTakesAllThatItHoldsAsItIsToldTheEnd() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = open(client);
    client.data("", true);
    client.room = 0;
    client.takesAllAtTheEnd = true;
    service.peer.data(1, false, "world").data(1, true, "bye");
    service.send();
    assertTold(client, "data world", "data bye end", "ended");
    assertEquals(List.of("UPGRADED_AND_CLOSED 200 0 8"), held.admission.ends);
  }

  @Test
  void mayBeEndedWithItsHead() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = settled();
    service.peer.headers(1, true, ":status: 200");
    service.send();
    assertTold(client, "switched 200", "data  end", "flush");
    client.data("", true);
    assertTold(client, "ended");
  }

  @Test
  void isARequestLikeAnyIfTheServiceDoesNotAgree() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = settled();
    service.peer.headers(1, false, ":status: 403").data(1, true, "no");
    service.send();
    assertTold(client, "head 403", "data no end", "ended");
    assertEquals("RST_STREAM 1 NO_ERROR", service.streams().get(1), "its half is open still");
  }

  @Test
  void hasNoTrailers() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = open(client);
    service.peer.headers(1, true, "x-sum: 1");
    service.send();
    assertTold(client, "reset SERVICE_GONE " + ErrorCode.INTERNAL_ERROR);
  }

  @Test
  void isCutWhereOneSideCuts() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = open(client);
    client.request.clientGone(RequestEnd.NO_CODE);
    assertEquals(List.of("RST_STREAM 1 CANCEL"), service.streams());
    HeldClient other = held.ask(WEBSOCKET);
    service.peer.headers(3, false, ":status: 200").reset(3, ErrorCode.CANCEL);
    service.send();
    assertTold(other, "switched 200", "reset SERVICE_GONE " + ErrorCode.CANCEL);
  }

  /** RFC 9113, section 8.1: what the service has said stays said. */
  @Test
  void endsInOrderWhereTheServiceHasEndedItAndWantsNoMore() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = settled();
    service.peer.headers(1, false, ":status: 200").data(1, true, "bye");
    service.peer.reset(1, ErrorCode.NO_ERROR);
    service.send();
    assertTold(client, "switched 200", "data bye end", "ended");
    assertEquals(List.of("UPGRADED_AND_CLOSED 200 0 3"), held.admission.ends);
    assertEquals(List.of(HEAD.formatted(1)), service.streams());
  }

  @Test
  void endsInOrderThoughBothSidesHoldBytes() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service =
        held.connectSettled(Setting.ENABLE_CONNECT_PROTOCOL, 1, Setting.INITIAL_WINDOW_SIZE, 4);
    client.room = 0;
    service.peer.headers(1, false, ":status: 200").data(1, false, "world");
    service.send();
    client.data("hello", false);
    service.peer.data(1, true, "bye").reset(1, ErrorCode.NO_ERROR);
    service.send();
    client.request.responseConsumed(5);
    assertTold(client, "switched 200", "data world", "flush", "data bye end", "ended");
    assertEquals(List.of("UPGRADED_AND_CLOSED 200 5 8"), held.admission.ends);
    HeldClient other = held.ask(WEBSOCKET);
    service.peer.headers(3, true, ":status: 200");
    service.send();
    assertTold(other, "switched 200", "data  end", "flush");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isCutWhereTheServiceHasNotEndedItOrBreaksItOff(boolean ended) {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = open(client);
    int code = ended ? ErrorCode.CANCEL : ErrorCode.NO_ERROR;
    service.peer.data(1, ended, "bye").reset(1, code).send();
    held.run();
    List<String> told = client.told();
    assertEquals("reset SERVICE_GONE " + code, told.get(told.size() - 1));
  }

  @Test
  void waitsForNoAnswerOnceItIsOpen() {
    HeldClient client = held.ask(WEBSOCKET);
    open(client);
    held.pass(30 * HeldPool.SECOND_NS);
    assertTold(client);
    held.pass(30 * HeldPool.SECOND_NS);
    assertTold(client, "reset TIMED_OUT");
  }

  @Test
  void holdsWhatTheServiceHasNoWindowFor() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service =
        held.connectSettled(Setting.ENABLE_CONNECT_PROTOCOL, 1, Setting.INITIAL_WINDOW_SIZE, 4);
    service.peer.headers(1, false, ":status: 200");
    service.send();
    client.data("hello", true);
    assertEquals(1, client.heldBytes);
    service.peer.data(1, true, "");
    service.send();
    service.peer.windowUpdate(1, 10);
    service.send();
    assertEquals(List.of(HEAD.formatted(1), "DATA 1 hell", "DATA 1 o end"), service.streams());
    assertTold(client, "switched 200", "flush", "data  end", "ended");
  }

  @ParameterizedTest
  @ValueSource(strings = {"h2c", "a", "websocket, a"})
  void isNoneIfAnythingElseIsAskedFor(String protocol) {
    held.ask(UPGRADE.formatted(protocol) + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    assertEquals(List.of(PLAIN + " end"), settled().streams());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Sec-WebSocket-Key: short\r\n"})
  void isNoneWithoutAKeyThatCanBeAnswered(String key) {
    held.ask(UPGRADE.formatted("websocket") + key + "\r\n");
    assertEquals(List.of(PLAIN + " end"), settled().streams());
  }

  @Test
  void isSentOnceMoreIfTheServiceHasNotLookedAtIt() {
    HeldClient client = held.ask(WEBSOCKET);
    Service service = settled();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertEquals(List.of(HEAD.formatted(1), HEAD.formatted(3)), service.streams());
    service.peer.headers(3, false, ":status: 200");
    service.send();
    assertTold(client, "switched 200", "flush");
  }
}
