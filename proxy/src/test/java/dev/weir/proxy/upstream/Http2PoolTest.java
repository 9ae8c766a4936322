package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LeakRecorder;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.HeldPool.Service;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of HTTP/1.1 to a service of HTTP/2, frame by frame, and what becomes of them. */
class Http2PoolTest {
  private static final String GET = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final String POST =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String HEAD =
      "HEADERS %d :method: GET, :scheme: http, :authority: h, :path: /a end";

  private final HeldPool held = new HeldPool(100, 2);

  @AfterEach
  void end() {
    held.close();
  }

  @AfterAll
  static void findNoLeak() throws InterruptedException {
    LeakRecorder.assertNone();
  }

  private static void assertTold(HeldClient client, String... lines) {
    assertEquals(List.of(lines), client.told());
  }

  @Test
  void carriesARequestAndItsAnswer() {
    HeldClient client = held.ask(GET);
    Service service = held.connect();
    assertEquals(List.of(HEAD.formatted(1)), service.streams());
    service.peer.settings().settingsAck();
    service.peer.headers(1, false, ":status: 200", "content-length: 5").data(1, false, "hel");
    service.send();
    assertTold(client, "head 200", "data hel", "flush");
    service.peer.data(1, true, "lo").send();
    assertTold(client, "data lo end", "ended");
    assertEquals(List.of("COMPLETE 200 0 5"), held.admission.ends);
    assertEquals(List.of(), service.streams());
  }

  @Test
  void waitsForTheSettingsBeforeASecondStream() {
    held.ask(GET);
    held.ask(GET);
    Service service = held.connect();
    assertEquals(List.of(HEAD.formatted(1)), service.streams());
    service.peer.settings();
    service.send();
    assertEquals(List.of(HEAD.formatted(3)), service.streams());
    assertEquals(0, held.attempts());
  }

