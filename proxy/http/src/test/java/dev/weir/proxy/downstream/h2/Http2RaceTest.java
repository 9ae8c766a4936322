package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.downstream.HeldService;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.RefusalReason;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What comes at the same time as something else on one stream of HTTP/2, made to happen in either
 * order, with what it costs: a charge, and none for what was never looked at.
 */
class Http2RaceTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5";

  private final HeldLoop held = new HeldLoop().connectHttp2();

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.loop.connectionCount());
    assertEquals(0, held.http2.heldBytes());
    assertEquals(held.admission.asked, held.admission.ends.size(), "each request ends once");
  }

  private void ask() {
    held.admission.late = true;
    held.client.request(1, true, "GET", "/a").send();
    assertEquals(1, held.admission.waiting());
  }

  @Test
  void aResetBeforeTheVerdictDropsItAndKeepsTheCharge() {
    ask();
    held.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(0, held.admission.waiting(), "its verdict is still awaited");
    held.admission.decide(0, null);
    assertEquals(0, held.service.calls.size());
    assertEquals(1, held.admission.charged);
    assertEquals(List.of("CLIENT_GONE 0 0 0"), held.admission.ends);
    assertEquals(List.of(), held.client.received());
  }

  @Test
  void aResetAfterTheVerdictReachesTheServiceInItsTurn() {
    ask();
    held.admission.decide(0, null);
    held.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals("endreset CLIENT_GONE CANCEL", held.service.last().end);
    assertEquals(1, held.admission.charged);
  }

  @Test
  void aRefusalThatComesLateIsAnswered() {
    ask();
    held.admission.decide(0, RefusalReason.OVER_LIMIT);
    assertTrue(held.client.received().get(0).startsWith("HEADERS 1 :status: 429, "));
  }

  @Test
  void aBodyThatEndsBeforeTheVerdictIsSentOnWithIt() {
    held.admission.late = true;
    held.client.request(1, false, "POST", "/a").send();
    long ofHead = held.http2.heldBytes();
    held.client.data(1, false, "hel").send();
    held.client.data(1, true, "lo").send();
    assertEquals(ofHead + 5, held.http2.heldBytes());
    held.admission.decide(0, null);
    assertEquals("hello", held.service.last().body());
    assertEquals("end", held.service.last().end);
    assertEquals(0, held.http2.heldBytes());
  }

  @Test
  void aBodyThatEndsAfterTheVerdictIsSentOnWhenItHas() {
    held.admission.late = true;
    held.client.request(1, false, "POST", "/a").data(1, false, "hel").send();
    held.admission.decide(0, null);
    assertEquals(0, held.service.calls.size());
    held.client.data(1, true, "lo").send();
    assertEquals("hello", held.service.last().body());
  }

  @Test
  void aBodyBehindARefusalIsThrownAway() {
    held.admission.late = true;
    held.client.request(1, false, "POST", "/a").data(1, false, "hel").send();
    held.admission.decide(0, RefusalReason.OVER_LIMIT);
    held.client.data(1, true, "lo").send();
    assertEquals(0, held.service.calls.size());
    assertEquals(0, held.http2.heldBytes());
  }

  @Test
  void aConnectionThatDiesCancelsAllItsStreams() {
    ask();
    held.admission.late = false;
    held.client.request(3, true, "GET", "/a").send();
    held.service.pending = Origin.Pending.CONNECTING;
    held.client.request(5, true, "GET", "/a").send();
    held.channel.close();
    assertEquals(0, held.admission.waiting());
    assertEquals(0, held.service.waiting());
    assertEquals("endreset CLIENT_GONE", held.service.last().end);
    assertEquals(3, held.admission.charged);
  }

  @Test
  void aDrainLetsTheVerdictCome() {
    ask();
    held.loop.drain();
    held.pass(2 * TimeUnit.SECONDS.toNanos(1)); // the second GOAWAY has been sent
    assertTrue(held.client.received().contains("GOAWAY 1 NO_ERROR"));
    held.admission.decide(0, null);
    held.service.last().answer(OK);
    held.service.last().send("hello", true);
    List<String> frames = held.client.received();
    assertEquals("DATA 1 hello end", frames.get(frames.size() - 1));
    assertEquals(1, held.admission.charged);
  }

  @Test
  void aStreamThatIsResetInTheTurnOfItsAnswerEndsOnce() {
    held.client.request(1, true, "GET", "/a").send();
    held.service.last().answer(OK);
    held.service.last().send("hello", true);
    held.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(List.of("COMPLETE 200 0 5"), held.admission.ends);
    assertEquals("end", held.service.last().end);
  }

  @Test
  void aRefusalThatIsResetInItsTurnEndsOnce() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    held.client.request(1, false, "POST", "/a").reset(1, ErrorCode.CANCEL).send();
    assertEquals(List.of("REFUSED_HERE 429 0 0"), held.admission.ends);
    assertEquals(0, held.admission.charged);
    assertTrue(held.channel.isOpen());
  }

  @Test
  void aResetWhileAConnectionIsMadeForgetsTheRequest() {
    held.service.pending = Origin.Pending.CONNECTING;
    held.client.request(1, true, "GET", "/a").send();
    held.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(0, held.service.waiting());
    assertEquals(1, held.admission.charged);
  }

  @ParameterizedTest
  @EnumSource(
      value = Origin.Pending.class,
      names = {"QUEUED", "CONNECTING"})
  void whoWaitsInVainForAConnectionGetsItsChargeBack(Origin.Pending waits) {
    held.service.pending = waits;
    held.client.request(1, true, "GET", "/a").send();
    held.service.fail(RefusalReason.UPSTREAM_BUSY);
    assertTrue(held.client.received().get(0).startsWith("HEADERS 1 :status: 503, "));
    assertEquals(0, held.admission.charged);
  }

  @Test
  void whoWaitsForItsBodyGetsItsOwnChargeBackAndNotThatOfTheNextStream() {
    held.service.pending = Origin.Pending.QUEUED;
    held.client.request(1, false, "POST", "/a").request(3, true, "GET", "/b").send();
    held.service.pending = Origin.Pending.BUSY;
    held.client.data(1, true, "hello").send();
    assertEquals(List.of(0), held.admission.givenBack);
  }

  @Test
  void aServiceThatBreaksOffWhenTheClientHasResetIsNotToldTwice() {
    held.client.request(1, true, "GET", "/a").send();
    held.service.last().answer(OK);
    held.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(List.of("CLIENT_GONE 200 0 0"), held.admission.ends);
    assertEquals("endreset CLIENT_GONE CANCEL", held.service.last().end);
  }

  @Test
  void aWindowThatShrinksBelowNothingHoldsWhatWaits() {
    held.client.request(1, true, "GET", "/a").send();
    held.service.last().answer("HTTP/1.1 200 OK\r\nContent-Length: 100000");
    assertEquals(14_465, held.service.last().send("x".repeat(80_000), false));
    held.client.received();
    held.client.settings(4, 1).send();
    held.client.windowUpdate(1, 65_534).send();
    assertEquals(List.of("SETTINGS ack"), held.client.received());
    held.client.windowUpdate(1, 14_466).windowUpdate(0, 100_000).send();
    assertEquals(14_465, held.service.last().consumed);
  }

  @Test
  void theAnswerToOneStreamIsNoOthers() {
    for (int round = 0; round < 2; round++) { // the second by exchanges of the first
      for (int i = 20 * round; i < 20 * round + 20; i++) {
        held.client.request(2 * i + 1, true, "GET", "/" + (2 * i + 1)).send();
      }
      for (int i = 20 * round + 19; i >= 20 * round; i--) {
        HeldService.Call call = held.service.calls.get(i);
        String path = call.head().substring(4, call.head().indexOf(" HTTP/1.1"));
        call.answer("HTTP/1.1 200 OK\r\nContent-Length: " + path.length());
        call.send(path, true);
        List<String> frames = held.client.received();
        int id = 2 * i + 1;
        assertEquals("DATA " + id + " /" + id + " end", frames.get(1));
      }
    }
  }
}
