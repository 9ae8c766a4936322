package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one client, and what it knows to ask for, does to those that share its connection. */
class SharedConnectionTest extends HeldPoolTest {
  private HeldClient other;
  private Service service;
  private int lastId = 1;

  @BeforeEach
  void connect() {
    other = held.ask(GET);
    service = held.connectSettled();
    service.peer.headers(1, false, ":status: 200");
    service.send();
    other.told();
  }

  private int ask() {
    held.ask(GET);
    return lastId += 2;
  }

  /** Who came first goes on, and so does whoever comes on the same connection. */
  private void assertOthersGoOn() {
    service.streams();
    ask();
    assertEquals(1, service.streams().size());
    assertEquals(0, held.attempts());
    service.peer.data(1, true, "whole");
    service.send();
    assertEquals(List.of("data whole end", "ended"), other.told());
  }

  @Test
  void malformedAnswersEndTheirOwnStreams() {
    for (int i = 0; i < 150; i++) {
      service
          .peer
          .headers(ask(), false, ":status: 200", "content-length: 1")
          .data(lastId, true, "");
      service.send();
    }
    assertOthersGoOn();
  }

  @Test
  void answersInTinyPiecesTakeNothingOfTheBudget() {
    int id = ask();
    service.peer.headers(id, false, ":status: 200");
    for (int i = 0; i < 1_100; i++) {
      service.peer.data(id, false, "x").data(id, false, "");
    }
    service.send();
    assertOthersGoOn();
  }

  /** A head of more than 32 KiB, in frames, of many fields. */
  @Test
  void anAnswerWithTooLargeAHeadEndsAlone() {
    String large = "x-large: " + "a".repeat(15_000);
    byte[] fields = service.peer.fields(":status: 200", large);
    byte[] more = service.peer.fields(large);
    HeldClient client = held.ask(GET);
    lastId += 2;
    service.peer.frame(FrameType.HEADERS, 0, lastId, fields);
    for (int i = 0; i < 6; i++) {
      service.peer.frame(FrameType.CONTINUATION, i == 5 ? 4 : 0, lastId, more);
    }
    service.send();
    assertEquals(List.of("refused UPSTREAM_MALFORMED"), client.told());
    assertOthersGoOn();
  }

  @Test
  void anAnswerThatComesLongAfterItsStreamWasResetIsLeftOut() {
    int id = ask();
    HeldClient gone = held.ask(GET);
    int goneId = lastId += 2;
    gone.request.clientGone(ErrorCode.CANCEL);
    service.peer.headers(id, true, ":status: 204");
    service.send();
    for (int i = 0; i < 600; i++) {
      service.peer.headers(ask(), true, ":status: 204");
      service.send();
    }
    service.peer.headers(goneId, false, ":status: 200").data(goneId, true, "late");
    service.send();
    assertOthersGoOn();
  }

  @Test
  void anAnswerWithTwoEndsEndsNoOther() {
    int id = ask();
    service.peer.headers(id, true, ":status: 204");
    service.send();
    service.peer.headers(id, true, "x-late: 1");
    service.send();
    assertOthersGoOn();
  }

  @Test
  void isReadOnWhileAClientTakesNothing() {
    HeldClient slow = held.ask(GET);
    slow.room = 0;
    int id = lastId += 2;
    service.peer.headers(id, false, ":status: 200");
    for (int i = 0; i < 3; i++) {
      service.peer.data(id, false, new byte[16_384]);
    }
    service.send();
    held.pass(HeldPool.SECOND_NS);
    assertTrue(service.channel.config().isAutoRead());
    assertEquals(3 * 16_384, held.http2.heldBytes());
    assertOthersGoOn();
    slow.request.clientGone(ErrorCode.CANCEL);
  }

  @Test
  void takesNoMoreStreamsThanTheServiceAllowsByNow() {
    ask();
    ask();
    service.peer.settings(Setting.MAX_CONCURRENT_STREAMS, 2);
    service.send();
    service.streams();
    HeldClient waiting = held.ask(GET);
    assertEquals(1, held.attempts(), "another, as this one is full");
    service.peer.headers(3, true, ":status: 204");
    service.send();
    assertEquals(List.of(), service.streams());
    service.peer.headers(5, true, ":status: 204");
    service.send();
    assertEquals(1, service.streams().size());
    assertEquals(List.of(), waiting.told());
  }

  @Test
  void waitsForAServiceThatAllowsNoStreamsUntilItDoes() {
    service.peer.settings(Setting.MAX_CONCURRENT_STREAMS, 0);
    service.send();
    HeldClient vain = held.ask(GET);
    Service second = held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 0);
    assertEquals(1, second.streams().size(), "one before it has said so");
    HeldClient vainToo = held.ask(GET);
    assertEquals(0, held.attempts(), "there are as many as there may be");
    held.pass(HeldPool.SECOND_NS);
    assertEquals(List.of(), vain.told());
    assertEquals(List.of("refused UPSTREAM_BUSY"), vainToo.told());
    HeldClient waiting = held.ask(GET);
    service.streams();
    service.peer.settings(Setting.MAX_CONCURRENT_STREAMS, 2);
    service.send();
    assertEquals(1, service.streams().size());
    assertEquals(List.of(), waiting.told());
    assertEquals(List.of(), other.told());
  }
}
