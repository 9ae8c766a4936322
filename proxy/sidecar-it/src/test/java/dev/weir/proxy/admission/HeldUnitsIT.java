package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.proxy.rig.WeirProcess;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Limits whose units requests hold in the store until they end, of sidecars that share it. */
@Timeout(60)
class HeldUnitsIT {
  private static final RedisServer redis = RedisServer.shared();

  private final AtomicInteger running = new AtomicInteger();
  private final Semaphore answers = new Semaphore(0);
  private final List<RawClient> clients = new ArrayList<>();
  private Fleet fleet;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  @AfterEach
  void stop() throws Exception {
    answers.release(1_000);
    for (RawClient client : clients) {
      client.close();
    }
    fleet.close();
  }

  /** Starts sidecars whose services answer when they are let, with a header of costs. */
  private void start(int sidecars, String limits) throws Exception {
    fleet = started(sidecars, Fleet.node(redis), limits);
  }

  private Fleet started(int sidecars, String node, String limits) throws Exception {
    return started(sidecars, file(node, limits), 1);
  }

  private static String file(String nodes, String limits) {
    return """
        redis: {nodes: [%s], deadline: 1s}
        rules:
          - id: r
            mode: exact
            key: header:x-user
        """
            .formatted(nodes)
        + limits.indent(4);
  }

  private Fleet started(int sidecars, String file, int servers) throws Exception {
    Fleet started = Fleet.ofFile(sidecars, file).deciding(servers);
    for (Rig rig : started.rigs) {
      rig.origin.script(this::answer);
    }
    return started;
  }

  /** Starts one that waits for the store for 0.9 s, and not longer as others here. */
  private Fleet impatient(FaultProxy store, String limits) throws Exception {
    String file = file("127.0.0.1:" + store.port(), limits);
    return started(1, file.replace("deadline: 1s", "deadline: 900ms"), 1);
  }

  private void answer(RecordingOrigin.Conversation with) throws IOException, InterruptedException {
    String request = with.request();
    running.incrementAndGet();
    answers.acquire();
    running.decrementAndGet();
    int at = request.indexOf("x-costs: ");
    String cost = at < 0 ? "0" : request.substring(at + 9, request.indexOf("\r\n", at));
    with.send("HTTP/1.1 200 OK\r\nx-cost: " + cost + "\r\nContent-Length: 0\r\n\r\n");
  }

  private RawClient send(int sidecar, String fields) throws Exception {
    return sendAs("ann", sidecar, fields);
  }

  private RawClient sendAs(String user, int sidecar, String fields) throws Exception {
    RawClient client = fleet.rig(sidecar).connect();
    clients.add(client);
    return client.send("GET / HTTP/1.1\r\nHost: a\r\nx-user: " + user + "\r\n" + fields + "\r\n");
  }

  private RawClient.Response refused(int sidecar) throws Exception {
    RawClient.Response response = send(sidecar, "").read();
    assertEquals(429, response.status());
    return response;
  }

  private void awaitRunning(int count) throws Exception {
    Await.until(count + " run", () -> running.get() == count);
  }

  /** Sends requests until one runs that had to wait for the end of another. */
  private void awaitPassing(int sidecar, int count) throws Exception {
    Await.until(
        "one passes",
        () -> {
          RawClient client = send(sidecar, "");
          Await.until("decided", () -> running.get() == count || !client.isSilent(1));
          return running.get() == count;
        });
  }

  @Test
  void letsSoManyRequestsOfTheFleetRunAtATime() throws Exception {
    start(2, "concurrency: 3");
    RawClient first = send(0, "");
    send(1, "");
    send(0, "");
    awaitRunning(3);
    assertEquals("1", refused(1).field("Retry-After"));
    refused(0);
    answers.release(1);
    awaitRunning(2);
    awaitPassing(1, 3);
    refused(0);
    first.close();
  }

  @Test
  void freesTheSlotOfAClientThatLeft() throws Exception {
    start(2, "concurrency: 1");
    RawClient leaving = send(0, "");
    awaitRunning(1);
    refused(1);
    leaving.reset();
    Await.until(
        "the other passes",
        () -> {
          RawClient client = send(1, "");
          Await.until("decided", () -> running.get() == 2 || !client.isSilent(1));
          return running.get() == 2;
        });
  }

