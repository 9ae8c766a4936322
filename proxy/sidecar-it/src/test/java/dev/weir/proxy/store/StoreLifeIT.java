package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LeakRecorder;
import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of decisions in flight when the client, or the sidecar, goes away. */
class StoreLifeIT {
  private static final String DROPPED = "weir_verdicts_dropped_total";

  private static final RedisServer redis = RedisServer.shared();

  /** So many clients whose requests await a decision. */
  private static List<RawClient> waiting(Fleet fleet, int count, String user) throws Exception {
    List<RawClient> clients = fleet.connect(count);
    for (RawClient client : clients) {
      client.send(Fleet.get(user));
    }
    Await.until("asked", () -> fleet.sum("weir_requests_in_flight") == count);
    return clients;
  }

  @Test
  void dropsTheVerdictOfAClientThatHasGoneAndLeaksNothing() throws Exception {
    try (StoreRig rig = new StoreRig(redis, "--limit", "1000/365d", "--on-store-failure", "open")) {
      for (int round = 0; round < 3; round++) {
        double before = rig.metric(DROPPED);
        rig.faults.blackhole();
        for (RawClient client : waiting(rig.fleet, 20, "gone" + round)) {
          client.reset();
        }
        rig.fleet.rig(0).await("weir_connections_open", 1); // the rig's own
        rig.faults.pass();
        rig.fleet.rig(0).await(DROPPED, before + 20);
        assertEquals(0, rig.fleet.rig(0).origin.requestCount());
        // All of them had been asked for, or none would have been decided.
        assertTrue(rig.charged("gone" + round) <= 20);
        assertEquals(200, rig.ask("stays" + round).status());
        assertEquals(1, rig.charged("stays" + round));
        rig.fleet.rig(0).origin.nextRequest();
      }
      assertEquals(0, rig.metric(StoreRig.FALLBACK_ALLOWED));
      assertEquals(0, rig.metric("weir_store_debts_charged_total"));
    }
    LeakRecorder.assertNone();
  }

  @Test
  void answersWhatIsInFlightBeforeItStops() throws Exception {
    try (StoreRig rig =
            new StoreRig(redis, "--limit", "1000/365d", "--on-store-failure", "closed");
        RawClient idle = rig.fleet.rig(0).connect()) {
      assertEquals(200, idle.send(Fleet.get("user")).read().status());
      rig.faults.blackhole();
      List<RawClient> clients = waiting(rig.fleet, 10, "user");
      CompletableFuture<Boolean> drained =
          CompletableFuture.supplyAsync(
              () -> rig.fleet.rig(0).sidecar.drain(TimeUnit.SECONDS.toNanos(60)));
      assertEquals("", idle.readToEnd(), "it is stopping");
      rig.faults.pass();
      List<Integer> statuses = new ArrayList<>();
      for (RawClient client : clients) {
        statuses.add(client.read().status());
        client.close();
      }
      assertTrue(drained.get());
      assertEquals(10, Collections.frequency(statuses, 200), statuses.toString());
      assertEquals(11, rig.charged("user"));
    }
  }

  @Test
  void stopsAtOnceThoughItsStoreHangsAndLeavesNoThread() throws Exception {
    long stoppedMs;
    try (LogLines log = new LogLines()) {
      try (FaultProxy faults = new FaultProxy(redis.port())) {
        List<RawClient> clients;
        long startNs;
        try (Fleet fleet = new Fleet(1, "127.0.0.1:" + faults.port())) {
          faults.blackhole();
          clients = waiting(fleet, 20, "user");
          startNs = System.nanoTime();
        }
        stoppedMs = (System.nanoTime() - startNs) / 1_000_000;
        for (RawClient client : clients) {
          assertEquals("", client.readToEndOrReset());
          client.close();
        }
      }
      assertEquals(List.of(), log.with("ERROR"));
    }
    assertTrue(stoppedMs < 20_000, stoppedMs + " ms");
    Await.until("no thread of a store", () -> storeThreads() == 0);
    LeakRecorder.assertNone();
  }

  private static long storeThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weir-store"))
        .count();
  }
}
