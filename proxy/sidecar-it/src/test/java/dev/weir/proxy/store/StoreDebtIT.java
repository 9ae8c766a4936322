package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What passed while the store was away comes back with time, as the budget would have. */
class StoreDebtIT {
  private static final String CHARGED = "weir_store_debts_charged_total";
  private static final long WINDOW_US = 3_000_000;
  private static final String USER = "user";

  private static final RedisServer redis = RedisServer.shared();

  private static long nowUs() throws Exception {
    try (RespClient client = redis.connect()) {
      List<?> time = (List<?>) client.call("TIME");
      return Long.parseLong(RespClient.textOf(time.get(0))) * 1_000_000
          + Long.parseLong(RespClient.textOf(time.get(1)));
    }
  }

  /** A sidecar that owes nothing: each attempt has one of its own. */
  private static StoreRig start() throws Exception {
    return new StoreRig(redis, "--limit", "10/3s", "--on-store-failure", "open");
  }

  private static void breakOff(StoreRig rig) throws Exception {
    rig.faults.refuse();
    rig.fleet.rig(0).await(StoreRig.DECIDING, 0);
  }

  private static long window() throws Exception {
    return nowUs() / WINDOW_US;
  }

  /**
   * Waits for a sixth of a window, from 0. None is asked for in the first and the last one: a
   * sidecar's time and the server's may differ by as long as the machine lets either wait.
   */
  private static void awaitPart(int sixth) {
    Await.until("sixth " + sixth, () -> nowUs() % WINDOW_US * 6 / WINDOW_US == sixth);
  }

  /**
   * Ten ask once the user's debt has been sent; how many passed. Less than 0 if the window was over
   * by then, as on a machine that is too busy.
   */
  private static int passedAfter(StoreRig rig, int owed, long window) throws Exception {
    rig.faults.pass();
    Await.until("charged", () -> rig.metric(CHARGED) >= owed || window() > window);
    int passed = rig.count(200, 10, USER);
    return window() > window ? -1 : passed;
  }

  @Test
  void aWindowIsNotChargedForWhatPassedBeforeItBegan() throws Exception {
    int passed = -1;
    for (int attempt = 0; passed < 0; attempt++) {
      assertTrue(attempt < 5, "the machine is too busy");
      try (StoreRig rig = start()) {
        breakOff(rig);
        // In the last part of a window, so that the debt is young when the next one begins.
        awaitPart(4);
        long window = window();
        assertEquals(10, rig.count(200, 10, USER));
        boolean isOfOneWindow = window() == window;
        Await.until("the next window", () -> window() > window);
        passed = isOfOneWindow ? passedAfter(rig, 10, window + 1) : -1;
      }
    }
    assertEquals(10, passed);
  }

  @Test
  void theSameWindowIsChargedForWhatPassedInIt() throws Exception {
    int passed = -1;
    for (int attempt = 0; passed < 0; attempt++) {
      assertTrue(attempt < 5, "the machine is too busy");
      try (StoreRig rig = start()) {
        breakOff(rig);
        awaitPart(1);
        long window = window();
        assertEquals(6, rig.count(200, 6, USER));
        passed = passedAfter(rig, 6, window);
      }
    }
    assertEquals(4, passed);
  }

  @Test
  void aMeterIsChargedForWhatHasNotDrainedMeanwhile() throws Exception {
    long unitNs = 100_000_000;
    try (StoreRig rig =
        new StoreRig(
            redis,
            "--algorithm",
            "gcra",
            "--limit",
            "600/1m",
            "--burst",
            "40",
            "--on-store-failure",
            "open")) {
      breakOff(rig);
      long beforeNs = System.nanoTime();
      assertEquals(40, rig.count(200, 40, "user"));
      long passedNs = System.nanoTime();
      Await.until("a quarter has drained", () -> System.nanoTime() - passedNs > 10 * unitNs);
      rig.faults.pass();
      Await.until("charged", () -> rig.metric(CHARGED) > 0);
      int passed = 0;
      long leastNs = System.nanoTime() - passedNs;
      while (rig.ask("user").status() == 200) {
        passed++;
      }
      long mostNs = System.nanoTime() - beforeNs;
      assertTrue(
          passed >= Math.min(40, leastNs / unitNs - 1) && passed <= mostNs / unitNs + 1,
          passed + " passed " + leastNs + " to " + mostNs + " ns after a full budget");
      assertTrue(rig.metric(CHARGED) <= 31);
    }
  }
}
