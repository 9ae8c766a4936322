package dev.weir.proxy.downstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * However an exchange ends, one end brings back what its verdict let it hold, with the costs that
 * had been read: here a header field, and the bytes of the response.
 */
class HoldingEndsTest {
  private static final long SECOND_NS = 1_000_000_000L;

  /** A protocol by which a client asks. */
  private enum Way {
    HTTP1,
    HTTP2,
    GRPC
  }

  private final HeldLoop held = new HeldLoop();
  private Way way;

  private void connect(Way by) {
    way = by;
    if (by == Way.HTTP1) {
      held.connect();
    } else {
      held.connectHttp2();
    }
    held.admission.costs =
        new ReportedCost[] {
          ReportedCost.ofHeader(FieldName.of("x-cost")), ReportedCost.ofResponseBytes(1)
        };
  }

  @AfterEach
  void end() {
    held.close();
    assertEquals(List.of(), List.copyOf(held.admission.holding), "what is still held");
    assertEquals(held.admission.asked, held.admission.ends.size(), "one end each");
  }

  private void ask() {
    switch (way) {
      case HTTP1 -> held.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
      case HTTP2 -> held.client.request(1, true, "GET", "/a").send();
      case GRPC ->
          held.client
              .request(1, false, "POST", "/a.B/C", "content-type: application/grpc")
              .data(1, true, "\0\0\0\0\0")
              .send();
    }
  }

  /** Sends a head behind which more of the body has to come than comes. */
  private void begin() {
    switch (way) {
      case HTTP1 -> held.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
      case HTTP2 -> held.client.request(1, false, "POST", "/a").data(1, false, "half").send();
      case GRPC ->
          held.client
              .request(1, false, "POST", "/a.B/C", "content-type: application/grpc")
              .data(1, false, "half")
              .send();
    }
  }

  private void leave() {
    if (way == Way.HTTP1) {
      held.channel.close();
    } else {
      held.client.reset(1, ErrorCode.CANCEL).send();
    }
  }

  private void answer() {
    String type = way == Way.GRPC ? "application/grpc" : "text/plain";
    held.service
        .last()
        .answer("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: 9\r\nX-Cost: 3");
  }

