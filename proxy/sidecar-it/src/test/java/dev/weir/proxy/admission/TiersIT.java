package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiers where the store decides. */
@Timeout(60)
class TiersIT {
  private static final RedisServer redis = RedisServer.shared();

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static Fleet fleet(String mode, String limit) throws Exception {
    return Fleet.ofFile(2, file(mode, limit)).deciding(1);
  }

  private static String file(String mode, String limit) {
    return FourWays.SETTINGS
        + "redis: {nodes: "
        + Fleet.node(redis)
        + ", deadline: 1s}\n"
        + "users: {identity: 'header:x-user-id', tiers: [free, premium],"
        + " tier-from: ['header:x-plan']}\nservice: shop\nrules:\n  - {id: r, mode: "
        + mode
        + ", key: 'header:x-user-id', "
        + limit
        + "}\n";
  }

  private static int passed(List<FourWays> fleet, String plan, int requests) throws Exception {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      FourWays sidecar = fleet.get(i % fleet.size()).plan(plan);
      passed += sidecar.all().get(i / 2 % 4).ask("/p" + i, "ann").isEmpty() ? 1 : 0;
    }
    return passed;
  }

  @ParameterizedTest
  @CsvSource({"exact", "leased"})
  void plansThatChangeAndAReloadInTheMiddleAdmitNoMoreThanTheLargest(String mode) throws Exception {
    try (Fleet fleet = fleet(mode, "limit: 10/30d, tiers: {premium: 60/30d}")) {
      List<FourWays> ways = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        ways.add(new FourWays(fleet.rig(i)));
      }
      int passed = 0;
      for (int i = 0; i < 60; i++) {
        passed += passed(ways, i % 2 == 0 ? "premium" : "free", 4);
        if (i == 9) {
          String file = file(mode, "limit: 12/30d, tiers: {premium: 80/30d}");
          fleet.rig(0).publish(file.replace("decision: 127.0.0.1:0\n", ""));
        }
      }
      boolean isDropped = mode.equals("leased"); // what is in hand when the plan changes
      assertTrue(passed <= 80 && (passed == 80 || isDropped && passed > 40), "" + passed);
      for (FourWays each : ways) {
        each.close();
      }
    }
  }

  /** Example 1 of the design: what was used stays used, whichever plan it was used under. */
  @ParameterizedTest
  @CsvSource({
    "exact, gcra",
    "leased, gcra",
    "exact, fixed-window",
    "exact, sliding-log",
    "leased, fixed-window"
  })
  void anotherTierLeavesWhatWasUsed(String mode, String algorithm) throws Exception {
    String limit = "limit: 10/30d, algorithm: " + algorithm + ", tiers: {premium: 100/30d}";
    try (Fleet fleet = fleet(mode, limit)) {
      List<FourWays> ways = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        ways.add(new FourWays(fleet.rig(i)));
      }
      assertEquals(10, passed(ways, "", 15));
      assertEquals(90, passed(ways, "premium", 100));
      assertEquals(0, passed(ways, "free", 4));
      assertEquals(0, passed(ways, "premium", 4));
      for (FourWays each : ways) {
        each.close();
      }
      try (RespClient store = redis.connect()) {
        assertEquals(1, ((List<?>) store.call("KEYS", "rl:*ann*")).size(), "one budget");
      }
    }
  }
}
