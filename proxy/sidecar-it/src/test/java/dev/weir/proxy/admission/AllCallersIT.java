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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One budget of all callers: {@code key: all}. */
@Timeout(60)
class AllCallersIT {
  private static final RedisServer redis = RedisServer.shared();

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static Fleet fleet(int size, String mode, String limits) throws Exception {
    String store =
        mode.equals("local") ? "" : "redis: {nodes: " + Fleet.node(redis) + ", deadline: 1s}\n";
    Fleet fleet =
        Fleet.ofFile(
            size,
            FourWays.SETTINGS
                + store
                + "service: shop\n"
                + "rules:\n  - id: r\n    mode: "
                + mode
                + "\n    limits:\n"
                + limits);
    return mode.equals("local") ? fleet : fleet.deciding(1);
  }

  private static String limit(int count) {
    return "      - {limit: " + count + "/365d, algorithm: fixed-window, key: all}\n";
  }

  /** Asks as a new user each time, in each way in turn; how many requests pass. */
  private static int passing(Fleet fleet, int requests) throws Exception {
    List<FourWays.Way> ways = new ArrayList<>();
    List<FourWays> all = new ArrayList<>();
    for (int i = 0; i < fleet.rigs.size(); i++) {
      all.add(new FourWays(fleet.rig(i)));
      ways.addAll(all.get(i).all());
    }
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      passed += ways.get(i % ways.size()).ask("/p" + i, "user-" + i).isEmpty() ? 1 : 0;
    }
    for (FourWays each : all) {
      each.close();
    }
    return passed;
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void isOneBudgetForEveryUserPathAndWayToAsk(String mode) throws Exception {
    try (Fleet fleet = fleet(1, mode, limit(11))) {
      assertEquals(11, passing(fleet, 24));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exact", "leased"})
  void isOneBudgetOfTheFleet(String mode) throws Exception {
    try (Fleet fleet = fleet(2, mode, limit(11))) {
      assertEquals(11, passing(fleet, 24));
    }
    try (RespClient store = redis.connect()) {
      List<?> names = (List<?>) store.call("KEYS", "rl:*:all:*");
      assertEquals(1, names.size());
      String name = RespClient.textOf(names.get(0));
      assertTrue(name.matches("rl:\\{p\\d+}:all:r:shop:r"), name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void isChargedOnlyForWhatTheLimitOfAUserLetsPass(String mode) throws Exception {
    String user = "      - {limit: 2/365d, key: header:x-user-id, algorithm: fixed-window}\n";
    try (Fleet fleet = fleet(1, mode, limit(7) + user);
        FourWays ways = new FourWays(fleet.rig(0))) {
      List<String> answers = new ArrayList<>();
      for (String by : List.of("ann", "ann", "ann", "bob", "bob", "cid", "cid", "dan", "dan")) {
        answers.add(ways.all().get(0).ask("/", by));
      }
      assertEquals(
          List.of("", "", "r-365d-header.x-user-id", "", "", "", "", "", "r-365d-all"), answers);
    }
  }

  @Test
  void isThatOfItsRuleOnly() throws Exception {
    try (Fleet fleet =
            Fleet.ofFile(
                1,
                FourWays.SETTINGS
                    + "rules:\n"
                    + "  - {id: a, match: {path: /a}, limit: 1/365d, key: all}\n"
                    + "  - {id: b, match: {path: /b}, limit: 1/365d, key: all}\n");
        FourWays ways = new FourWays(fleet.rig(0))) {
      assertEquals("", ways.all().get(0).ask("/a", "ann"));
      assertEquals("", ways.all().get(1).ask("/b", "bob"));
      assertEquals("a", ways.all().get(1).ask("/a", "bob"));
      assertEquals("limit of 1", ways.all().get(3).ask("/b", "cid"));
    }
  }
}
