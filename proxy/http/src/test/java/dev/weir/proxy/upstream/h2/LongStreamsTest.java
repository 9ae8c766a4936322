package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What streams that last leave to requests, where a service allows four on a connection. */
class LongStreamsTest extends HeldPoolTest {
  private static final int OF_ONE = 4;
  private static final long LONG_NS = 5 * HeldPool.SECOND_NS;

  private final List<HeldClient> clients = new ArrayList<>();

  LongStreamsTest() {
    super(new HeldPool(100, 1));
  }

  private Service connect() {
    return held.connectSettled(Setting.MAX_CONCURRENT_STREAMS, OF_ONE);
  }

  /** Opens so many streams on a connection, which are silent for as long as they like. */
  private Service openStreams(int count) {
    for (int i = 0; i < count; i++) {
      clients.add(held.ask(GET));
    }
    Service service = connect();
    for (int i = 0; i < count; i++) {
      service.peer.headers(2 * i + 1, false, ":status: 200", "content-type: application/grpc");
    }
    service.send();
    assertEquals(count, service.streams().size());
    return service;
  }

  @Test
  void leaveTheirPlacesToRequestsOnceTheyHaveLasted() {
    openStreams(OF_ONE);
    held.pass(LONG_NS - 1);
    held.ask(GET);
    assertEquals(0, held.attempts(), "they may end yet");
    held.pass(HeldPool.SECOND_NS);
    HeldClient client = held.ask(GET);
    assertEquals(1, held.attempts());
    Service other = connect();
    assertEquals(1, other.streams().size());
    other.peer.headers(1, true, ":status: 204");
    other.send();
    assertEquals(List.of("head 204 alone", "data  end", "ended"), client.told());
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1"})
  void haveAConnectionMoreForEachThatTheyFillByHalf(int lasting, int connections) {
    openStreams(lasting);
    held.pass(LONG_NS);
    for (int i = lasting; i < OF_ONE + 1; i++) {
      held.ask(GET);
    }
    assertEquals(connections, held.attempts());
  }

  @Test
  void leaveRequestsNoFewerPlacesAndNoMore() {
    openStreams(OF_ONE);
    held.pass(LONG_NS);
    held.ask(GET);
    connect();
    held.ask(GET);
    assertFalse(held.pool.isScarce(), "two of four are taken");
    held.ask(GET);
    assertTrue(held.pool.isScarce(), "three of four are taken");
  }

  /** Who has three of four places has no more, but for those that last. */
  @Test
  void leaveTheSharesOfTheirClients() {
    held.clientKey = 7;
    Service service = openStreams(OF_ONE - 1);
    held.pass(LONG_NS - 1);
    held.ask(GET);
    assertEquals(0, service.streams().size());
    held.pass(HeldPool.SECOND_NS);
    held.ask(GET);
    assertEquals(1, service.streams().size());
  }

  @Test
  void keepTheirPlacesWhereNoMoreMayLast() {
    replace(new HeldPool(100, 1, 1, HeldPool.SECOND_NS));
    openStreams(OF_ONE);
    held.pass(LONG_NS);
    HeldClient client = held.ask(GET);
    assertEquals(0, held.attempts());
    held.pass(HeldPool.SECOND_NS);
    assertEquals(List.of("refused UPSTREAM_BUSY"), client.told());
  }

  @Test
  void countAsExchangesNoMoreAndAsStreamsUntilTheyEnd() {
    Service first = openStreams(OF_ONE);
    held.pass(LONG_NS);
    held.ask(GET);
    assertEquals(1, held.attempts());
    assertEquals(OF_ONE, held.figure("weir_upstream_streams_open"));
    first.peer.reset(1, ErrorCode.CANCEL);
    first.send();
    assertEquals(OF_ONE - 1, held.figure("weir_upstream_streams_open"));
    clients.get(1).request.clientGone(ErrorCode.CANCEL);
    assertEquals(OF_ONE - 2, held.figure("weir_upstream_streams_open"));
    first.breakOff();
    assertEquals(0, held.figure("weir_upstream_streams_open"));
  }
}
