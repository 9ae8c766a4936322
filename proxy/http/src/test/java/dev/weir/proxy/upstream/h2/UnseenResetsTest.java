package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static dev.weir.proxy.upstream.h2.HeldPool.POST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long streams that were reset count against what a service allows. */
class UnseenResetsTest extends HeldPoolTest {
  private static final long AGAIN_NS = HeldPool.SECOND_NS / 5;

  private final List<HeldClient> clients = new ArrayList<>();

  UnseenResetsTest() {
    super(new HeldPool(100, 1, 100, HeldPool.MINUTE_NS));
  }

  private void ask(int requests) {
    for (int i = 0; i < requests; i++) {
      clients.add(held.ask(GET));
    }
  }

  /** Those leave who asked first. */
  private void leave(int requests) {
    for (int i = 0; i < requests; i++) {
      clients.remove(0).request.clientGone(ErrorCode.CANCEL);
    }
  }

  /** A connection with so many streams that wait, as many as there may be. */
  private Service connectFull(int streams) {
    ask(streams);
    Service service = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, streams);
    assertEquals(streams, count(service.streams(), "HEADERS"));
    service.answersPings = false;
    return service;
  }

  private static long count(List<String> frames, String prefix) {
    return frames.stream().filter(frame -> frame.startsWith(prefix)).count();
  }

  /** Without what is about windows and settings. */
  private List<String> kinds(Service service) {
    held.run();
    return service.peer.received().stream()
        .map(frame -> frame.split(" ")[0])
        .filter(kind -> kind.matches("HEADERS|RST_STREAM|PING|SETTINGS"))
        .toList();
  }

  private void answerPing(Service service, String ping) {
    service.peer.pingAck(Long.parseLong(ping.substring("PING ".length())));
    service.send();
  }

  @Test
  void opensNoStreamInPlaceOfOneThatWasResetUntilAPingBehindItIsAnswered() {
    Service service = connectFull(3);
    leave(3);
    ask(3);
    held.run();
    List<String> frames = service.peer.received();
    assertEquals(4, frames.size(), frames::toString);
    assertEquals(3, count(frames.subList(0, 3), "RST_STREAM"));
    assertTrue(frames.get(3).startsWith("PING"), frames::toString);
    answerPing(service, frames.get(3));
    assertEquals(List.of("HEADERS", "HEADERS", "HEADERS"), kinds(service));
  }

  @Test
  void countsAResetBehindThePingUntilTheNextAnswer() {
    Service service = connectFull(3);
    leave(1);
    held.run();
    List<String> frames = service.peer.received();
    assertEquals(2, frames.size(), frames::toString);
    leave(2);
    ask(3);
    assertEquals(List.of("RST_STREAM", "RST_STREAM"), kinds(service), "one ping at a time");
    answerPing(service, frames.get(1));
    assertEquals(List.of("HEADERS"), kinds(service));
    held.pass(AGAIN_NS);
    service.answersPings = true;
    assertEquals(1, service.pings());
    assertEquals(2, count(service.streams(), "HEADERS"));
  }

  @Test
  void asksNothingWhileResetsAreFewAndNobodyWaits() {
    Service service = connectFull(100);
    leave(24);
    assertEquals(0, count(kinds(service), "PING"));
    leave(1);
    assertEquals(List.of("RST_STREAM", "PING"), kinds(service));
  }

  @Test
  void tellsOnceThatAStreamIsClosedThoughItsPlaceIsKept() {
    Service service = connectFull(4);
    assertEquals(4, held.figure("weir_upstream_http2_streams_open"));
    leave(4);
    assertEquals(0, held.figure("weir_upstream_http2_streams_open"));
    service.answersPings = true;
    assertEquals(1, service.pings());
    assertEquals(0, held.figure("weir_upstream_http2_streams_open"));
  }

  @Test
  void asksForFewResetsOnceARequestWaits() {
    Service service = connectFull(100);
    leave(2);
    assertEquals(0, count(kinds(service), "PING"));
    ask(2);
    service.answersPings = true;
    assertEquals(1, service.pings());
    assertEquals(2, count(service.streams(), "HEADERS"));
  }

  /** As servers of gRPC end a connection at the third ping without an answer of theirs between. */
  @Test
  void asksBySettingsWhenNoPingIsLeftAndFiveTimesASecondAtMost() {
    Service service = connectFull(1);
    service.answersPings = true;
    for (int i = 0; i < 2; i++) {
      leave(1);
      ask(1);
      held.pass(AGAIN_NS);
      assertEquals(1, service.pings());
      service.streams();
    }
    leave(1);
    ask(1);
    assertEquals(List.of("RST_STREAM", "SETTINGS"), kinds(service));
    service.peer.settingsAck();
    service.send();
    assertEquals(List.of("HEADERS"), kinds(service));
    for (int i = 0; i < 3; i++) {
      leave(1);
      ask(1);
      assertEquals(List.of("RST_STREAM"), kinds(service));
      held.pass(AGAIN_NS);
      assertEquals(List.of("SETTINGS"), kinds(service));
      service.peer.settingsAck();
      service.send();
      assertEquals(List.of("HEADERS"), kinds(service));
    }
    assertEquals(0, held.attempts());
  }

  @Test
  void leavesAPlaceToOthersWhileOneClientResetsAllItHas() {
    held.clientKey = 7;
    ask(1);
    Service service = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 4);
    service.answersPings = false;
    ask(2);
    leave(3);
    service.streams();
    ask(3);
    assertEquals(List.of(), service.streams(), "its share is taken by what it has reset");
    held.clientKey = 8;
    ask(1);
    assertEquals(1, count(service.streams(), "HEADERS"));
  }

  @Test
  void countsNoStreamThatTheServiceHasEnded() {
    clients.add(held.ask(POST).data("5\r\nhello\r\n", false));
    Service service = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 1);
    service.streams();
    service.peer.headers(1, true, ":status: 413");
    service.send();
    ask(1);
    assertEquals(List.of("RST_STREAM", "HEADERS"), kinds(service));
  }

  @Test
  void replacesAConnectionWhoseServiceDoesNotSayThatItHasSeenAReset() {
    Service service = connectFull(1);
    leave(1);
    ask(1);
    kinds(service);
    held.pass(5 * HeldPool.SECOND_NS);
    held.run();
    assertFalse(service.channel.isOpen(), "it has no stream that anybody waits for");
    assertEquals(1, held.attempts());
  }

  @Test
  void takesNoPlaceWithAConnectionThatIsLost() {
    Service service = connectFull(4);
    leave(4);
    kinds(service);
    service.breakOff();
    held.clientKey = 7;
    ask(1);
    Service other = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 4);
    ask(2);
    assertEquals(3, count(other.streams(), "HEADERS"));
  }

  @Test
  void waitsWithItsEndForNoResetToBeSeen() {
    Service service = connectFull(2);
    leave(1);
    kinds(service);
    service.peer.goAway(3, ErrorCode.NO_ERROR);
    service.send();
    assertTrue(service.channel.isOpen());
    leave(1);
    held.run();
    assertFalse(service.channel.isOpen());
  }

  @Test
  void endsAnIdleConnectionWhoseLastStreamsWereReset() {
    replace(new HeldPool(100, 2, 100, 10 * HeldPool.MINUTE_NS));
    ask(1);
    Service first = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 8);
    ask(7);
    Service second = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 8);
    ask(1);
    first.streams();
    assertEquals(1, count(second.streams(), "HEADERS"));
    clients.remove(8).request.clientGone(ErrorCode.CANCEL);
    assertEquals(List.of("RST_STREAM"), kinds(second));
    held.pass(HeldPool.MINUTE_NS);
    assertFalse(second.channel.isOpen());
  }
}