  @Test
  void opensNoMoreStreamsThanTheServiceAllows() {
    held.ask(GET);
    Service service = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 2);
    held.ask(GET);
    HeldClient waiting = held.ask(GET);
    assertEquals(List.of(HEAD.formatted(1), HEAD.formatted(3)), service.streams());
    assertEquals(1, held.attempts(), "another, as this one is crowded");
    service.peer.headers(1, true, ":status: 204");
    service.send();
    assertEquals(List.of(HEAD.formatted(5)), service.streams());
    assertTold(waiting);
  }

  @Test
  void usesTheFullestConnectionThatHasRoom() {
    held.ask(GET);
    Service first = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 4);
    held.ask(GET);
    held.ask(GET);
    Service second = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 4);
    held.ask(GET);
    assertEquals(4, first.streams().size());
    held.ask(GET);
    assertEquals(List.of(HEAD.formatted(1)), second.streams());
    first.peer.headers(3, true, ":status: 204");
    first.send();
    held.ask(GET);
    assertEquals(List.of(HEAD.formatted(9)), first.streams());
  }

  @Test
  void makesNoMoreConnectionsThanMayBe() {
    held.ask(GET);
    held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 1);
    held.ask(GET);
    held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 1);
    HeldClient client = held.ask(GET);
    held.run();
    assertEquals(0, held.attempts());
    held.pass(HeldPool.SECOND_NS);
    assertTold(client, "refused UPSTREAM_BUSY");
    assertEquals(2, held.admission.charged, "who waited in vain has it back");
  }

  @Test
  void tellsWhoWaitsThatThereIsNoConnection() {
    HeldClient first = held.ask(GET);
    HeldClient second = held.ask(GET);
    held.refuse(RefusalReason.UPSTREAM_UNREACHABLE);
    assertTold(first, "refused UPSTREAM_UNREACHABLE");
    assertTold(second, "refused UPSTREAM_UNREACHABLE");
    held.ask(GET);
    assertEquals(1, held.attempts());
  }

  @Test
  void forgetsWhoLeavesWhileItWaits() {
    HeldClient client = held.ask(GET);
    client.request.clientGone(RequestEnd.NO_CODE);
    Service service = held.connect();
    assertEquals(List.of(), service.streams());
    assertEquals(List.of("CLIENT_GONE 0 0 0"), held.admission.ends);
  }

  @Test
  void cancelsTheStreamOfAClientThatLeaves() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    client.request.clientGone(ErrorCode.CANCEL);
    assertEquals(List.of("RST_STREAM 1 CANCEL"), service.streams());
    service.peer.headers(1, false, ":status: 200").data(1, true, "late");
    service.send();
    assertTold(client);
  }

  @Test
  void passesDataAndTheEndOfARequest() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled();
    client.data("hel", false).data("lo", true);
    assertEquals(
        List.of(
            "HEADERS 1 :method: POST, :scheme: http, :authority: h, :path: /a",
            "DATA 1 hel",
            "DATA 1 lo end"),
        service.streams());
    assertEquals(0, client.heldBytes);
  }

  @Test
  void holdsWhatTheServiceHasNoWindowFor() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled(Setting.INITIAL_WINDOW_SIZE, 4);
    client.data("hello", true);
    assertEquals(1, client.heldBytes);
    assertTrue(service.streams().contains("DATA 1 hell"));
    service.peer.windowUpdate(1, 10);
    service.send();
    assertEquals(List.of("DATA 1 o end"), service.streams());
    assertEquals(0, client.heldBytes);
  }

  @Test
  void givesCreditAsTheClientTakesTheAnswer() {
    HeldClient client = held.ask(GET);
    client.room = 0;
    Service service = held.connectSettled();
    service.peer.received();
    service.peer.headers(1, false, ":status: 200").data(1, false, new byte[16_384]);
    service.peer.data(1, false, new byte[16_384]).data(1, false, new byte[8_192]);
    service.send();
    assertFalse(service.peer.received().toString().contains("WINDOW_UPDATE 1"));
    client.request.responseConsumed(40_960);
    held.run();
    assertTrue(service.peer.received().contains("WINDOW_UPDATE 1 40960"));
  }

  @Test
  void passesTrailersBothWays() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.headers(1, false, ":status: 200").data(1, false, "a");
    service.peer.headers(1, true, "grpc-status: 0", "content-length: 7");
    service.send();
    assertTold(client, "head 200", "data a", "trailers grpc-status=0", "ended");
  }

  @Test
  void passesInformationalHeads() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.headers(1, false, ":status: 103").headers(1, true, ":status: 204");
    service.send();
    assertTold(client, "informational 103", "head 204 alone", "data  end", "ended");
  }

  @Test
  void takesNoFloodOfInformationalHeads() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    for (int i = 0; i < 9; i++) {
      service.peer.headers(1, false, ":status: 100");
    }
    service.send();
    List<String> told = client.told();
    assertEquals("refused UPSTREAM_MALFORMED", told.get(told.size() - 1));
    assertEquals(List.of("RST_STREAM 1 CANCEL"), service.streams());
  }

  @Test
  void endsAnExchangeWhoseAnswerIsThereBeforeItsRequest() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled();
    client.data("a", false);
    service.streams();
    service.peer.headers(1, true, ":status: 413");
    service.send();
    assertTold(client, "head 413 alone", "data  end", "ended");
    assertEquals(List.of("RST_STREAM 1 NO_ERROR"), service.streams());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "content-length: 5", // and ends
        "connection: close",
        "transfer-encoding: chunked",
        "upgrade: h2c",
        ":path: /",
        "x-a: b\r\nc",
        "content-length: +5",
      })
  void passesNoAnswerOnThatIsNone(String field) {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    service.peer.headers(1, true, ":status: 200", field);
    service.send();
    assertTold(client, "refused UPSTREAM_MALFORMED");
    assertEquals(List.of("SERVICE_GONE 502 0 0"), held.admission.ends);
    assertEquals(1, held.admission.charged);
  }

  @Test
  void neverEndsACutAnswerCleanly() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.headers(1, false, ":status: 200", "content-length: 5").data(1, true, "hel");
    service.send();
    assertTold(client, "head 200", "reset SERVICE_GONE " + ErrorCode.INTERNAL_ERROR);
  }

  @Test
  void takesNoContentOfAnAnswerThatHasNone() {
    HeldClient client = held.ask("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n");
    Service service = held.connectSettled();
    service.peer.headers(1, false, ":status: 200", "content-length: 5").data(1, true, "hello");
    service.send();
    assertTold(client, "head 200 alone", "reset SERVICE_GONE " + ErrorCode.INTERNAL_ERROR);
  }

  @Test
  void tellsTheCodeOfAReset() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.headers(1, false, ":status: 200").data(1, false, "a");
    service.peer.reset(1, ErrorCode.ENHANCE_YOUR_CALM);
    service.send();
    assertTold(client, "head 200", "data a", "reset SERVICE_GONE " + ErrorCode.ENHANCE_YOUR_CALM);
  }

  @Test
  void answersForAServiceThatResetsBeforeItsHead() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.reset(1, ErrorCode.CANCEL);
    service.send();
    assertTold(client, "refused UPSTREAM_CLOSED");
    assertEquals(1, held.admission.charged);
  }

  @Test
  void sendsOnceMoreWhatTheServiceHasRefused() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled();
    client.data("hello", true);
    service.streams();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertEquals(
        List.of(
            "HEADERS 3 :method: POST, :scheme: http, :authority: h, :path: /a", "DATA 3 hello end"),
        service.streams());
    assertTold(client);
    assertEquals(1, held.admission.charged);
    service.peer.headers(3, true, ":status: 204");
    service.send();
    assertTold(client, "head 204 alone", "data  end", "ended");
    assertEquals(List.of("COMPLETE 204 5 0"), held.admission.ends);
  }

  /** The client was told when the service had refused what it would not take. */
  @Test
  void creditsABodyOnceThatWaitsForAWindowTwice() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled(Setting.INITIAL_WINDOW_SIZE, 4);
    client.data("hello", false);
    assertEquals(1, client.heldBytes);
    service.streams();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertEquals("DATA 3 hell", service.streams().get(1));
    assertEquals(0, client.heldBytes);
    client.data(" there", true);
    assertEquals(6, client.heldBytes);
    service.peer.windowUpdate(3, 3);
    service.send();
    assertEquals(List.of("DATA 3 o t"), service.streams());
    assertEquals(4, client.heldBytes);
    service.peer.windowUpdate(3, 10);
    service.send();
    assertEquals(List.of("DATA 3 here end"), service.streams());
    assertEquals(0, client.heldBytes);
  }

  @Test
  void sendsNothingAThirdTime() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    service.streams();
    service.peer.reset(3, ErrorCode.REFUSED_STREAM);
    service.send();
    assertTold(client, "refused UPSTREAM_BUSY");
    assertEquals(List.of(), service.streams());
    assertEquals(1, held.admission.charged);
  }

  @Test
  void repeatsNoBodyThatIsNotKept() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled();
    client.data("x".repeat(KeptRequest.MAX_BODY_BYTES + 1), true);
    service.streams();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertTold(client, "refused UPSTREAM_BUSY");
  }

  /** It says that it has looked at nothing, and has answered. */
  @Test
  void repeatsNothingThatWasAnswered() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    service.peer.headers(1, false, ":status: 200").data(1, false, "a");
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertTold(client, "head 200", "data a", "reset SERVICE_GONE " + ErrorCode.INTERNAL_ERROR);
    assertEquals(List.of(), service.streams());
    assertEquals(1, held.admission.charged);
  }

  @Test
  void sendsElsewhereWhatAGoawayLeavesOut() {
    HeldClient first = held.ask(GET);
    Service service = held.connectSettled();
    HeldClient second = held.ask(GET);
    HeldClient third = held.ask(GET);
    service.streams();
    service.peer.goAway(3, ErrorCode.NO_ERROR);
    service.send();
    Service other = held.connectSettled();
    assertEquals(List.of(HEAD.formatted(1)), other.streams());
    service.peer.goAway(1, ErrorCode.NO_ERROR); // and the identifier falls
    service.send();
    assertEquals(List.of(HEAD.formatted(3)), other.streams());
    service.peer.headers(1, true, ":status: 204");
    service.send();
    other.peer.headers(1, true, ":status: 205").headers(3, true, ":status: 206");
    other.send();
    assertTold(first, "head 204 alone", "data  end", "ended");
    assertTold(third, "head 205 alone", "data  end", "ended");
    assertTold(second, "head 206 alone", "data  end", "ended");
    assertEquals(3, held.admission.charged);
    assertFalse(service.channel.isOpen());
  }

  @Test
  void givesNoNewStreamsToAConnectionThatGoesAway() {
    held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    service.peer.goAway(1, ErrorCode.NO_ERROR);
    service.send();
    held.ask(GET);
    held.run();
    assertEquals(List.of(), service.streams());
    assertEquals(1, held.attempts());
  }

  @Test
  void streamsOfAConnectionThatGoesAwayTakeNoPlacesOfAnother() {
    HeldPool one = new HeldPool(8, 1);
    one.ask(GET);
    one.ask(GET);
    Service first = one.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 2);
    assertEquals(2, first.streams().size());
    first.peer.goAway(3, ErrorCode.NO_ERROR);
    first.send();
    one.ask(GET);
    one.run();
    one.pass(HeldPool.SECOND_NS / 5); // until a connection is replaced
    Service second = one.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 2);
    one.ask(GET);
    assertEquals(List.of(HEAD.formatted(1), HEAD.formatted(3)), second.streams());
    assertTrue(one.pool.isScarce(), "all four places are taken");
    first.peer.headers(1, true, ":status: 204").headers(3, true, ":status: 204");
    first.send();
    second.peer.headers(1, true, ":status: 204");
    second.send();
    assertFalse(one.pool.isScarce(), "one of two is taken");
    one.ask(GET);
    assertTrue(one.pool.isScarce(), "places are gone with the connection");
    one.close();
  }

  @Test
  void aConnectionThatHasNotSaidWhatItAllowsHasAsManyPlacesAsAnother() {
    held.ask(GET);
    Service first = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 4);
    held.ask(GET);
    held.ask(GET);
    assertFalse(held.pool.isScarce(), "three of eight places, of which four are still to be made");
    Service second = held.connect();
    first.peer.settings(Setting.MAX_CONCURRENT_STREAMS, 4);
    first.send();
    assertFalse(held.pool.isScarce(), "they are made");
    second.peer.settings(Setting.MAX_CONCURRENT_STREAMS, 1);
    second.send();
    assertTrue(held.pool.isScarce(), "three of five places");
  }

  @Test
  void placesThatAServiceTakesBackAreGoneWithTheirStreams() {
    held.ask(GET);
    Service service = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 4);
    held.ask(GET);
    held.ask(GET);
    assertFalse(held.pool.isScarce(), "three of eight places");
    held.ask(GET);
    service.peer.settings(Setting.MAX_CONCURRENT_STREAMS, 1);
    service.peer.headers(1, true, ":status: 204").headers(3, true, ":status: 204");
    service.send();
    assertTrue(held.pool.isScarce(), "two of three: those that run, and one to be made");
  }

  @Test
  void tellsOfALostConnectionWhatWasSentOnIt() {
    HeldClient waiting = held.ask(GET);
    HeldClient answered = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    service.peer.headers(3, false, ":status: 200").data(3, false, "a");
    service.send();
    service.breakOff();
    assertTold(waiting, "refused UPSTREAM_CLOSED");
    assertTold(answered, "head 200", "data a", "flush", "reset SERVICE_GONE");
    assertEquals(2, held.admission.charged);
  }

  /** Within the turn in which it was opened, none of it has been sent. */
  @Test
  void sendsElsewhereWhatALostConnectionNeverSent() {
    held.ask(GET);
    Service service = held.connectSettled();
    service.peer.headers(1, true, ":status: 204");
    service.send();
    HeldClient client = held.ask(GET);
    service.breakOff();
    Service other = held.connectSettled();
    assertEquals(List.of(HEAD.formatted(1)), other.streams());
    assertTold(client);
  }

  /** Opened by somebody who is told of a turn's end before the connection is, which then sends. */
  @Test
  void repeatsNothingThatWasSentInTheTurnThatOpenedIt() {
    held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    List<HeldClient> late = new ArrayList<>();
    service.peer.headers(1, false, ":status: 200").send();
    held.http2.turnEnd().join(() -> late.add(held.ask(GET)));
    service.peer.settings().send();
    held.http2.turnEnd().join(service.channel::close);
    assertEquals(List.of(HEAD.formatted(3)), service.streams());
    assertTold(late.get(0), "refused UPSTREAM_CLOSED");
  }

  @Test
  void closesAConnectionThatIsIdleThoughItsLastStreamHadStillToSend() {
    held.ask(GET);
    held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 1, Setting.INITIAL_WINDOW_SIZE, 4);
    HeldClient client = held.ask(POST);
    Service second = held.connectSettled(Setting.INITIAL_WINDOW_SIZE, 4);
    client.data("hello", true);
    second.peer.headers(1, true, ":status: 204");
    second.send();
    second.peer.windowUpdate(1, 10);
    second.send();
    assertTrue(second.streams().contains("DATA 1 o end"));
    held.pass(61 * HeldPool.SECOND_NS);
    assertFalse(second.channel.isOpen());
  }

  @Test
  void repeatsNothingForAClientThatHasLeft() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.goAway(0, ErrorCode.NO_ERROR);
    service.send();
    client.request.clientGone(ErrorCode.CANCEL);
    Service other = held.connectSettled();
    assertEquals(List.of(), other.streams());
    assertEquals(List.of("CLIENT_GONE 0 0 0"), held.admission.ends);
    assertEquals(1, held.admission.charged);
  }

  @Test
  void takesAServiceThatSpeaksSomethingElseForNone() {
    HeldClient first = held.ask(GET);
    HeldClient second = held.ask(GET);
    Service service = held.connect();
    service.channel.writeInbound(
        Unpooled.copiedBuffer("HTTP/1.1 400 Bad Request\r\n\r\n", StandardCharsets.US_ASCII));
    held.run();
    assertTold(first, "refused UPSTREAM_MALFORMED");
    assertTold(second, "refused UPSTREAM_MALFORMED");
    assertFalse(service.channel.isOpen());
  }

  @Test
  void waitsForNoSettingsThatDoNotCome() {
    HeldClient first = held.ask(GET);
    HeldClient second = held.ask(GET);
    Service service = held.connect();
    held.pass(HeldPool.SECOND_NS);
    held.run();
    assertFalse(service.channel.isOpen());
    assertTold(first, "refused UPSTREAM_CLOSED");
    assertEquals(1, second.told().size());
  }

  @Test
  void endsWhatTheServiceDoesNotAnswer() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    held.pass(3 * HeldPool.SECOND_NS);
    assertTold(client, "refused UPSTREAM_TIMEOUT");
    assertEquals(List.of("RST_STREAM 1 CANCEL"), service.streams());
  }

  @Test
  void keepsAStreamOfMessagesThatIsSilent() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.headers(1, false, ":status: 200", "content-type: application/grpc");
    service.send();
    held.pass(100 * HeldPool.SECOND_NS);
    assertTold(client, "head 200", "flush");
  }

  @Test
  void servesAsManyAsWaitInTheirOrder() {
    held.ask(GET);
    Service service = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 1);
    List<HeldClient> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clients.add(held.ask(GET));
    }
    held.refuse(RefusalReason.UPSTREAM_UNREACHABLE);
    for (int i = 0; i < 3; i++) {
      service.peer.headers(1 + 2 * i, true, ":status: 204");
      service.send();
      assertEquals(List.of(HEAD.formatted(3 + 2 * i)), last(service));
    }
    assertTold(clients.get(0), "head 204 alone", "data  end", "ended");
    assertTold(clients.get(1), "head 204 alone", "data  end", "ended");
    assertTold(clients.get(2));
  }

  private static List<String> last(Service service) {
    List<String> frames = service.streams();
    return frames.subList(frames.size() - 1, frames.size());
  }
}
