package dev.weir.proxy.admission.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.proxy.rig.WeirProcess;
import dev.weir.scripts.server.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is in hand, and what passes, when replies are lost and processes are killed. */
@Timeout(120)
class LeaseFaultsIT {
  private static final String HELD = "weir_store_lease_units_held";
  private static final String ASKS = "weir_store_lease_asks_total";
  private static final String YEAR = "1000/365d";

  private static final RedisServer redis = RedisServer.shared();

  @TempDir private Path folder;

  /** Asks until a sidecar has units in hand; how many have passed. */
  private static int lease(RawClient client, String user, Rig rig) throws Exception {
    int passed = 0;
    while (rig.metric(HELD) == 0) {
      passed += client.send(Fleet.get(user)).read().status() == 200 ? 1 : 0;
      assertTrue(passed < 500, "nothing is kept");
    }
    return passed;
  }

  private static int spend(RawClient client, String user) throws Exception {
    int passed = 0;
    for (int refused = 0; refused < 20; ) {
      int status = client.send(Fleet.get(user)).read().status();
      assertTrue(status == 200 || status == 429, "status " + status);
      passed += status == 200 ? 1 : 0;
      refused = status == 200 ? 0 : refused + 1;
    }
    return passed;
  }

  @Test
  void aLostReplyCostsOneAskAndNeverLetsMorePass() throws Exception {
    try (StoreRig rig =
        new StoreRig(
            redis,
            "--mode",
            "leased",
            "--limit",
            YEAR,
            "--redis.deadline",
            "50ms",
            "--on-store-failure",
            "closed")) {
      Rig sidecar = rig.fleet.rig(0);
      try (RawClient client = sidecar.connect()) {
        int passed = lease(client, "lost", sidecar);
        double asks = asks(rig);
        rig.faults.dropReplies(1);
        while (asks(rig) == asks) { // the reply to that is lost
          passed += client.send(Fleet.get("lost")).read().status() == 200 ? 1 : 0;
        }
        int silent = 0;
        for (int i = 0; i < 2_000 && asks(rig) < asks + 2; i++) {
          silent = client.send(Fleet.get("lost")).read().status() == 200 ? silent : silent + 1;
          passed += silent == 0 ? 1 : 0;
        }
        assertTrue(asks(rig) >= asks + 2, "it asks again");
        assertTrue(rig.charged("lost") >= passed);
      }
    }
  }

  @Test
  void aProcessThatEndsWaitsUntilAllIsBack() throws Exception {
    int users = 20;
    int[] passed = new int[users];
    try (StoreRig rig =
        new StoreRig(redis, "--mode", "leased", "--limit", YEAR, "--redis.deadline", "500ms")) {
      // Each asks for itself, as nothing is kept for who comes now and then; again, as units are
      // given back at the end of their life.
      for (int asked = 0; asked < 20 * users || rig.metric(HELD) <= 5; asked++) {
        int user = asked / 20 % users;
        passed[user] += rig.ask("end" + user).status() == 200 ? 1 : 0;
        assertTrue(asked < 1000 * users, "nothing is kept");
      }
      rig.faults.delayReplies(50);
      rig.fleet.rig(0).sidecar.drain(1);
      for (int user = 0; user < users; user++) {
        assertEquals(passed[user], rig.charged("end" + user));
      }
    }
  }

  private static double asks(StoreRig rig) throws Exception {
    return rig.metric(ASKS + "{kind=\"ahead\"}") + rig.metric(ASKS + "{kind=\"needed\"}");
  }

  @Test
  void aProcessThatIsKilledTakesItsHandWithItAndNoMore() throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet =
        new Fleet(
                1,
                Fleet.node(redis),
                "--mode",
                "leased",
                "--limit",
                YEAR,
                "--algorithm",
                "fixed-window")
            .deciding(1)) {
      int passed = 0;
      try (WeirProcess weir = start(fleet.rig(0));
          RawClient client = weir.connect()) {
        while (passed < 100) {
          passed += client.send(Fleet.get("killed")).read().status() == 200 ? 1 : 0;
        }
      }
      long lost = StoreRig.charged(redis, "killed") - passed;
      try (RawClient client = fleet.rig(0).connect()) {
        passed += spend(client, "killed");
      }
      assertTrue(lost > 0, "it had something in hand");
      assertEquals(1000 - lost, passed);
    }
  }

  private WeirProcess start(Rig beside) throws Exception {
    return WeirProcess.run(
        folder,
        "--upstream=" + beside.origin.url(),
        "--mode=leased",
        "--limit=" + YEAR,
        "--algorithm=fixed-window",
        "--redis.nodes=" + Fleet.node(redis),
        "--redis.deadline=1s",
        "--key=header:x-user");
  }
}
