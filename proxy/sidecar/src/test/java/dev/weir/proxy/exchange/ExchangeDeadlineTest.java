package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every wait of an exchange has an end, and ends with whoever is waited for. */
@Timeout(120)
class ExchangeDeadlineTest extends RigTest {
  private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
  private static final String HALF = "x".repeat(50_000);
  private static final String BEGINNING = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";

  private final AtomicLong floodedCount = new AtomicLong();

  @AfterEach
  void noConnectionOfTheServiceIsKept() throws Exception {
    rig.await("weir_upstream_connections_open", 0);
  }

  @Test
  void endsAResponseThatBeganBeforeTheRequestWasWholeAndStalls() throws Exception {
    start(Rig.preferredTransport(), "--timeouts.response", "200ms");
    rig.origin.script(
        origin -> {
          origin.head();
          origin.send(BEGINNING);
          origin.awaitEnd();
        });
    try (RawClient client = rig.connect()) {
      client.send(POST + HALF);
      assertEquals("HTTP/1.1 200 OK", client.line());
      client.send(HALF);
      assertTrue(client.endsWithReset(), "half a response must not look whole");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void endsAnExchangeWhoseServiceBeganToAnswerAndTakesNoMore(String transport) throws Exception {
    start(transport, "--timeouts.response", "200ms");
    CountDownLatch over = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.head();
          origin.send(BEGINNING);
          over.await();
          origin.awaitEnd();
        });
    try (RawClient client = rig.connect()) {
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
      assertCut(client, "x".repeat(1 << 16));
    } finally {
      over.countDown();
    }
  }

  /** The time to take the response runs from when the client stopped, whatever it sends. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void endsAClientThatCompletesItsBodyAndTakesNoResponse(String transport) throws Exception {
    start(transport, "--timeouts.write", "500ms");
    rig.origin.script(
        origin -> {
          origin.head();
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
          flood(origin);
        });
    try (RawClient client = new RawClient(rig.sidecar.listenAddress(), 4096)) {
      client.send(POST + HALF);
      awaitFlooded();
      client.send(HALF);
      rig.await("weir_connections_open", 0);
      rig.await("weir_responses_unread_total", 1);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void endsATunnelWhoseClientSendsAndTakesNothing(String transport) throws Exception {
    start(transport, "--timeouts.write", "500ms");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
          flood(origin);
        });
    try (RawClient client = new RawClient(rig.sidecar.listenAddress(), 4096)) {
      client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
      awaitFlooded();
      assertCut(client, "x");
    }
  }

  /** Each byte comes in time, and all of them too slowly: gathered first, then on their way. */
  @Test
  void givesUpOnABodyThatTrickles() throws Exception {
    start(Rig.preferredTransport(), "--timeouts.body", "500ms");
    for (String begun : List.of("", HALF)) {
      try (RawClient client = rig.connect()) {
        client.send(POST + begun);
        trickle(client, "x", 20);
        assertEquals(408, client.read().status());
      }
    }
  }

  @Test
  void endsATunnelThroughWhichNothingGoes() throws Exception {
    start(Rig.preferredTransport(), "--timeouts.tunnel-idle", "200ms");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
          origin.awaitEnd();
        });
    try (RawClient client = rig.connect()) {
      client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
      assertEquals(101, client.read().status());
      assertEquals("", client.readToEndOrReset());
    }
  }

  /** Sends more than anybody takes. */
  private void flood(RecordingOrigin.Conversation origin) throws IOException {
    String bytes = "x".repeat(1 << 16);
    while (true) {
      origin.send(bytes);
      floodedCount.incrementAndGet();
    }
  }

  /** Waits until nothing of the flood is taken any more; if it is taken for wrong, so be it. */
  private void awaitFlooded() throws InterruptedException {
    for (long before = -1; floodedCount.get() == 0 || floodedCount.get() != before; ) {
      before = floodedCount.get();
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Sends on, and waits until the client's connection is ended. */
  private void assertCut(RawClient client, String bytes) throws Exception {
    trickle(client, bytes, 1);
    rig.await("weir_connections_open", 0);
  }

  private static void trickle(RawClient client, String bytes, int pauseMs) {
    Thread sender =
        new Thread(
            () -> {
              try {
                while (true) {
                  client.send(bytes);
                  TimeUnit.MILLISECONDS.sleep(pauseMs);
                }
              } catch (IOException | InterruptedException cut) {
                // As it should be.
              }
            });
    sender.setDaemon(true);
    sender.start();
  }
}
