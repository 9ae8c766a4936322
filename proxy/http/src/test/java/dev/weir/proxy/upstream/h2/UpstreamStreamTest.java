package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldClient.assertTold;
import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static dev.weir.proxy.upstream.h2.HeldPool.HEAD;
import static dev.weir.proxy.upstream.h2.HeldPool.POST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One request of HTTP/1.1 to a service of HTTP/2 and its answer, frame by frame. */
class UpstreamStreamTest extends HeldPoolTest {
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

  /** RFC 9113, section 8.1. */
  @Test
  void keepsAWholeAnswerThatAResetWithoutAnErrorFollows() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled();
    client.data("a", false);
    service.peer.headers(1, false, ":status: 413").data(1, true, "no");
    service.peer.reset(1, ErrorCode.NO_ERROR);
    service.send();
    assertTold(client, "head 413", "data no end", "ended");
    assertEquals(List.of("COMPLETE 413 1 2"), held.admission.ends);
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
  void tellsOfADeadlineThatTheServiceSeesFirst() {
    HeldClient client = held.call("1S");
    Service service = held.connectSettled();
    held.time.passUnseen(HeldPool.SECOND_NS - 1);
    HeldClient other = held.call("1S");
    service.peer.reset(3, ErrorCode.CANCEL);
    service.send();
    assertTold(other, "refused UPSTREAM_CLOSED");
    held.time.passUnseen(1);
    service.peer.reset(1, ErrorCode.CANCEL);
    service.send();
    assertTold(client, "refused DEADLINE_EXCEEDED");
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

  private Service takingNothing(HeldClient client) {
    Service service = held.connectSettled(Setting.INITIAL_WINDOW_SIZE, 0);
    client.data("x".repeat(100), false);
    service.streams();
    return service;
  }

  @Test
  void waitsForAServiceThatTakesNothingForAsLongAsItMayTake() {
    replace(new HeldPool(100, 1, 100, 90 * HeldPool.SECOND_NS));
    HeldClient client = held.ask(POST);
    Service service = takingNothing(client);
    for (int seconds = 1; seconds < 90; seconds++) {
      held.pass(HeldPool.SECOND_NS);
    }
    assertTold(client);
    held.pass(HeldPool.SECOND_NS);
    assertTold(client, "refused UPSTREAM_TIMEOUT");
    assertEquals(List.of("RST_STREAM 1 CANCEL"), service.streams());
  }

  /** A byte now and then is no progress. */
  @Test
  void tellsOfAServiceThatTakesNextToNothingAsOneThatIsSlow() {
    HeldClient client = held.ask(POST);
    Service service = takingNothing(client);
    for (int seconds = 1; seconds <= 62; seconds++) {
      service.peer.windowUpdate(1, 1);
      service.send();
      held.pass(HeldPool.SECOND_NS);
    }
    assertTold(client, "refused UPSTREAM_TIMEOUT");
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
}
