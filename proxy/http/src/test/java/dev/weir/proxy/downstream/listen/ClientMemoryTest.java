package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What clients take of their event loop's part of the heap, and what they get when it is taken. */
class ClientMemoryTest {
  private HeldLoop held;

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.memory.taken());
  }

  private void connect(long memoryBytes) {
    held = new HeldLoop(memoryBytes).connectHttp2();
  }

  private List<String> post(int id) {
    held.client.request(id, false, "POST", "/a").send();
    return held.client.received();
  }

  @Test
  void aStreamBeyondTheMemoryIsRefusedBeforeAnythingIsAskedAndLaterTaken() {
    connect(2 * ClientLoop.REQUEST_BYTES);
    assertEquals(List.of(), post(1));
    assertEquals(List.of(), post(3));
    assertEquals(List.of("RST_STREAM 5 REFUSED_STREAM"), post(5));
    assertEquals(2, held.admission.asked);
    assertEquals(2, held.admission.charged);
    held.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(List.of(), post(7));
    assertEquals(3, held.admission.asked);
  }

  @Test
  void aRefusedStreamIsNoFaultOfItsClientHoweverOftenItAsks() {
    connect(ClientLoop.REQUEST_BYTES);
    post(1);
    for (int i = 1; i <= 2_000; i++) {
      assertEquals(List.of("RST_STREAM " + (2 * i + 1) + " REFUSED_STREAM"), post(2 * i + 1));
    }
    assertTrue(held.channel.isOpen());
    String figures = new String(held.metrics.expose(null).body(), StandardCharsets.UTF_8);
    String name = "weir_refusals_total{reason=\"" + RefusalReason.TOO_MANY_IN_FLIGHT.label();
    assertTrue(figures.contains(name + "\"} 2000"), figures);
  }

  @Test
  void slotsOfStreamsCountUntilTheirConnectionEnds() {
    connect(1 << 20);
    for (int id = 1; id <= 9; id += 2) {
      post(id);
    }
    long slots = held.memory.taken() - 5 * ClientLoop.REQUEST_BYTES;
    assertTrue(slots >= (8 - 2) * 100, slots + " bytes for 6 more slots of 17 columns");
    for (int id = 1; id <= 9; id += 2) {
      held.client.reset(id, ErrorCode.CANCEL).send();
    }
    assertEquals(slots, held.memory.taken());
  }

  @Test
  void aStreamForWhoseSlotThereIsNoMemoryIsRefused() {
    connect(3 * ClientLoop.REQUEST_BYTES);
    post(1);
    post(3);
    assertEquals(List.of("RST_STREAM 5 REFUSED_STREAM"), post(5));
  }

  @Test
  void aClientBehindATrustedPeerLeavesAQuarterToTheOthersBehindIt() {
    held = new HeldLoop(16 * ClientLoop.REQUEST_BYTES).connectIngress();
    held.clientKey = 7;
    int id = 1;
    for (int i = 0; i < 12; i++, id += 2) {
      assertEquals(List.of(), post(id));
    }
    assertTrue(post(id).get(0).startsWith("HEADERS " + id + " :status: 503"));
    assertEquals(12, held.admission.asked);
    id += 2;
    held.clientKey = 8;
    assertEquals(List.of(), post(id));
    held.clientKey = 7;
    held.client.reset(1, ErrorCode.CANCEL).reset(3, ErrorCode.CANCEL).send();
    assertEquals(List.of(), post(id + 2));
    assertEquals(14, held.admission.asked);
  }

  @Test
  void aConnectionBeyondTheMemoryIsToldAndClosed() {
    held = new HeldLoop(ClientLoop.CONNECTION_BYTES + ClientLoop.REQUEST_BYTES);
    ConnectionCaps caps = new ConnectionCaps(new ClientCaps(1, 1, 1, 10, 10), 64);
    AcceptedConnections arrivals =
        new AcceptedConnections(
            ListenerSettings.plain(new InetSocketAddress(0)),
            null,
            address -> false,
            caps,
            new CountByClient(1, 64));
    EmbeddedChannel first = new EmbeddedChannel();
    arrivals.accepted(held.protocols, first);
    EmbeddedChannel second = new EmbeddedChannel();
    arrivals.accepted(held.protocols, second);
    ByteBuf answer = second.readOutbound();
    assertTrue(answer.toString(StandardCharsets.US_ASCII).startsWith("HTTP/1.1 503 "));
    answer.release();
    assertFalse(second.isOpen());
    first.close();
    EmbeddedChannel third = new EmbeddedChannel();
    arrivals.accepted(held.protocols, third);
    assertTrue(third.isOpen());
    third.close();
  }
}
