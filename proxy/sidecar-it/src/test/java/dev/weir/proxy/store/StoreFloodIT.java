package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What many at once, or many different ones, can do to the store and to the sidecar. */
class StoreFloodIT {
  private static final int CLIENTS = 64;
  private static final int PIPELINED = 25;

  private static final RedisServer redis = RedisServer.shared();

  @Test
  void letsTenOfFiftyThreadsPassThroughTwoSidecars() throws Exception {
    try (StoreRig rig =
        new StoreRig(2, redis, "--limit", "10/365d", "--on-store-failure", "closed")) {
      List<RawClient> clients = rig.fleet.connect(50);
      int rounds = 40;
      for (int round = 0; round < rounds; round++) {
        List<Integer> statuses = Fleet.atOnce(clients, Fleet.get("user" + round));
        assertEquals(10, Collections.frequency(statuses, 200), statuses.toString());
        assertEquals(40, Collections.frequency(statuses, 429), statuses.toString());
        assertEquals(10, rig.charged("user" + round));
      }
    }
  }

  /** Each of so many users asks once; how many passed. */
  private static int flood(Rig rig, int users) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<Integer>> all = new ArrayList<>();
      for (int thread = 0; thread < CLIENTS; thread++) {
        int first = thread;
        Callable<Integer> ask = () -> ask(rig, first, users);
        all.add(threads.submit(ask));
      }
      int passed = 0;
      for (Future<Integer> one : all) {
        passed += one.get();
      }
      return passed;
    } finally {
      threads.shutdownNow();
    }
  }

  private static int ask(Rig rig, int first, int users) throws IOException {
    int passed = 0;
    try (RawClient client = rig.connect()) {
      for (int user = first; user < users; user += CLIENTS * PIPELINED) {
        StringBuilder requests = new StringBuilder();
        int sent = 0;
        for (int i = 0; i < PIPELINED && user + i * CLIENTS < users; i++, sent++) {
          requests.append(Fleet.get("flood" + (user + i * CLIENTS)));
        }
        client.send(requests.toString());
        for (int i = 0; i < sent; i++) {
          passed += client.read().status() == 200 ? 1 : 0;
        }
      }
    }
    return passed;
  }

  /** A service that is quick and keeps nothing. */
  private static void answerUnread(RecordingOrigin.Conversation conversation) throws IOException {
    int matched = 0;
    while (matched < 4) {
      int b = conversation.read();
      matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
    }
    conversation.send(RecordingOrigin.OK);
  }

  private static long usedHeapBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void aFloodOfKeysExpiresFillsNoHeapAndGivesNobodyAFreshBudget() throws Exception {
    try (StoreRig rig =
        new StoreRig(redis, "--limit", "3/365d", "--cost", "3", "--on-store-failure", "closed")) {
      Rig sidecar = rig.fleet.rig(0);
      sidecar.origin.script(StoreFloodIT::answerUnread);
      assertEquals(1, rig.count(200, 5, "victim"));
      flood(sidecar, 2_000);
      final long heapBefore = usedHeapBytes();
      int users = 20_000; // more than there are proofs of refusals
      assertEquals(users - 2_000, flood(sidecar, users));
      long heapMore = usedHeapBytes() - heapBefore;
      assertEquals(0, rig.count(200, 5, "victim"));
      assertEquals(0, keysWithoutTtl());
      assertTrue(heapMore < 4 << 20, heapMore + " bytes of heap more");
    }
  }

  /** And all keys there are start as ours do. */
  private static long keysWithoutTtl() throws IOException {
    try (RespClient store = redis.connect()) {
      Object count =
          store.call(
              "EVAL",
              "local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do"
                  + " if redis.call('PTTL', key) < 0 or string.sub(key, 1, 5) ~= 'rl:{p' then"
                  + " n = n + 1 end end return n",
              "0");
      return (Long) count;
    }
  }

  @Test
  void remembersNoMoreDebtsThanItHasRoomForAndCountsTheRest() throws Exception {
    try (StoreRig rig = new StoreRig(redis, "--limit", "3/365d", "--on-store-failure", "open")) {
      Rig sidecar = rig.fleet.rig(0);
      sidecar.origin.script(StoreFloodIT::answerUnread);
      rig.faults.refuse();
      sidecar.await(StoreRig.DECIDING, 0);
      int users = 6_000;
      assertEquals(users, flood(sidecar, users));
      rig.faults.pass();
      rig.awaitDeciding();
      sidecar.await("weir_store_debts_charged_total", 4096);
      assertEquals(users - 4096, rig.metric("weir_store_debts_forgotten_total"));
    }
  }

  @Test
  void queuesNoMoreThanItHasRoomForBehindAServerThatHangs() throws Exception {
    try (StoreRig rig =
        new StoreRig(
            redis,
            "--limit",
            "3/365d",
            "--on-store-failure",
            "closed",
            "--redis.deadline",
            "200ms")) {
      Rig sidecar = rig.fleet.rig(0);
      sidecar.origin.script(StoreFloodIT::answerUnread);
      flood(sidecar, 2_000);
      long heapBefore = usedHeapBytes();
      redis.pause();
      int users = 20_000;
      assertEquals(0, flood(sidecar, users));
      long heapMore = usedHeapBytes() - heapBefore;
      redis.resume();
      rig.awaitDeciding();
      assertTrue(heapMore < 32 << 20, heapMore + " bytes of heap more");
      rig.assertExact(3, "later");
    }
  }
}
