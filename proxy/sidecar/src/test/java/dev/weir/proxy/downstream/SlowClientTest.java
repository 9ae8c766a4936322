package dev.weir.proxy.downstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that are slow, stay for long or come in numbers, and what is left for everybody else. */
@Timeout(120)
class SlowClientTest extends RigTest {
  private static final String POST = "POST /slow HTTP/1.1\r\nHost: a\r\n";
  private static final String EVENTS =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "5\r\ndata:\r\n";
  private static final String SWITCHED =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n";
  private static final String UPGRADE =
      "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";

  private final List<RawClient> clients = new ArrayList<>();

  private RawClient connect() throws Exception {
    RawClient client = rig.connect();
    clients.add(client);
    return client;
  }

  @AfterEach
  void letGo() throws Exception {
    for (RawClient client : clients) {
      client.reset();
    }
  }

  @Test
  void takesNoConnectionForABodyThatTrickles() throws Exception {
    start(
        Rig.preferredTransport(), "--caps.upstream-connections", "2", "--caps.upstream-queue", "0");
    for (String framing :
        List.of(
            "Content-Length: 15000\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")) {
      for (int i = 0; i < 5; i++) {
        connect().send(POST + framing);
      }
    }
    rig.await("weir_requests_in_flight", 10);
    rig.serve();
    assertEquals(1, rig.origin.connectionCount(), "only the one who was served has had one");
  }

  @Test
  void passesABodyThatComesByteForByteAsItCame() throws Exception {
    start(Rig.preferredTransport());
    for (String framed :
        List.of(
            "Content-Length: 10\r\n\r\n0123456789",
            "Transfer-Encoding: chunked\r\n\r\n"
                + "4;a=b\r\n"
                + "0123\r\n"
                + "6\r\n"
                + "456789\r\n"
                + "0\r\n"
                + "T: t\r\n\r\n")) {
      try (RawClient client = rig.connect()) {
        String request = POST + framed + Rig.VALID;
        for (int i = 0; i < request.length(); i++) {
          client.send(request.substring(i, i + 1));
        }
        assertEquals(200, client.read().status());
        assertEquals(200, client.read().status());
        String got = rig.origin.nextRequest();
        assertTrue(got.endsWith(framed.substring(framed.indexOf("\r\n\r\n")).replace(";a=b", "")));
        assertTrue(rig.origin.nextRequest().startsWith("GET /valid "));
      }
    }
  }

  @Test
  void says100InTheServicesSteadWhereConnectionsAreScarce() throws Exception {
    start(Rig.preferredTransport(), "--caps.upstream-connections", "3");
    CountDownLatch answer = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          if (origin.head().startsWith("GET")) {
            answer.await();
            origin.send(RecordingOrigin.OK);
          } else {
            origin.send("HTTP/1.1 100 Continue\r\n\r\n");
            for (int i = 0; i < 5; i++) {
              origin.read();
            }
            origin.send(RecordingOrigin.OK);
          }
        });
    for (int i = 0; i < 2; i++) {
      connect().send(Rig.VALID);
    }
    rig.origin.nextHead();
    rig.origin.nextHead();
    RawClient client = connect();
    client.send(POST + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    assertEquals(100, client.read().status());
    assertEquals(2, rig.origin.connectionCount(), "no connection waits for the body");
    assertEquals(200, client.send("12345").read().status(), "one 100 is enough");
    answer.countDown();
  }

  @Test
  void servesOthersBesideAThousandTunnelsByItsDefaults() throws Exception {
    start("auto", "--limit", "1000000/1s");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(SWITCHED);
          origin.awaitEnd();
        });
    for (int i = 0; i < 1_000; i++) {
      assertEquals(101, connect().send(UPGRADE).read().status());
    }
    rig.await("weir_upstream_streams_open", 1_000);
    rig.origin.forget();
    rig.origin.answer(RecordingOrigin.OK);
    rig.serve();
  }

  @Test
  void servesOthersBesideEventStreams() throws Exception {
    start(
        Rig.preferredTransport(),
        "--caps.upstream-connections",
        "2",
        "--caps.upstream-streams",
        "3");
    rig.origin.script(
        origin -> {
          origin.head();
          origin.send(EVENTS);
          origin.awaitEnd();
        });
    for (int i = 0; i < 3; i++) {
      connect().send(Rig.VALID);
      rig.await("weir_upstream_streams_open", i + 1);
    }
    rig.origin.answer(RecordingOrigin.OK);
    rig.origin.forget();
    rig.serve();
    Response refused = connect().send(UPGRADE).read();
    assertEquals(503, refused.status(), "there is no room for one more");
    assertEquals(999 - 3 - 1, connect().send(Rig.VALID).read().remaining(), "and no charge");
  }

  /** Who does not take its response leaves its place, long before it is given up. */
  @Test
  void servesOthersBesideClientsThatTakeNoResponse() throws Exception {
    start(Rig.preferredTransport(), "--caps.upstream-connections", "2");
    rig.origin.script(
        origin -> {
          origin.head();
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
          while (true) {
            origin.send("x".repeat(1 << 16));
          }
        });
    for (int i = 0; i < 4; i++) {
      RawClient client = new RawClient(rig.sidecar.listenAddress(), 4096);
      clients.add(client);
      client.send(Rig.VALID);
      rig.await("weir_upstream_streams_open", i + 1);
    }
    rig.origin.answer(RecordingOrigin.OK);
    rig.origin.forget();
    rig.serve();
  }

  /** Not even where it has filled its share of those that last. */
  @Test
  void servesOthersBesideManyClientsOfOneAddressThatTakeNoResponse() throws Exception {
    start(
        Rig.preferredTransport(),
        "--caps.upstream-connections",
        "8",
        "--caps.upstream-streams",
        "8",
        "--trusted-proxies",
        "127.0.0.1/32");
    rig.origin.script(
        origin -> {
          origin.head();
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
          while (true) {
            origin.send("x".repeat(1 << 16));
          }
        });
    for (int i = 0; i < 20; i++) {
      RawClient client = new RawClient(rig.sidecar.listenAddress(), 4096);
      clients.add(client);
      client.send(of("203.0.113.7"));
    }
    rig.await("weir_upstream_streams_open", 6);
    rig.await("weir_upstream_connections_open", 12);
    rig.origin.answer(RecordingOrigin.OK);
    for (int i = 0; i < 10; i++) {
      assertEquals(200, connect().send(of("203.0.113.8")).read().status());
    }
  }

  private static String of(String address) {
    return "GET /valid HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + address + "\r\n\r\n";
  }

  /** A long poll, and an upload that began well: whichever side it is that takes its time. */
  @Test
  void servesOthersBesideExchangesThatLast() throws Exception {
    start("auto", "--caps.upstream-connections", "2");
    rig.origin.script(
        origin -> {
          origin.head();
          origin.awaitEnd();
        });
    connect().send(Rig.VALID);
    connect().send(POST + "Content-Length: 100000\r\n\r\n" + "x".repeat(50_000));
    rig.await("weir_upstream_streams_open", 2);
    rig.origin.answer(RecordingOrigin.OK);
    rig.origin.forget();
    rig.serve();
  }
}
