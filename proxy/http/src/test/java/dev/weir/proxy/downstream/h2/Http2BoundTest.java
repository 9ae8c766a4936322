package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

/** What one client can make Weir hold, and what it loses by that; each beside an honest client. */
class Http2BoundTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int MIB = 1 << 20;
  private static final String PIECE = "x".repeat(15_000);

  /** The loop may hold so much; a connection that is alone, three quarters of it. */
  private static final int MAX_BYTES = MIB / 3 * 4;

  private HeldLoop held = new HeldLoop().connectHttp2();

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.http2.heldBytes());
  }

  /** Sends 60,000 bytes on each of so many streams, to a service that takes none of them. */
  private void upload(int streams) {
    held.service.multiplexes = true;
    held.service.room = 0;
    for (int i = 0; i < streams; i++) {
      held.client.request(2 * i + 1, false, "POST", "/a");
      for (int piece = 0; piece < 4; piece++) {
        held.client.data(2 * i + 1, false, PIECE);
      }
    }
    held.client.send();
  }

  private long heldBytes() {
    return held.http2.heldBytes();
  }

  private boolean isRead() {
    return held.channel.config().isAutoRead();
  }

  /** Goes on with an event loop that may hold little. */
  private void holdLittle() {
    held.close();
    held = new HeldLoop(64 << 20, HeldLoop.WRITE_NS, MAX_BYTES).connectHttp2();
  }

  /** A hundred windows of the standard's width were promised to the client. */
  @Test
  void aPauseOfTheServiceCancelsNoneOfAHundredUploads() {
    upload(100);
    for (int i = 0; i < 25; i++) {
      held.pass(SECOND_NS / 10);
      assertTrue(isRead());
    }
    assertEquals(List.of(), resets());
    held.service.calls.forEach(HeldService.Call::consume);
    assertEquals(0, heldBytes());
  }

  @Test
  void stopsReadingBeyondItsShareUntilTheServiceTakesSome() {
    holdLittle();
    upload(17);
    assertTrue(isRead(), "1,020,000 bytes are no three quarters");
    held.client.request(35, false, "POST", "/a").data(35, false, PIECE).data(35, false, PIECE);
    held.client.send();
    assertFalse(isRead());
    held.service.calls.get(0).consume();
    assertTrue(isRead());
    held.pass(SECOND_NS);
    assertTrue(resets().isEmpty(), "somebody was reset though the service took enough");
  }

  /** Windows for answers, and resets, are among what is not read. */
  @Test
  void readsOnceASecondWhileItHoldsMoreThanItsShare() {
    holdLittle();
    upload(18);
    for (int i = 0; i < 20; i++) {
      assertFalse(isRead(), "second " + i);
      held.pass(SECOND_NS);
      assertTrue(isRead());
      held.client.windowUpdate(0, 1).send();
    }
    assertEquals(List.of(), resets(), "the loop holds no more than it may");
    held.pass(SECOND_NS);
    held.client.reset(1, ErrorCode.CANCEL).reset(3, ErrorCode.CANCEL).send();
    assertTrue(isRead());
  }

  @Test
  void resetsWhatHasStoodForTheLongestWhereTheLoopHoldsTooMuchAndNobodyTakesAny() {
    holdLittle();
    upload(26);
    assertFalse(isRead());
    for (int i = 0; i < 4; i++) {
      held.pass(SECOND_NS);
    }
    assertEquals(List.of(), resets(), "a pause of the service is no fault of its clients");
    held.pass(SECOND_NS);
    held.pass(SECOND_NS);
    List<String> resets = resets();
    assertEquals(
        List.of("RST_STREAM 1 CANCEL", "RST_STREAM 3 CANCEL", "RST_STREAM 5 CANCEL"), resets);
    assertTrue(heldBytes() <= MAX_BYTES, heldBytes() + " bytes are held");
    assertEquals("reset CLIENT_GONE", held.service.calls.get(0).end);
    assertEquals(26, held.admission.charged);
  }

  /** Sends so many heads of 12,000 bytes. */
  private void ask(int heads) {
    ask(0, heads);
  }

  private void ask(int from, int to) {
    String field = "x: " + "y".repeat(12_000);
    for (int i = from; i < to; i++) {
      held.client.request(2 * i + 1, true, "GET", "/a", field).send();
    }
  }

  @Test
  void countsHeadsThatWaitForTheirVerdict() {
    holdLittle();
    held.admission.late = true;
    ask(80);
    assertTrue(isRead(), heldBytes() + " bytes are no mebibyte");
    assertTrue(heldBytes() > 80 * 12_000, heldBytes() + " bytes");
    ask(80, 100);
    assertFalse(isRead());
    for (int i = 0; i < 100; i++) {
      held.admission.decide(i, null);
    }
    assertEquals(0, heldBytes());
    assertTrue(isRead());
    assertEquals(100, held.service.calls.size());
  }

  @Test
  void countsHeadsThatWaitForAConnection() {
    held.service.pending = Origin.Pending.QUEUED;
    ask(3);
    assertTrue(heldBytes() > 3 * 12_000, heldBytes() + " bytes");
    held.service.connect();
    long ofTwo = heldBytes();
    assertTrue(ofTwo > 2 * 12_000 && ofTwo < 3 * 12_000, ofTwo + " bytes");
    held.service.fail(RefusalReason.UPSTREAM_BUSY);
    held.client.reset(5, ErrorCode.CANCEL).send();
    assertEquals(0, heldBytes());
  }

  @Test
  void countsHeadsThatWaitForTheirBodies() {
    held.client.request(1, false, "POST", "/a", "x: " + "y".repeat(12_000)).send();
    long ofHead = heldBytes();
    assertTrue(ofHead > 12_000, ofHead + " bytes");
    held.client.data(1, false, PIECE).send();
    assertEquals(ofHead + PIECE.length(), heldBytes());
    held.client.data(1, true, PIECE).send();
    assertEquals(0, heldBytes());
  }

  @Test
  void countsNoHeadThatDoesNotWait() {
    ask(3);
    assertEquals(0, heldBytes());
    assertEquals(3, held.service.calls.size());
  }

  @Test
  void resetsHeadsThatHaveWaitedForTheLongestWhereNobodyLetsThemPass() {
    held.close();
    held = new HeldLoop(64 << 20, HeldLoop.WRITE_NS, MIB).connectHttp2();
    held.admission.late = true;
    ask(100);
    assertFalse(isRead());
    for (int i = 0; i < 6; i++) {
      held.pass(SECOND_NS);
    }
    List<String> resets = resets();
    assertEquals("RST_STREAM 1 CANCEL", resets.get(0));
    assertTrue(heldBytes() <= MIB, heldBytes() + " bytes are held");
    assertEquals(100, held.admission.charged, "what was asked for stays charged");
  }

  private List<String> resets() {
    return held.client.received().stream().filter(frame -> frame.startsWith("RST")).toList();
  }

  /** As many large responses as there may be, all of them behind the standard's small windows. */
  @Test
  void pausesNobodyWhoTakesLargeAnswersSlowly() {
    for (int i = 0; i < 100; i++) {
      held.client.request(2 * i + 1, true, "GET", "/a").send();
      held.service.last().answer("HTTP/1.1 200 OK\r\nContent-Length: 120000");
      held.service.last().send("x".repeat(60_000), false);
      held.service.last().send("x".repeat(60_000), false);
    }
    held.client.received();
    assertTrue(heldBytes() > 5 * MIB);
    assertTrue(isRead(), "windows that open are not read");
    for (int second = 0; second < 50; second++) {
      held.pass(SECOND_NS);
      held.client.windowUpdate(0, 200_000);
      for (int i = 0; i < 100; i++) {
        held.client.windowUpdate(2 * i + 1, 2_000);
      }
      held.client.send();
      assertEquals(List.of(), resets(), "second " + second);
    }
  }

  /** Longer than half a minute, if that is the setting, and than the minute that creeping has. */
  @Test
  void waitsForAClientThatTakesNothingForAsLongAsItMayTake() {
    HeldLoop patient = new HeldLoop(64 << 20, 90 * SECOND_NS).connectHttp2();
    patient.client.settings(4, 0).request(1, true, "GET", "/a").send();
    patient.service.last().answer("HTTP/1.1 200 OK\r\nContent-Length: 5");
    patient.service.last().send("hello", true);
    patient.client.received();
    for (int seconds = 1; seconds < 90; seconds++) {
      patient.pass(SECOND_NS);
    }
    assertEquals(List.of(), patient.client.received());
    patient.pass(SECOND_NS);
    patient.pass(SECOND_NS);
    assertEquals(List.of("RST_STREAM 1 CANCEL"), patient.client.received());
    patient.close();
  }

  @Test
  void resetsAStreamWhoseWindowCreeps() {
    held.client.settings(4, 0).request(1, true, "GET", "/a").send();
    held.service.last().answer("HTTP/1.1 200 OK\r\nContent-Length: 60000");
    held.service.last().send("x".repeat(60_000), false);
    int seconds = 0;
    while (resets().isEmpty() && seconds < 100) {
      held.pass(SECOND_NS);
      held.client.windowUpdate(1, 500).send();
      seconds++;
    }
    assertTrue(seconds >= 60 && seconds <= 62, "after " + seconds + " s");
    assertTrue(held.service.last().end.startsWith("endreset "), held.service.last().end);
  }

  /** The client opens so many streams, and takes nothing of their answers. */
  private void leaveUnread(int firstId, int streams) {
    for (int id = firstId; id < firstId + 2 * streams; id += 2) {
      held.client.request(id, true, "GET", "/a").send();
      held.service.last().answer("HTTP/1.1 200 OK\r\nContent-Length: 5");
      held.service.last().send("hello", true);
    }
    held.client.received();
    held.pass(SECOND_NS); // looks each second
    held.pass(30 * SECOND_NS);
  }

  private boolean isDraining() {
    return held.client.received().stream().anyMatch(frame -> frame.startsWith("GOAWAY"));
  }

  /** The third stalled answer drains a connection at once; with fewer it is idle at some time. */
  @Test
  void endsAConnectionThatTakesNothingAnyMore() {
    held.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    leaveUnread(1, 2);
    held.pass(HeldLoop.IDLE_NS);
    held.pass(SECOND_NS); // the time of its GOAWAY
    held.pass(HeldLoop.WRITE_NS);
    assertFalse(held.channel.isOpen());
  }

  /** What else is in flight comes to its end. */
  @Test
  void drainsAConnectionThatTakesNoneOfThreeAnswers() {
    held.client.request(1, true, "GET", "/a").send();
    HeldService.Call other = held.service.last();
    held.client.settings(4, 0).send();
    leaveUnread(3, 3);
    List<String> frames = held.client.received();
    assertTrue(frames.contains("GOAWAY 2147483647 NO_ERROR"), frames.toString());
    assertTrue(held.channel.isOpen());
    held.client.windowUpdate(1, 100).send();
    other.answer("HTTP/1.1 200 OK\r\nContent-Length: 5");
    other.send("whole", true);
    assertTrue(held.client.received().contains("DATA 1 whole end"));
  }

  @Test
  void drainsNoConnectionOfWhichAStreamStallsNowAndThen() {
    held.client.settings(4, 0).request(1, true, "GET", "/lasts").send(); // it is never idle
    for (int i = 0; i < 10; i++) {
      leaveUnread(4 * i + 3, 2);
      assertFalse(isDraining(), 2 * i + 2 + " in its life");
      held.pass(90 * SECOND_NS / 2);
      held.pass(90 * SECOND_NS / 2);
    }
  }

  @Test
  void drainsNoIngressWhoseClientsTakeNoAnswers() {
    HeldLoop direct = held;
    held = new HeldLoop().connectIngress();
    direct.close();
    held.client.settings(4, 0).send();
    leaveUnread(1, 10);
    List<String> frames = held.client.received();
    assertEquals(10, frames.stream().filter(frame -> frame.startsWith("RST_STREAM")).count());
    assertTrue(frames.stream().noneMatch(frame -> frame.startsWith("GOAWAY")), frames.toString());
  }

  /** A thousand faults of messages, each of some client of the ingress. */
  @Test
  void endsNoIngressForWhatIsInTheMessagesOfOneClient() {
    HeldLoop direct = held;
    held = new HeldLoop().connectIngress();
    direct.close();
    for (int id = 1; id < 400; id += 2) {
      held.client.request(id, false, "POST", "/a", "content-length: 1").data(id, true, "").send();
    }
    assertFalse(isDraining());
    assertTrue(held.channel.isOpen());
  }
}
