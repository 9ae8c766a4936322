package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirMain;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is in hand, and what passes, when replies are lost and processes are killed. */
@Timeout(120)
class LeaseFaultsIT {
  private static final String HELD = "weir_store_lease_units_held";
  private static final String ASKS = "weir_store_lease_asks_total";
  private static final String YEAR = "1000/365d";

  private static RedisServer redis;

  @TempDir private Path folder;

  @BeforeAll
  static void startRedis() throws Exception {
    redis = RedisKind.EMBEDDED.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

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
        StoreRig.figure("lease, a reply lost", passed + " passed, charged " + rig.charged("lost"));
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
      for (int i = 0; i < 20 * users; i++) {
        passed[i % users] += rig.ask("end" + i % users).status() == 200 ? 1 : 0;
      }
      assertTrue(rig.metric(HELD) > 5);
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
      Process weir = start(fleet.rig(0));
      try {
        BufferedReader out = weir.inputReader(StandardCharsets.UTF_8);
        Matcher line =
            Pattern.compile("proxying http://127\\.0\\.0\\.1:([0-9]+)").matcher(out.readLine());
        assertTrue(line.find());
        try (RawClient client = new RawClient(address(line.group(1)))) {
          while (passed < 100) {
            passed += client.send(Fleet.get("killed")).read().status() == 200 ? 1 : 0;
          }
        }
      } finally {
        weir.destroyForcibly().waitFor();
      }
      long lost = StoreRig.charged(redis, "killed") - passed;
      try (RawClient client = fleet.rig(0).connect()) {
        passed += spend(client, "killed");
      }
      StoreRig.figure("lease, killed -9", passed + " passed of 1000, lost " + lost);
      assertTrue(lost > 0, "it had something in hand");
      assertEquals(1000 - lost, passed);
    }
  }

  private static InetSocketAddress address(String port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  private Process start(Rig beside) throws Exception {
    List<String> command = new ArrayList<>(JavaCommand.of(WeirMain.class));
    command.addAll(
        List.of(
            "run",
            "--upstream=http://" + beside.origin.address(),
            "--listen=127.0.0.1:0",
            "--admin=off",
            "--event-loops=1",
            "--table.keys=1000",
            "--mode=leased",
            "--limit=" + YEAR,
            "--algorithm=fixed-window",
            "--redis.nodes=" + Fleet.node(redis),
            "--redis.deadline=1s",
            "--key=header:x-user"));
    return new ProcessBuilder(command).redirectError(folder.resolve("err.txt").toFile()).start();
  }
}
