package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of requests for which there is no connection to the service. */
@Timeout(120)
class UpstreamQueueTest extends RigTest {
  private final List<RawClient> clients = new ArrayList<>();
  private final Semaphore answers = new Semaphore(0);

  /** The service answers as often as the test lets it. */
  private void startHolding(String... flags) throws Exception {
    start(Rig.preferredTransport(), flags);
    rig.origin.script(
        origin -> {
          origin.request();
          answers.acquire();
          origin.send(RecordingOrigin.OK);
        });
  }

  private RawClient ask(String path) throws Exception {
    return ask(path, "");
  }

  private RawClient ask(String path, String fields) throws Exception {
    RawClient client = rig.connect();
    clients.add(client);
    return client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
  }

  private static String from(String address) {
    return "X-Forwarded-For: " + address + "\r\n";
  }

  private String nextPath() throws Exception {
    return rig.origin.nextRequest().split(" ")[1];
  }

  @AfterEach
  void letGo() throws Exception {
    answers.release(10_000);
    for (RawClient client : clients) {
      client.close();
    }
  }

  @Test
  void servesThoseWhoWaitInTheirOrderWithoutThoseWhoHaveLeft() throws Exception {
    startHolding("--caps.upstream-connections", "1", "--timeouts.upstream-queue", "1h");
    ask("/0");
    assertEquals("/0", nextPath());
    for (int i = 1; i <= 4; i++) {
      ask("/" + i);
      rig.await("weir_upstream_waiting", i);
    }
    clients.get(2).reset();
    rig.await("weir_upstream_waiting", 3);
    answers.release(4);
    assertEquals("/1", nextPath());
    assertEquals("/3", nextPath());
    assertEquals("/4", nextPath());
    for (int i : List.of(0, 1, 3, 4)) {
      assertEquals(200, clients.get(i).read().status());
    }
    assertEquals(4, rig.metric("weir_upstream_waits_total"));
    assertEquals(1, rig.origin.connectionCount());
  }

  @Test
  void refusesWhoWaitsInVainAndKeepsItsConnection() throws Exception {
    startHolding("--caps.upstream-connections", "1", "--timeouts.upstream-queue", "100ms");
    ask("/0");
    assertEquals("/0", nextPath());
    RawClient waiting = ask("/1");
    assertEquals(503, waiting.read().status());
    assertEquals(1, rig.metric("weir_refusals_total{reason=\"upstream_busy\"}"));
    answers.release(2);
    assertEquals(200, clients.get(0).read().status());
    assertEquals(200, waiting.send(Rig.VALID).read().status());
    assertEquals("/valid", nextPath());
  }

  @Test
  void chargesNothingForWhatFindsTheQueueFull() throws Exception {
    startHolding(
        "--caps.upstream-connections",
        "1",
        "--caps.upstream-queue",
        "1",
        "--timeouts.upstream-queue",
        "1h");
    ask("/0");
    assertEquals("/0", nextPath());
    ask("/1");
    rig.await("weir_upstream_waiting", 1);
    for (int i = 0; i < 3; i++) {
      assertEquals(503, ask("/full").read().status());
    }
    answers.release(3);
    assertEquals(999, clients.get(0).read().remaining());
    assertEquals(998, clients.get(1).read().remaining());
    assertEquals(997, ask("/2").read().remaining());
  }

  @Test
  void givesBackWhatWasChargedToThoseWhoWaitInVain() throws Exception {
    startHolding(
        "--algorithm",
        "fixed-window",
        "--caps.upstream-connections",
        "1",
        "--timeouts.upstream-queue",
        "100ms");
    ask("/0");
    assertEquals("/0", nextPath());
    for (int i = 0; i < 3; i++) {
      assertEquals(503, ask("/vain").read().status());
    }
    assertEquals(3, rig.metric("weir_charges_given_back_total"));
    answers.release(2);
    assertEquals(999, clients.get(0).read().remaining());
    assertEquals(998, ask("/served").read().remaining());
    assertEquals(3, rig.metric("weir_charges_given_back_total"), "what is served is spent");
  }

  /** It was decided on its head, and when its body was there all places were taken. */
  @Test
  void givesBackWhatWasChargedForABodyThatFindsNoConnection() throws Exception {
    startHolding(
        "--algorithm",
        "fixed-window",
        "--caps.upstream-connections",
        "1",
        "--caps.upstream-queue",
        "0");
    RawClient slow = rig.connect();
    clients.add(slow);
    slow.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12");
    rig.await("weir_requests_in_flight", 1);
    RawClient holder = ask("/holder");
    assertEquals("/holder", nextPath());
    assertEquals(503, slow.send("345").read().status());
    assertEquals(1, rig.metric("weir_charges_given_back_total"));
    answers.release(2);
    assertEquals(998, holder.read().remaining(), "told before it was given back");
    assertEquals(998, slow.send(Rig.VALID).read().remaining());
  }

  @Test
  void leavesPlacesToOthersWhateverOneClientSends() throws Exception {
    startHolding(
        "--trusted-proxies",
        "127.0.0.1",
        "--caps.upstream-connections",
        "8",
        "--caps.upstream-queue",
        "8",
        "--timeouts.upstream-queue",
        "1h");
    List<RawClient> greedy = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      greedy.add(ask("/greedy", from(i % 2 == 0 ? "2001:db8::1" : "2001:db8::ffff:2")));
    }
    rig.await("weir_upstream_waiting", 6);
    rig.await("weir_refusals_total{reason=\"upstream_busy\"}", 8);
    for (int i = 0; i < 6; i++) {
      assertEquals("/greedy", nextPath());
    }
    rig.await("weir_upstream_connections_open", 6); // three quarters, as they are made
    ask("/other", from("192.0.2.1"));
    assertEquals("/other", nextPath());
    ask("/another", from("192.0.2.2"));
    assertEquals("/another", nextPath());
    answers.release(100);
    int served = 0;
    for (RawClient client : greedy) {
      Response response = client.read();
      served += response.status() == 200 ? 1 : 0;
    }
    assertEquals(12, served);
  }

  /** Behind a proxy that is trusted and names nobody, and on this machine, may stand many. */
  @Test
  void boundsNobodyWhoMayBeMany() throws Exception {
    startHolding("--caps.upstream-connections", "8");
    for (int i = 0; i < 8; i++) {
      ask("/" + i);
    }
    for (int i = 0; i < 8; i++) {
      nextPath();
    }
    assertTrue(rig.metric("weir_upstream_connections_open") == 8);
  }
}
