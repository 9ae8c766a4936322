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

/** Limits of all requests, over sockets and a real store. */
@Timeout(60)
class EverywhereIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String RULES =
      """
        - {id: a, match: {path: /a}, limit: 3/365d, key: header:x-user-id}
        - {id: b, match: {path: /b}, limit: 99/365d, key: all}
        - {id: open, match: {path: /open}, action: unlimited}
        - {id: health, match: {path: /health}, action: unlimited, everywhere: false}
        - {id: shut, match: {path: /shut}, action: deny}
        - {id: dry, match: {path: /dry}, limit: 2/365d, key: all, dry-run: true}
        - {id: part, match: {path: /part}, limit: 2/365d, key: header:x-user-id, enforce: 1%}
        - {id: some, match: {path: /some}, limit: 99/365d, key: all, everywhere: [other]}
      """;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static String file(String mode, int limit) {
    String store =
        mode.equals("local") ? "" : "redis: {nodes: " + Fleet.node(redis) + ", deadline: 1s}\n";
    return FourWays.SETTINGS
        + store
        + "service: shop\neverywhere:\n  - {name: address, limit: "
        + limit
        + "/365d, algorithm: fixed-window, key: ip, mode: "
        + mode
        + "}\n  - {name: other, limit: 900/365d, key: all}\nrules:\n"
        + RULES.indent(2);
  }

  private static Fleet fleet(int size, String mode, int limit) throws Exception {
    Fleet fleet = Fleet.ofFile(size, file(mode, limit));
    return mode.equals("local") ? fleet : fleet.deciding(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void isOneBudgetWhateverTheRuleAndTheWayToAsk(String mode) throws Exception {
    try (Fleet fleet = fleet(1, mode, 17);
        FourWays ways = new FourWays(fleet.rig(0))) {
      int passed = 0;
      List<String> paths = List.of("/a", "/b", "/open", "/none", "/some/none");
      for (int i = 0; i < 40; i++) {
        String path = paths.get(i % paths.size());
        passed += ways.all().get(i % 4).ask(path, "user-" + i).isEmpty() ? 1 : 0;
      }
      assertEquals(17, passed);
      for (int way = 0; way < 2; way++) {
        assertEquals("address", ways.all().get(way).ask("/open", "ann"));
        assertEquals("address", ways.all().get(way).ask("/none", "ann"));
        assertEquals("", ways.all().get(way).ask("/health", "ann"));
        assertEquals("", ways.all().get(way).ask("/some", "ann"));
        assertEquals("address", ways.all().get(way).ask("/dry", "ann"), "a rehearsal is no way in");
        assertEquals("address", ways.all().get(way).ask("/part", "ann"), "nor is a part of one");
        String shut = ways.all().get(way).ask("/shut", "ann");
        assertTrue(shut.contains("429"), shut);
      }
      assertTrue(
          fleet.rig(0).metric("weir_decisions_total{outcome=\"refused\",rule=\"everywhere\"}") > 0,
          fleet.rig(0).metrics());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exact", "leased"})
  void isOneBudgetOfTheFleetAlsoAcrossAReload(String mode) throws Exception {
    try (Fleet fleet = fleet(2, mode, 17)) {
      List<FourWays.Way> ways = new ArrayList<>();
      List<FourWays> all = List.of(new FourWays(fleet.rig(0)), new FourWays(fleet.rig(1)));
      all.forEach(each -> ways.addAll(each.all()));
      int passed = 0;
      for (int i = 0; i < 48; i++) {
        if (i == 10) {
          String other =
              file(mode, 17)
                  .replace("id: b,", "id: c,")
                  .replace("limit: 900/365d", "limit: 800/365d");
          fleet.rig(0).publish(other.replace("decision: 127.0.0.1:0\n", ""));
        }
        passed += ways.get(i % 8).ask(i % 2 == 0 ? "/b" : "/none", "user-" + i).isEmpty() ? 1 : 0;
      }
      assertEquals(17, passed);
      for (FourWays each : all) {
        each.close();
      }
    }
    try (RespClient store = redis.connect()) {
      List<?> names = (List<?>) store.call("KEYS", "rl:*everywhere*");
      assertEquals(1, names.size(), names.toString());
      String name = RespClient.textOf(names.get(0));
      assertTrue(name.matches("rl:\\{p\\d+}:ip:192.0.2.1:shop:everywhere/address"), name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void chargesNothingThatTheRuleRefuses(String mode) throws Exception {
    try (Fleet fleet = fleet(1, mode, 5);
        FourWays ways = new FourWays(fleet.rig(0))) {
      List<String> answers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        answers.add(ways.all().get(i % 2).ask("/a", "ann"));
      }
      assertEquals(List.of("", "", "", "a", "a", "a"), answers);
      assertEquals("", ways.all().get(0).ask("/none", "ann"));
      assertEquals("", ways.all().get(1).ask("/dry", "ann"));
      assertEquals("address", ways.all().get(0).ask("/a", "bob"));
    }
  }

  @Test
  void aRehearsalOfARuleCountsAndPasses() throws Exception {
    try (Fleet fleet = fleet(1, "exact", 100);
        FourWays ways = new FourWays(fleet.rig(0))) {
      for (int i = 0; i < 6; i++) {
        assertEquals("", ways.all().get(i % 2).ask("/dry", "ann"));
      }
      assertEquals(
          4,
          fleet.rig(0).metric("weir_decisions_total{outcome=\"dry_run_refused\",rule=\"dry\"}"),
          fleet.rig(0).metrics());
    }
  }
}
