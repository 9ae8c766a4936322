package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a fleet lets pass when each sidecar keeps units of what the store decides on. */
class LeasedModeIT {
  private static final String BY_HAND = "weir_store_lease_decisions_total{by=\"hand\"}";
  private static final String BY_STORE = "weir_store_lease_decisions_total{by=\"store\"}";

  /** More with {@code -Dweir.rounds=1000}. */
  private static final int ROUNDS = Integer.getInteger("weir.rounds", 10);

  /** Longer with {@code -Dweir.seconds=60}. */
  private static final int SECONDS = Integer.getInteger("weir.seconds", 3);

  private static RedisServer redis;

  @BeforeAll
  static void startRedis() throws Exception {
    redis = RedisKind.EMBEDDED.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

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

  @ParameterizedTest
  @CsvSource({
    "gcra, 2000/1s",
    "fixed-window, 2000/1s",
    "sliding-counter, 2000/1s",
    "sliding-log, 2000/1s",
    "bucket-ring, 2000/1s",
  })
  void neverPassesMoreThanTheLimitOfAHotKeyAndDecidesMostOfItByHand(String algorithm, String limit)
      throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet =
        new Fleet(
                4,
                Fleet.node(redis),
                "--mode",
                "leased",
                "--limit",
                limit,
                "--algorithm",
                algorithm,
                "--table.ring-keys",
                "1000")
            .deciding(1)) {
      LongAdder passed = new LongAdder();
      LongAdder asked = new LongAdder();
      long startNs = System.nanoTime();
      load(fleet, startNs, passed, asked);
      double seconds = (System.nanoTime() - startNs) / 1e9;
      double most = 2000 * (1 + Math.ceil(seconds));
      assertTrue(passed.sum() <= most, passed + " of " + most);
      double byHand = fleet.sum(BY_HAND);
      StoreRig.figure(
          "leased " + algorithm,
          asked
              + " asked, "
              + passed
              + " passed of "
              + Math.round(most)
              + ", by hand "
              + Math.round(byHand)
              + ", by store "
              + fleet.sum(BY_STORE)
              + ", checks "
              + fleet.sum("weir_store_checks_total")
              + ", refunds "
              + fleet.sum("weir_store_refunds_total")
              + ", kept "
              + fleet.sum("weir_store_lease_units_kept_total")
              + ", back "
              + fleet.sum("weir_store_lease_units_given_back_total")
              + ", died "
              + fleet.sum("weir_store_lease_units_died_total"));
      assertTrue(byHand > 0);
    }
  }

  private static void load(Fleet fleet, long startNs, LongAdder passed, LongAdder asked)
      throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> faults = new CopyOnWriteArrayList<>();
    for (RawClient client : fleet.connect(8)) {
      threads.add(
          new Thread(
              () -> {
                try (client) {
                  while (System.nanoTime() - startNs < SECONDS * 1_000_000_000L) {
                    int status = client.send(Fleet.get("hot")).read().status();
                    assertTrue(status == 200 || status == 429, "status " + status);
                    asked.increment();
                    passed.add(status == 200 ? 1 : 0);
                    Thread.sleep(3);
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
    assertEquals(List.of(), faults);
  }
}
