package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.request.RefusalReason;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients of HTTP/2 that keep what is not theirs, or leave at the wrong time. */
class Http2HostileClientTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final HeldLoop held = new HeldLoop().connectHttp2();

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.loop.connectionCount());
    assertEquals(0, held.http2.heldBytes());
  }

  @Test
  void settingsDoNotKeepAnIdleConnectionAlive() {
    held.pass(HeldLoop.IDLE_NS - SECOND_NS);
    held.client.settings().send();
    held.pass(2 * SECOND_NS);
    held.pass(2 * SECOND_NS);
    held.pass(2 * SECOND_NS);
    assertFalse(held.channel.isActive());
  }

  @Test
  void theServiceIsToldTheCodeOfTheClientAndNoneOfOurs() {
    held.service.multiplexes = true;
    held.client.request(1, false, "POST", "/").send();
    held.client.reset(1, 7).send();
    assertEquals("reset CLIENT_GONE REFUSED_STREAM", held.service.last().end);
    held.client.request(3, false, "POST", "/", "content-length: 1").data(3, true, "ab").send();
    assertEquals("reset CLIENT_GONE", held.service.last().end);
    held.client.request(5, false, "POST", "/").send();
    held.close();
    assertEquals("reset CLIENT_GONE", held.service.last().end);
    assertEquals(3, held.admission.charged);
    assertEquals(
        List.of("CLIENT_GONE 0 0 0", "CLIENT_GONE 0 0 0", "CLIENT_GONE 0 0 0"),
        held.admission.ends);
  }

  @Test
  void aResponseThatTheServiceCutsWithoutAnErrorIsCutWithOne() {
    held.client.request(1, true, "GET", "/").send();
    held.service.last().answer("HTTP/1.1 200 OK");
    held.service.last().send("some of it", false);
    held.client.received();
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, 0);
    assertEquals(List.of("RST_STREAM 1 INTERNAL_ERROR"), held.client.received());
  }
}
