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
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections to a service of HTTP/2 and the places on them: who gets one, who waits. */
class Http2PoolTest extends HeldPoolTest {
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
  void callsThatAreNotKeptBehindAPeakLeaveTheirDeadlines() {
    HeldPool many = new HeldPool(2 * Http2Pool.MAX_KEPT, 1);
    for (int peak = 0; peak < 2; peak++) {
      for (int i = 0; i < 2 * Http2Pool.MAX_KEPT; i++) {
        many.ask(GET);
      }
      int atPeak = many.time.deadlines.count();
      many.refuse(RefusalReason.UPSTREAM_UNREACHABLE);
      assertEquals(Http2Pool.MAX_KEPT, atPeak - many.time.deadlines.count());
    }
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
