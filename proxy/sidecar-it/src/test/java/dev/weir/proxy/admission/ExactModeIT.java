package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a fleet lets pass when one store decides for it. */
class ExactModeIT {
  /** More with {@code -Dweir.rounds=1000}. */
  private static final int ROUNDS = Integer.getInteger("weir.rounds", 20);

  /** Longer with {@code -Dweir.seconds=60}. */
  private static final int SECONDS = Integer.getInteger("weir.seconds", 2);

  /** Between two requests of a client: without it, clients take what the fleet could have. */
  private static final long PAUSE_NS = 1_000_000;

  private static final RedisServer redis = RedisServer.shared();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gcra",
        "token-bucket",
        "leaky-bucket",
        "fixed-window",
        "sliding-log",
        "sliding-counter",
        "bucket-ring"
      })
  void letsExactlyTenOfAHundredRequestsPassThroughFourSidecars(String algorithm) throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet =
        new Fleet(4, Fleet.node(redis), "--limit", "10/365d", "--algorithm", algorithm)
            .deciding(1)) {
      List<RawClient> clients = fleet.connect(100);
      for (int round = 0; round < ROUNDS; round++) {
        List<Integer> statuses = Fleet.atOnce(clients, Fleet.get("user" + round));
        assertEquals(10, Collections.frequency(statuses, 200), statuses.toString());
        assertEquals(90, Collections.frequency(statuses, 429), statuses.toString());
      }
      assertEquals(0, fleet.sum("weir_store_fallback_allowed_total"));
      // Those that came together were asked about together, or refused by an answer known already.
      double requests = fleet.sum("weir_store_requests_total");
      assertTrue(requests + fleet.sum("weir_store_refused_by_proof_total") >= 100.0 * ROUNDS);
      assertTrue(fleet.sum("weir_store_checks_total") < requests);
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  /** One user in three requests is the first; a few have most of the others. */
  private static int zipf(Random random) {
    return (int) Math.pow(1000, random.nextDouble() * random.nextDouble()) - 1;
  }

  @Test
  void neverPassesMoreThanTheLimitOverATimeWithAHotKeyAndOthers() throws Exception {
    redis.text("FLUSHALL");
    int limitPerSecond = 50;
    try (Fleet fleet =
        new Fleet(2, Fleet.node(redis), "--limit", limitPerSecond + "/1s").deciding(1)) {
      LongAdder[] passed = Stream.generate(LongAdder::new).limit(1000).toArray(LongAdder[]::new);
      Queue<Long> firstAskedNs = new ConcurrentLinkedQueue<>();
      List<RawClient> clients = fleet.connect(16);
      long startNs = System.nanoTime();
      List<Thread> threads = new ArrayList<>();
      List<Throwable> faults = new CopyOnWriteArrayList<>();
      for (RawClient client : clients) {
        Random random = new Random(threads.size());
        threads.add(
            new Thread(
                () -> {
                  try (client) {
                    while (System.nanoTime() - startNs < SECONDS * 1_000_000_000L) {
                      int user = zipf(random);
                      if (user == 0) {
                        firstAskedNs.add(System.nanoTime());
                      }
                      int status = client.send(Fleet.get("zipf" + user)).read().status();
                      assertTrue(status == 200 || status == 429, "status " + status);
                      passed[user].add(status == 200 ? 1 : 0);
                      LockSupport.parkNanos(PAUSE_NS);
                    }
                  } catch (Exception | AssertionError fault) {
                    faults.add(fault);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      double seconds = (System.nanoTime() - startNs) / 1e9;
      assertEquals(List.of(), faults);
      double most = limitPerSecond * (1 + seconds);
      for (int user = 0; user < passed.length; user++) {
        assertTrue(
            passed[user].sum() <= most, "user " + user + ": " + passed[user] + " of " + most);
      }
      // The first is asked for all the time, and gets nearly all that there is.
      int likely = metered(limitPerSecond, firstAskedNs);
      assertTrue(passed[0].sum() > likely / 2, passed[0] + " of " + likely);
    }
  }

  /**
   * How many of a user's requests a meter of the limit lets pass. On a busy machine nobody may ask
   * for a while, and what is not asked for cannot pass.
   *
   * @param askedNs when each was sent, in any order.
   */
  private static int metered(int limitPerSecond, Collection<Long> askedNs) {
    List<Long> inOrder = askedNs.stream().sorted().toList();
    double units = limitPerSecond;
    int passed = 0;
    for (int i = 0; i < inOrder.size(); i++) {
      double seconds = i == 0 ? 0 : (inOrder.get(i) - inOrder.get(i - 1)) / 1e9;
      units = Math.min(limitPerSecond, units + seconds * limitPerSecond);
      if (units >= 1) {
        units--;
        passed++;
      }
    }
    return passed;
  }

  @Test
  void namesKeysByPartitionSourceIdentityAndRule() throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet = new Fleet(1, Fleet.node(redis), "--limit", "10/365d").deciding(1)) {
      try (RawClient client = fleet.rig(0).connect()) {
        assertEquals(200, client.send(Fleet.get("al:ice {x}")).read().status());
        try (RespClient store = redis.connect()) {
          List<?> keys = (List<?>) store.call("KEYS", "rl:*x-user*");
          assertEquals(1, keys.size());
          String key = RespClient.textOf(keys.get(0));
          assertTrue(
              key.matches("rl:\\{p[01][0-9]{2}}:header\\.x-user:al%3Aice%20%7Bx%7D:default"), key);
          assertTrue(Long.parseLong(store.text("PTTL", key).substring(1)) > 0);
        }
      }
    }
  }

  @Test
  void asksAgainAfterABudgetWasGivenBackByHand() throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet = new Fleet(2, Fleet.node(redis), "--limit", "1/365d").deciding(1)) {
      List<RawClient> clients = fleet.connect(2);
      Fleet.atOnce(clients, Fleet.get("alice"));
      assertEquals(List.of(429, 429), Fleet.atOnce(clients, Fleet.get("alice")));
      assertTrue(fleet.sum("weir_store_refused_by_proof_total") > 0);
      try (RespClient store = redis.connect()) {
        List<?> keys = (List<?>) store.call("KEYS", "rl:*:alice:default");
        store.call("DEL", RespClient.textOf(keys.get(0)));
        Await.until(
            "both listen",
            () -> store.call("PUBSUB", "NUMSUB", "rl:reset").toString().endsWith(", 2]"));
        assertEquals("2", store.text("PUBLISH", "rl:reset", "alice"));
      }
      Await.until("one passes", () -> Fleet.atOnce(clients, Fleet.get("alice")).contains(200));
      for (RawClient client : clients) {
        client.close();
      }
    }
  }
}
