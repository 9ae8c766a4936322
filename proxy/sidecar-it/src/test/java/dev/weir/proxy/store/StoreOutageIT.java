package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What passes while the store is away, by each policy, and what it costs when it is back. */
class StoreOutageIT {
  private static final String DECISIONS = "weir_decisions_total";
  private static final String BATCHES = "weir_store_batches_total";
  private static final String CHARGED = "weir_store_debts_charged_total";

  private static final RedisServer redis = RedisServer.shared();

  private static StoreRig rig(String policy, String... flags) throws Exception {
    List<String> all = new ArrayList<>(List.of("--on-store-failure", policy));
    all.addAll(List.of(flags));
    return new StoreRig(redis, all.toArray(String[]::new));
  }

  /** How many commands of a kind a server has executed. */
  private static String calls(String command) throws Exception {
    return redis
        .text("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_" + command + ":"))
        .findFirst()
        .orElse("none");
  }

  private static void breakOff(StoreRig rig) throws Exception {
    rig.faults.refuse();
    for (Rig each : rig.fleet.rigs) {
      each.await(StoreRig.DECIDING, 0);
    }
  }

  private static void mend(StoreRig rig) throws Exception {
    rig.faults.pass();
    rig.awaitDeciding();
  }

  @Test
  void localShareLetsNoMoreThanItsPartPassAndCountsEachRequest() throws Exception {
    try (StoreRig rig =
        new StoreRig(2, redis, "--limit", "10/365d", "--on-store-failure", "local-share")) {
      for (Rig each : rig.fleet.rigs) {
        each.await("weir_store_peers", 2);
      }
      breakOff(rig);
      int passed = 0;
      for (int i = 0; i < 2; i++) {
        try (RawClient client = rig.fleet.rig(i).connect()) {
          List<Integer> statuses = new ArrayList<>();
          for (int request = 0; request < 20; request++) {
            statuses.add(client.send(Fleet.get("user")).read().status());
          }
          assertEquals(5, Collections.frequency(statuses, 200), statuses.toString());
          assertEquals(15, Collections.frequency(statuses, 429), statuses.toString());
          assertEquals(5, rig.fleet.rig(i).metric(StoreRig.FALLBACK_ALLOWED));
          passed += Collections.frequency(statuses, 200);
        }
      }
      mend(rig);
      // Together they have let a full budget pass.
      Await.until("charged", () -> rig.charged("user") == 10);
      assertEquals(429, rig.ask("user").status());
    }
  }

  @Test
  void closedRefusesWithoutBlamingTheClientAndAsksNobody() throws Exception {
    try (StoreRig rig = rig("closed", "--limit", "10/365d")) {
      assertEquals(200, rig.ask("user").status());
      breakOff(rig);
      String before = calls("evalsha");
      RawClient.Response response = rig.ask("user");
      assertEquals(503, response.status());
      assertEquals("application/problem+json", response.field("Content-Type"));
      assertTrue(response.body().contains("store_unavailable"), response.body());
      assertNull(response.field("RateLimit"), response.head());
      assertEquals("1", response.field("Retry-After"), response.head());
      assertEquals(19, rig.count(503, 19, "user"));
      assertEquals(before, calls("evalsha"));
      assertEquals(20, rig.metric("weir_store_fallback_refused_total"));
      // The limit has refused nobody, and none of its figures says so.
      assertEquals(0, rig.metric(DECISIONS + "{outcome=\"refused\",rule=\"default\"}"));
      assertEquals(20, rig.metric(DECISIONS + "{outcome=\"store_unavailable\",rule=\"default\"}"));
      mend(rig);
      // What was refused is not charged, and no one replays it.
      assertEquals(9, rig.count(200, 15, "user"));
      assertEquals(10, rig.charged("user"));
      assertEquals(0, rig.metric(CHARGED));
    }
  }

  @Test
  void openLetsEverythingPassAndChargesItOnceWhenTheStoreIsBack() throws Exception {
    try (StoreRig rig = rig("open", "--limit", "100/365d")) {
      assertEquals(3, rig.count(200, 3, "user"));
      assertEquals(1, rig.count(200, 1, "greedy"));
      breakOff(rig);
      assertEquals(40, rig.count(200, 40, "user"));
      assertEquals(250, rig.count(200, 250, "greedy"));
      assertEquals(290, rig.metric(StoreRig.FALLBACK_ALLOWED));
      mend(rig);
      Await.until("charged", () -> rig.charged("user") == 43);
      // No more than a full budget: and so no second burst, and no day without service either.
      Await.until("charged", () -> rig.charged("greedy") == 100);
      assertEquals(57, rig.count(200, 60, "user"));
      assertEquals(0, rig.count(200, 5, "greedy"));
      assertEquals(100, rig.charged("user"));
      assertEquals(100, rig.charged("greedy"));
      assertEquals(0, rig.metric("weir_store_debts_forgotten_total"));
    }
  }

  @Test
  void chargesDebtsBeforeAnybodyElsePasses() throws Exception {
    try (StoreRig rig = rig("open", "--limit", "50/365d", "--redis.deadline", "50ms")) {
      redis.pause(); // the connection stays, and the breaker opens
      assertEquals(60, rig.count(200, 60, "user"));
      redis.resume();
      // All the time somebody asks: the debt must find its way between.
      List<RawClient> clients = rig.fleet.connect(4);
      long passed = 0;
      while (rig.metric(StoreRig.DECIDING) < 1) {
        passed += Collections.frequency(Fleet.atOnce(clients, Fleet.get("user")), 200);
      }
      double before = rig.metric(StoreRig.FALLBACK_ALLOWED);
      List<Integer> after = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        after.addAll(Fleet.atOnce(clients, Fleet.get("user")));
      }
      assertEquals(
          0, Collections.frequency(after, 200) - (rig.metric(StoreRig.FALLBACK_ALLOWED) - before));
      assertEquals(50, rig.charged("user"));
    }
  }

  @Test
  void chargesDebtsThoughSomebodyAlwaysAsks() throws Exception {
    try (StoreRig rig = rig("open", "--limit", "1000/365d")) {
      breakOff(rig);
      for (int i = 0; i < 600; i++) { // more than one call can carry
        assertEquals(200, rig.ask("debtor" + i).status());
      }
      // Replies that are late keep a call in flight, and others gathering behind it, all the time.
      List<Integer> statuses =
          rig.underLoad(
              "busy",
              () -> {
                double before = rig.metric(BATCHES);
                rig.faults.delayReplies(20);
                rig.awaitDeciding();
                Await.until("charged", () -> rig.metric(CHARGED) >= 600);
                double batches = rig.metric(BATCHES) - before;
                assertTrue(batches < 100, batches + " batches"); // three had room for them
                return null;
              });
      assertEquals(statuses.size(), Collections.frequency(statuses, 200));
      for (int i = 0; i < 600; i += 50) {
        assertEquals(1, rig.charged("debtor" + i));
      }
    }
  }

  @Test
  void countsItsPeersAsBeforeWhenTheStoreHasForgottenThem() throws Exception {
    String peers = "weir_store_peers";
    try (RedisServer server = RedisKind.EMBEDDED.start();
        StoreRig rig = new StoreRig(2, server)) {
      for (Rig each : rig.fleet.rigs) {
        each.await(peers, 2);
      }
      server.restart();
      Await.until(
          "both have left a heartbeat",
          () -> {
            assertEquals(4, rig.metric(peers));
            return server.text("ZCARD", "rl:{p000}:peers").equals("2");
          });
      assertEquals(4, rig.metric(peers));
    }
  }

  @Test
  void dryRunLetsAllPassAndChargesARehearsalsBudget() throws Exception {
    try (StoreRig rig = rig("closed", "--limit", "10/365d", "--dry-run", "true")) {
      assertEquals(15, rig.count(200, 15, "user"));
      try (RespClient store = redis.connect()) {
        assertEquals(1, ((List<?>) store.call("KEYS", "rl:*:user:default~")).size());
        assertEquals(0, ((List<?>) store.call("KEYS", "rl:*:user:default")).size());
      }
      breakOff(rig);
      assertEquals(15, rig.count(200, 15, "user"));
      mend(rig);
      assertEquals(10, rig.charged("user"));
    }
  }

  @Test
  void limitsContinueWhenASidecarStartsAnew() throws Exception {
    try (StoreRig rig = rig("closed", "--limit", "10/365d")) {
      assertEquals(7, rig.count(200, 7, "user"));
    }
    String node = Fleet.node(redis);
    try (Fleet fleet =
        new Fleet(1, node, "--limit", "10/365d", "--algorithm", "fixed-window").deciding(1)) {
      try (RawClient client = fleet.rig(0).connect()) {
        for (int i = 0; i < 6; i++) {
          assertEquals(i < 3 ? 200 : 429, client.send(Fleet.get("user")).read().status());
        }
      }
    }
  }

  @Test
  void replaysNothingWhenTheStoreIsBack() throws Exception {
    try (RedisServer server = RedisKind.EMBEDDED.start();
        StoreRig rig =
            new StoreRig(
                server,
                "--on-store-failure",
                "closed",
                "--limit",
                "1000/365d",
                "--redis.deadline",
                "500ms")) {
      rig.faults.blackhole();
      assertEquals(50, rig.count(503, 50, "user"));
      server.restart(); // and what was held is lost with its connection
      mend(rig);
      String next = rig.askDecided("next");
      assertEquals(1, rig.charged(next));
      assertEquals(0, rig.charged("user"));
    }
  }
}