  private void assertSettled(String... ends) {
    assertEquals(List.of(ends), held.admission.settled);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aRefusedRequestHoldsNothing(Way by) {
    connect(by);
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    ask();
    assertSettled();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aRequestThatIsRefusedLateHoldsNothing(Way by) {
    connect(by);
    held.admission.late = true;
    ask();
    held.admission.decide(0, RefusalReason.OVER_LIMIT);
    assertSettled();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aClientThatLeavesBeforeItsVerdictHoldsNothing(Way by) {
    connect(by);
    held.admission.late = true;
    ask();
    leave();
    held.admission.decide(0, null);
    assertSettled();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aLateVerdictIsHeldAndSettledAsOneAtOnce(Way by) {
    connect(by);
    held.admission.late = true;
    ask();
    held.admission.decide(0, null);
    answer();
    held.service.last().send("nine char", true);
    assertSettled("0 COMPLETE 3 9");
  }

  /** The grant has been made, though nobody can use it. */
  @Test
  void aVerdictThatComesAfterTheClientsDeadlineIsSettled() {
    connect(Way.GRPC);
    held.admission.late = true;
    held.client
        .request(1, true, "POST", "/a", "content-type: application/grpc", "grpc-timeout: 1u")
        .send();
    held.passUnseen(1_000);
    held.admission.decide(0, null);
    assertSettled("0 TIMED_OUT - - late");
    assertEquals(0, held.service.calls.size());
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aServiceThatIsBusyGetsNothingAndAllIsBroughtBack(Way by) {
    connect(by);
    held.service.pending = Origin.Pending.BUSY;
    ask();
    assertSettled("0 REFUSED_HERE - -");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aServiceThatCannotBeReachedGetsNothingAndAllIsBroughtBack(Way by) {
    connect(by);
    held.service.pending = Origin.Pending.CONNECTING;
    ask();
    held.service.fail(RefusalReason.UPSTREAM_CONNECTION_REFUSED);
    assertSettled("0 SERVICE_GONE - -");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aClientThatLeavesBeforeThereIsAConnectionBringsAllBack(Way by) {
    connect(by);
    held.service.pending = Origin.Pending.CONNECTING;
    ask();
    leave();
    assertSettled("0 CLIENT_GONE - -");
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"HTTP1", "HTTP2"}) // a call may pause
  void aBodyThatIsTooSlowBringsAllBack(Way by) {
    connect(by);
    begin();
    held.pass(HeldLoop.BODY_NS + SECOND_NS);
    assertSettled("0 TIMED_OUT - -");
    assertEquals(0, held.service.calls.size());
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aCompleteAnswerSettlesByItsCost(Way by) {
    connect(by);
    ask();
    answer();
    held.service.last().send("nine", false);
    assertSettled();
    held.service.last().send(" char", true);
    assertSettled("0 COMPLETE 3 9");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void anAnswerWithoutTheCostIsSettledWithoutIt(Way by) {
    connect(by);
    ask();
    held.service.last().answer("HTTP/1.1 204 No Content");
    held.service.last().send("", true);
    assertSettled("0 COMPLETE - 0");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aServiceThatBreaksOffBeforeItsHeadReportsNothing(Way by) {
    connect(by);
    ask();
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE);
    assertSettled("0 SERVICE_GONE - -");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aServiceThatBreaksOffLaterHasReportedWhatCame(Way by) {
    connect(by);
    ask();
    answer();
    held.service.last().send("four", false);
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE);
    assertSettled("0 SERVICE_GONE 3 4");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aServiceThatDoesNotAnswerInTimeReportsNothing(Way by) {
    connect(by);
    ask();
    held.service.last().breakOff(RefusalReason.UPSTREAM_TIMEOUT, RequestEnd.NO_CODE);
    assertSettled("0 TIMED_OUT - -");
  }

  @Test
  void aCallWhoseTimeIsOverReportsWhatCame() {
    connect(Way.GRPC);
    held.client
        .request(1, true, "POST", "/a", "content-type: application/grpc", "grpc-timeout: 5S")
        .send();
    answer();
    held.service.last().send("four", false);
    held.pass(6 * SECOND_NS);
    assertSettled("0 TIMED_OUT 3 4 late");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void aCallWhoseTimeIsOverBeforeItsAnswerReportsNothing(long connecting) {
    connect(Way.GRPC);
    held.service.pending = connecting == 1 ? Origin.Pending.CONNECTING : null;
    held.client
        .request(1, true, "POST", "/a", "content-type: application/grpc", "grpc-timeout: 5S")
        .send();
    held.pass(6 * SECOND_NS);
    assertSettled("0 TIMED_OUT - - late");
    assertEquals(connecting == 0, held.admission.isLastForwarded);
  }

  /** A service ends such calls itself, perhaps before Weir has noticed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerThatComesWhenTheClientsTimeIsOverIsLate(boolean isWhole) {
    connect(Way.GRPC);
    held.client
        .request(1, true, "POST", "/a", "content-type: application/grpc", "grpc-timeout: 5S")
        .send();
    held.passUnseen(6 * SECOND_NS);
    if (isWhole) {
      held.service.last().answer("HTTP/1.1 200 OK\r\nContent-Type: application/grpc");
      held.service.last().send("", true);
    } else {
      held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE);
    }
    assertSettled(isWhole ? "0 COMPLETE - 0 late" : "0 TIMED_OUT - - late");
  }

  /** Over HTTP/2 its content goes on as it comes. */
  @Test
  void aBodyThatBecomesTooSlowOnItsWayIsLate() {
    connect(Way.HTTP2);
    held.service.multiplexes = true;
    begin();
    assertEquals(1, held.service.calls.size());
    held.pass(HeldLoop.BODY_NS + SECOND_NS);
    assertSettled("0 TIMED_OUT - - late");
  }

  @Test
  void aClientThatEndsItsSideIsSettledByItsAnswer() {
    connect(Way.HTTP1);
    ask();
    endOfInput();
    answer();
    held.service.last().send("nine char", true);
    assertSettled("0 COMPLETE 3 9");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aClientThatEndsItsSideInItsBodyIsSettled(Way by) {
    connect(by);
    begin();
    endOfInput();
    assertSettled(by == Way.HTTP1 ? "0 REFUSED_HERE - -" : "0 CLIENT_GONE - -");
  }

  private void endOfInput() {
    held.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void trailersThatAreTooLargeEndAndSettleTheRequest(Way by) {
    connect(by);
    if (by == Way.HTTP1) {
      held.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
      held.send("10000\r\n" + "x".repeat(0x10000) + "\r\n");
      held.send("0\r\nx: " + "x".repeat(40_000) + "\r\n\r\n");
    } else {
      begin();
      String[] fields = Collections.nCopies(101, "x: 1").toArray(String[]::new);
      held.client.headers(1, true, fields).send();
    }
    assertSettled("0 REFUSED_HERE - -");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aClientThatLeavesIsSettledWhenTheServicesSideIsReset(Way by) {
    connect(by);
    ask();
    leave();
    assertEquals("reset CLIENT_GONE", held.service.last().end.substring(3, 20));
    assertSettled("0 CLIENT_GONE - -");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aClientThatLeavesInItsAnswerPaysWhatCame(Way by) {
    connect(by);
    ask();
    answer();
    held.service.last().send("four", false);
    leave();
    assertSettled("0 CLIENT_GONE 3 4");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aClientThatLeavesInItsBodyIsSettled(Way by) {
    connect(by);
    begin();
    leave();
    assertSettled("0 CLIENT_GONE - -");
  }

  @Test
  void aBodyThatIsMalformedBehindItsHeadWasForwarded() {
    connect(Way.HTTP1);
    held.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    held.send("10000\r\n" + "x".repeat(0x10000) + "\r\n");
    assertEquals(1, held.service.calls.size());
    held.send("rubbish\r\n");
    assertSettled("0 REFUSED_HERE - -");
    assertTrue(held.admission.isLastForwarded);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void whatTheServiceDidNotLookAtWasNotForwarded(Way by) {
    connect(by);
    ask();
    held.service.last().breakOff(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    assertSettled("0 REFUSED_HERE - -");
    assertFalse(held.admission.isLastForwarded);
  }

  @Test
  void aMalformedBodyIsSettled() {
    connect(Way.HTTP1);
    held.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    held.send("rubbish\r\n");
    assertSettled("0 REFUSED_HERE - -");
  }

  @Test
  void aTunnelHoldsUntilItIsClosed() {
    connect(Way.HTTP1);
    held.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    held.service
        .last()
        .answer("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\nX-Cost: 3");
    held.service.last().send("hello", false);
    assertSettled();
    leave();
    assertSettled("0 CLIENT_GONE 3 5");
  }

  @Test
  void aWebSocketOfHttp2HoldsUntilItIsClosed() {
    connect(Way.HTTP2);
    held.client
        .headers(
            1,
            false,
            ":method: CONNECT",
            ":protocol: websocket",
            ":scheme: https",
            ":path: /chat",
            ":authority: test")
        .send();
    held.service
        .last()
        .answer("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\nX-Cost: 3");
    held.service.last().send("hello", true);
    assertSettled();
    held.client.data(1, true, "bye").send();
    assertSettled("0 UPGRADED_AND_CLOSED 3 5");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void theEndOfAConnectionSettlesAllOfIt(Way by) {
    connect(by);
    ask();
    answer();
    held.close();
    assertSettled("0 CLIENT_GONE 3 0");
  }

  /** Resets {@code -Dweir.resets} requests, so slowly that no flood of resets is seen. */
  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"HTTP2", "GRPC"})
  void clientsThatResetAsTheyAreAdmittedLoseNothing(Way by) {
    connect(by);
    Random random = new Random(28);
    int resets = Integer.getInteger("weir.resets", 3_000);
    int reached = 0;
    int late = 0;
    for (int i = 0; i < resets; i++) {
      final int stream = 2 * i + 1;
      final int step = random.nextInt(6);
      held.admission.late = random.nextBoolean();
      held.service.pending = step == 2 ? Origin.Pending.CONNECTING : null;
      String[] fields =
          by == Way.GRPC ? new String[] {"content-type: application/grpc"} : new String[0];
      held.client.request(stream, random.nextBoolean(), "POST", "/a", fields);
      if (step > 0) {
        held.client.send();
      }
      if (step > 1 && held.admission.late) {
        held.admission.decide(late, null);
      }
      if (step > 3 && held.service.calls.size() > reached) {
        answer();
      }
      if (step > 4 && held.service.calls.size() > reached) {
        held.service.last().send("four", false);
      }
      reached = held.service.calls.size();
      held.client.reset(stream, ErrorCode.CANCEL).send();
      held.admission.decide(late, null);
      late += held.admission.late ? 1 : 0;
      assertEquals(i % 30 + 1, held.admission.ends.size());
      assertEquals(0, held.admission.holding.size());
      if (i % 30 == 29) {
        held.pass(SECOND_NS);
        held.client.received();
        held.admission.ends.clear();
        held.admission.settled.clear();
        held.service.calls.clear();
        reached = 0;
      }
    }
    assertEquals(resets, held.admission.asked);
    held.admission.asked = held.admission.ends.size();
  }
}