  @Test
  void chargesWhatTheServiceReportsAndReleasesTheReserve() throws Exception {
    start(
        2,
        """
        limits:
          - {name: rpm, limit: 60/1h, algorithm: fixed-window}
          - {name: tpm, limit: 20k/1h, algorithm: fixed-window, cost: {response: {header: x-cost}, reserve: 4000}}
        """);
    List<RawClient> five = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      five.add(send(i % 2, "x-costs: " + (i == 0 ? 900 : 1200) + "\r\n"));
      awaitRunning(i + 1);
    }
    refused(0);
    answers.release(5);
    for (RawClient client : five) {
      assertEquals(200, client.read().status());
    }
    // 900 and 4 times 1,200 are used, so 3 reserves of 4,000 have room
    for (int i = 1; i <= 3; i++) {
      awaitPassing(i % 2, i);
    }
    refused(1);
    refused(0);
  }

  @Test
  void goesOnUnderAnotherNameWhenTheStoreHasForgotten() throws Exception {
    start(1, "concurrency: 2");
    send(0, "");
    awaitRunning(1);
    redis.text("FLUSHALL");
    awaitPassing(0, 2);
    awaitPassing(0, 3);
    refused(0);
    answers.release(3);
    awaitRunning(0);
    awaitPassing(0, 1);
    awaitPassing(0, 2);
    refused(0);
  }

  @Test
  void getsTheSlotsBackOfASidecarThatIsNotHeardOfForALife() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port())) {
      String limits = TOKENS.formatted("3k").replace("concurrency: 9", "concurrency: 2");
      start(1, limits);
      try (Fleet cutOff = started(1, "127.0.0.1:" + faults.port(), limits)) {
        RawClient first = send(0, "x-costs: 1000\r\n");
        awaitRunning(1);
        RawClient running = cutOff.rig(0).connect();
        clients.add(running);
        running.send("GET / HTTP/1.1\r\nHost: a\r\nx-user: ann\r\n\r\n");
        awaitRunning(2);
        faults.blackhole();
        refused(0);
        long beganNs = System.nanoTime();
        awaitPassing(0, 3);
        assertTrue(System.nanoTime() - beganNs > 5_000_000_000L, "not before its life was over");
        refused(0); // as the first one of this sidecar was renewed
        answers.release(3);
        assertEquals(200, first.read().status());
        awaitRunning(0);
        awaitPassing(0, 1); // 1,000 each are used by the first one and by the one that was cut off
        refused(0);
      }
    }
  }

  @Test
  void getsTheSlotsBackOfASidecarThatIsKilled(@TempDir Path folder) throws Exception {
    start(1, "concurrency: 2");
    String own =
        "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nevent-loops: 1\ntable: {keys: 1000}\nupstream: "
            + fleet.rig(0).origin.url()
            + "\n";
    Path settings = folder.resolve("weir.yaml");
    Files.writeString(settings, own + file(Fleet.node(redis), "concurrency: 2"));
    try (WeirProcess killed = WeirProcess.run(folder, "-c", settings.toString())) {
      for (int i = 1; i <= 2; i++) {
        RawClient client = killed.connect();
        clients.add(client);
        client.send("GET / HTTP/1.1\r\nHost: a\r\nx-user: ann\r\n\r\n");
        awaitRunning(i);
      }
      refused(0);
      killed.signal("KILL");
    }
    refused(0);
    awaitPassing(0, 3); // a life of its record later
    awaitPassing(0, 4);
    refused(0);
  }

  private static final String TOKENS =
      """
      limits:
        - {name: running, concurrency: 9}
        - {name: tpm, limit: %s/1h, algorithm: fixed-window, cost: {response: {header: x-cost}, reserve: 1000}}
      """;

  @Test
  void leavesNothingHeldWhenADrainHasEnded() throws Exception {
    start(2, "concurrency: 1");
    RawClient client = send(0, "");
    awaitRunning(1);
    FutureTask<Boolean> drained =
        new FutureTask<>(() -> fleet.rig(0).sidecar.drain(60_000_000_000L));
    new Thread(drained, "drain").start();
    fleet.rig(0).await("weir_ready", 0);
    refused(1);
    answers.release(1);
    assertEquals(200, client.read().status());
    assertTrue(drained.get());
    send(1, "");
    awaitRunning(1);
  }

  @Test
  void countsWhatIsHeldUnderAChangedLimit() throws Exception {
    start(1, "concurrency: 2");
    send(0, "");
    send(0, "");
    awaitRunning(2);
    refused(0);
    fleet.rig(0).publish(file(Fleet.node(redis), "concurrency: 3"));
    send(0, "");
    awaitRunning(3);
    refused(0);
    fleet.rig(0).publish(file(Fleet.node(redis), "concurrency: 1"));
    answers.release(2);
    awaitRunning(1);
    refused(0);
    answers.release(1);
    awaitRunning(0);
    awaitPassing(0, 1);
    refused(0);
  }

  @Test
  void chargesToAChangedLimitWhatWasHeldUnderTheOneBefore() throws Exception {
    start(1, TOKENS.formatted("3k"));
    List<RawClient> three = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      three.add(send(0, "x-costs: 500\r\n"));
      awaitRunning(i);
    }
    refused(0);
    fleet.rig(0).publish(file(Fleet.node(redis), TOKENS.formatted("4k")));
    three.add(send(0, "x-costs: 500\r\n"));
    awaitRunning(4);
    refused(0);
    answers.release(4);
    for (RawClient client : three) {
      assertEquals(200, client.read().status());
    }
    awaitPassing(0, 1); // 2,000 are used of 4,000
    awaitPassing(0, 2);
    refused(0);
  }

  @Test
  void aResetGivesBackWhatWasUsedAndNotWhatIsHeld(@TempDir Path folder) throws Exception {
    String file = file(Fleet.node(redis), TOKENS.formatted("3k")) + "decision: 127.0.0.1:0\n";
    fleet = started(1, ResetCall.withToken(folder, file), 1);
    RawClient used = send(0, "x-costs: 2000\r\n");
    awaitRunning(1);
    answers.release(1);
    assertEquals(200, used.read().status());
    awaitPassing(0, 1);
    refused(0);
    ResetCall.reset(fleet.rig(0), "ann");
    awaitPassing(0, 2);
    awaitPassing(0, 3);
    refused(0);
  }

  @Test
  void owesWhatARequestCostThatPassedWithoutTheStore() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port())) {
      fleet =
          started(
              1, "127.0.0.1:" + faults.port(), "on-store-failure: open\n" + TOKENS.formatted("3k"));
      faults.refuse();
      fleet.rig(0).await(StoreRig.DECIDING, 0);
      RawClient client = send(0, "x-costs: 1500\r\n");
      awaitRunning(1);
      answers.release(1);
      assertEquals(200, client.read().status());
      faults.pass();
      fleet.rig(0).await("weir_store_debts_charged_total", 1);
      awaitPassing(0, 1); // 1,500 are used, and not the 1,000 that others hold
      refused(0);
      assertEquals(1, fleet.rig(0).metric("weir_store_debts_charged_total"), "no slot is owed");
    }
  }

  /** Of five limits that hold, and of two sidecars, which have half of each. */
  @Test
  void sharesWhatIsHeldWhileTheStoreIsAwayAndOwesWhatItCost() throws Exception {
    String more =
        "  - {name: %s, limit: 1M/1h, cost: {response: {header: x-cost}, reserve: 1000}}\n";
    String limits = TOKENS.formatted("8k").replace("concurrency: 9", "concurrency: 4");
    limits += more.formatted("a") + more.formatted("b") + more.formatted("c");
    try (FaultProxy faults = new FaultProxy(redis.port())) {
      fleet = started(2, "127.0.0.1:" + faults.port(), limits);
      for (Rig rig : fleet.rigs) {
        rig.await("weir_store_peers", 2);
      }
      faults.refuse();
      for (Rig rig : fleet.rigs) {
        rig.await(StoreRig.DECIDING, 0);
      }
      List<RawClient> four = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        four.add(send(i % 2, "x-costs: 1500\r\n"));
        awaitRunning(i + 1);
      }
      refused(0);
      refused(1);
      answers.release(4);
      for (RawClient client : four) {
        assertEquals(200, client.read().status());
      }
      faults.pass();
      for (Rig rig : fleet.rigs) {
        rig.await("weir_store_debts_charged_total", 2 * 4); // of each limit but concurrency
      }
      awaitPassing(0, 1); // 6,000 are used of 8,000
      awaitPassing(1, 2);
      refused(0);
      refused(1);
    }
  }

  /** What it cost is told when the store is back: nothing, where the reserve would be 1,000. */
  @Test
  void tellsAnEndThatTheStoreWasAwayAt() throws Exception {
    start(1, TOKENS.formatted("3k"));
    try (FaultProxy faults = new FaultProxy(redis.port());
        Fleet away = started(1, "127.0.0.1:" + faults.port(), TOKENS.formatted("3k"))) {
      try (RawClient client = away.rig(0).connect()) {
        client.send("GET / HTTP/1.1\r\nHost: a\r\nx-user: ann\r\n\r\n");
        awaitRunning(1);
        faults.refuse();
        away.rig(0).await(StoreRig.DECIDING, 0);
        answers.release(1);
        assertEquals(200, client.read().status());
      }
      away.rig(0).await("weir_store_holds_ended_open", 1); // nobody was told
      send(0, "");
      send(0, "");
      awaitRunning(2);
      refused(0);
      faults.pass();
      away.rig(0).await("weir_store_holds_ended_open", 0);
      awaitPassing(0, 3);
      assertEquals(0, away.rig(0).metric("weir_store_holds_forgotten_total"), "within a life");
    }
  }

  @Test
  void holdsNothingForAClientThatLeftWhileItsVerdictWasAwaited() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port())) {
      fleet = started(1, "127.0.0.1:" + faults.port(), "concurrency: 1");
      faults.blackhole();
      RawClient leaving = send(0, "");
      fleet.rig(0).await("weir_requests_in_flight", 1);
      leaving.reset();
      fleet.rig(0).await("weir_requests_in_flight", 0);
      faults.pass();
      awaitPassing(0, 1);
      refused(0);
    }
  }

  @Test
  void releasesOnOneServerWhatAnotherRefuses() throws Exception {
    try (RedisServer first = RedisKind.EMBEDDED.start();
        RedisServer second = RedisKind.EMBEDDED.start()) {
      String nodes = Fleet.node(first) + ", " + Fleet.node(second);
      String file =
          file(
                  nodes,
                  """
                  limits:
                    - {name: user, concurrency: 2}
                    - {name: team, concurrency: 1, key: header:x-team}
                  """)
              .replace("redis: {", "redis: {topology: sharded, ");
      fleet = started(2, file, 2);
      int users = 8; // on both servers, each with a team on the same and on the other
      for (int i = 0; i < users; i++) {
        sendAs("user" + i, i % 2, "x-team: team" + i + "\r\n");
        awaitRunning(i + 1);
      }
      for (int i = 0; i < users; i++) {
        for (int other = 0; other < users; other++) {
          String taken = "x-team: team" + other + "\r\n";
          assertEquals(429, sendAs("user" + i, other % 2, taken).read().status());
        }
      }
      for (int i = 0; i < users; i++) {
        int user = i;
        int count = users + i + 1;
        Await.until(
            "the second one of a user runs",
            () -> {
              RawClient client = sendAs("user" + user, user % 2, "x-team: another" + user + "\r\n");
              Await.until("decided", () -> running.get() == count || !client.isSilent(1));
              return running.get() == count;
            });
      }
      assertEquals(429, sendAs("user0", 0, "x-team: third\r\n").read().status());
    }
  }

  /** What its last request has released is still on the way, and keeps the next one no time. */
  @Test
  void oneRoundTripDecidesOnEachOfAClientsRequests() throws Exception {
    answers.release(100);
    try (FaultProxy faults = new FaultProxy(redis.port())) {
      fleet = impatient(faults, "on-store-failure: closed\nconcurrency: 5");
      faults.delayReplies(500);
      RawClient client = send(0, ""); // and later on the same event loop
      assertEquals(200, client.read().status());
      for (int i = 0; i < 2; i++) {
        client.send("GET / HTTP/1.1\r\nHost: a\r\nx-user: ann\r\n\r\n");
        assertEquals(200, client.read().status());
      }
    }
  }

  @Test
  void requestsOfUnequalReservesAreDecidedTogetherAndApartWhereTheSumDoesNotFit() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port())) {
      fleet =
          impatient(
              faults,
              """
              on-store-failure: closed
              limit: 1000/1d
              algorithm: fixed-window
              cost: {response: {header: x-cost}, reserve: {header: x-reserve, max: 1000}}
              """);
      faults.delayReplies(300);
      for (int i = 0; i < 7; i++) {
        send(0, "x-reserve: " + (100 + i) + "\r\n"); // 721 of 1,000
      }
      awaitRunning(7);
      faults.delayReplies(100);
      for (int i = 0; i < 4; i++) {
        send(0, "x-reserve: " + (110 + i) + "\r\n"); // two of them fit
      }
      fleet.rig(0).await("weir_refusals_total{reason=\"over_limit\"}", 2);
      awaitRunning(9);
    }
  }
}
