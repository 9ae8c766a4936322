package dev.weir.proxy.admission.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a fleet lets pass when each sidecar keeps units of what the store decides on. */
class LeasedModeIT {
  private static final String BY_HAND = "weir_store_lease_decisions_total{by=\"hand\"}";
  private static final String BY_STORE = "weir_store_lease_decisions_total{by=\"store\"}";

  private static final String HELD = "weir_store_lease_units_held";

  /** More with {@code -Dweir.rounds=1000}. */
  private static final int ROUNDS = Integer.getInteger("weir.rounds", 10);

  /** Longer with {@code -Dweir.seconds=60}. */
  private static final int SECONDS = Integer.getInteger("weir.seconds", 1);

  /** Several times a limit of a second. */
  private static final int LEAST_REQUESTS = 1_500;

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
  void letsExactlyTenOfFiftyRequestsAtOncePassThroughFourSidecars(String algorithm)
      throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet =
        new Fleet(
                4,
                Fleet.node(redis),
                "--mode",
                "leased",
                "--limit",
                "10/365d",
                "--algorithm",
                algorithm)
            .deciding(1)) {
      List<RawClient> clients = fleet.connect(50);
      for (int round = 0; round < ROUNDS; round++) {
        List<Integer> statuses = Fleet.atOnce(clients, Fleet.get("user" + round));
        assertEquals(10, Collections.frequency(statuses, 200), statuses.toString());
        assertEquals(40, Collections.frequency(statuses, 429), statuses.toString());
      }
      assertEquals(0, fleet.sum("weir_store_fallback_allowed_total"));
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  /**
   * @param spanMs any so many milliseconds, in which at most {@code most} may pass: of a paced
   *     limit all at once and what comes back meanwhile, of windows one on either side of an edge.
   */
  @ParameterizedTest
  @CsvSource({
    "gcra, 1000, 1000",
    "gcra, 200, 600",
    "fixed-window, 1000, 1000",
    "sliding-log, 1000, 500",
    "bucket-ring, 900, 500",
  })
  void neverPassesMoreThanTheLimitOfAHotKey(String algorithm, int spanMs, int most)
      throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet = leased(4, "500/1s", algorithm)) {
      List<long[]> passed = load(fleet, "hot", 1); // of them all several times the limit
      passed.sort(Comparator.comparingLong(times -> times[0]));
      int worst = 0;
      for (int first = 0; first < passed.size(); first++) {
        long endNs = passed.get(first)[0] + spanMs * 1_000_000L;
        int count = 0;
        for (int i = first; i < passed.size() && passed.get(i)[0] < endNs; i++) {
          count += passed.get(i)[1] <= endNs ? 1 : 0;
        }
        worst = Math.max(worst, count);
      }
      assertTrue(worst <= most, worst + " of " + most);
      assertTrue(passed.size() > 500 * SECONDS / 2, "passed: " + passed.size());
    }
  }

  /** Lives of two seconds: a busy machine's round trips are short beside them. */
  @Test
  void decidesMostOfABusyKeyByHand() throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet = leased(4, "1000000/1h", "gcra")) {
      load(fleet, "busy", 2);
      double byHand = fleet.sum(BY_HAND);
      assertTrue(byHand > 0.9 * (byHand + fleet.sum(BY_STORE)), "by hand: " + byHand);
    }
  }

  @Test
  void loseNothingWhenTheyEnd() throws Exception {
    redis.text("FLUSHALL");
    int passed;
    try (Fleet fleet = leased(2, "100000/365d", "fixed-window")) {
      passed = load(fleet, "leaver", 2).size();
      assertTrue(fleet.sum(HELD) > 0);
    }
    assertEquals(passed, StoreRig.charged(redis, "leaver"));
  }

  private static Fleet leased(int size, String limit, String algorithm) throws Exception {
    return new Fleet(
            size,
            Fleet.node(redis),
            "--mode",
            "leased",
            "--limit",
            limit,
            "--algorithm",
            algorithm,
            "--table.ring-keys",
            "1000")
        .deciding(1);
  }

  /**
   * Eight clients ask without end, and on a busy machine until they have asked often enough; when
   * each request that passed was sent, and answered.
   */
  private static List<long[]> load(Fleet fleet, String user, int pauseMs) throws Exception {
    long endNs = System.nanoTime() + SECONDS * 1_000_000_000L;
    AtomicInteger asked = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> faults = new CopyOnWriteArrayList<>();
    List<long[]> passed = new ArrayList<>();
    for (RawClient client : fleet.connect(8)) {
      threads.add(
          new Thread(
              () -> {
                List<long[]> own = new ArrayList<>();
                try (client) {
                  while (System.nanoTime() < endNs || asked.get() < LEAST_REQUESTS) {
                    asked.incrementAndGet();
                    long sentNs = System.nanoTime();
                    int status = client.send(Fleet.get(user)).read().status();
                    assertTrue(status == 200 || status == 429, "status " + status);
                    if (status == 200) {
                      own.add(new long[] {sentNs, System.nanoTime()});
                    }
                    Thread.sleep(pauseMs);
                  }
                } catch (Exception | AssertionError fault) {
                  faults.add(fault);
                }
                synchronized (passed) {
                  passed.addAll(own);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), faults);
    return passed;
  }
}
