package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
    String file =
        FourWays.SETTINGS
            + "redis: {nodes: "
            + Fleet.node(redis)
            + ", deadline: 1s}\n"
            + "users: {identity: 'header:x-user-id', tiers: [free, premium],"
            + " tier-from: ['header:x-plan']}\nservice: shop\nrules:\n  - {id: r, mode: "
            + mode
            + ", key: 'header:x-user-id', "
            + limit
            + "}\n";
    return Fleet.ofFile(2, file).deciding(1);
  }

  private static int passed(List<FourWays> fleet, String plan, int requests) throws Exception {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      FourWays sidecar = fleet.get(i % fleet.size()).plan(plan);
      passed += sidecar.all().get(i / 2 % 4).ask("/p" + i, "ann").isEmpty() ? 1 : 0;
    }
    return passed;
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
    String limit = "limit: 10/365d, algorithm: " + algorithm + ", tiers: {premium: 100/365d}";
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
