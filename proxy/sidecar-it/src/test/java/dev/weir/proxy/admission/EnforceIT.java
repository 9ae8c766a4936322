package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules whose refusals take effect for a part of the identities, over sockets. */
@Timeout(60)
class EnforceIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final int USERS = 40;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static Fleet fleet(String mode) throws Exception {
    String store =
        mode.equals("local") ? "" : "redis: {nodes: " + Fleet.node(redis) + ", deadline: 1s}\n";
    String rule = "  - {id: r, limit: 1/365d, algorithm: fixed-window, key: header:x-user-id, ";
    Fleet fleet =
        Fleet.ofFile(
            2, FourWays.SETTINGS + store + "rules:\n" + rule + "enforce: 50%, mode: " + mode + "}");
    return mode.equals("local") ? fleet : fleet.deciding(1);
  }

  /** The users of whose requests some are refused. */
  private static Set<Integer> refused(FourWays.Way way) throws Exception {
    Set<Integer> refused = new TreeSet<>();
    for (int user = 0; user < USERS; user++) {
      if (!way.ask("/", "user-" + user).isEmpty()) {
        refused.add(user);
      }
    }
    return refused;
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void refusesTheSameUsersOnEachSidecarInEachWay(String mode) throws Exception {
    try (Fleet fleet = fleet(mode);
        FourWays one = new FourWays(fleet.rig(0));
        FourWays other = new FourWays(fleet.rig(1))) {
      assertEquals(Set.of(), refused(one.all().get(0)));
      if (mode.equals("local")) {
        assertEquals(Set.of(), refused(other.all().get(0)));
      }
      Set<Integer> refused = refused(one.all().get(0));
      assertTrue(refused.size() > 10 && refused.size() < 30, refused.toString());
      for (FourWays.Way way : one.all()) {
        assertEquals(refused, refused(way));
      }
      for (FourWays.Way way : other.all()) {
        assertEquals(refused, refused(way));
      }
      String passed = "{outcome=\"dry_run_refused\",rule=\"r\"}";
      // A proxy's check by HTTP is a check too.
      assertEquals(
          5 * (USERS - refused.size()), fleet.sum("weir_decisions_total" + passed), "requests");
      assertEquals(
          4 * (USERS - refused.size()), fleet.sum("weir_decision_checks_total" + passed), "checks");
    }
  }

  private static String ofSentinels(RedisSentinels sentinels, String part) {
    String nodes = String.join(", ", sentinels.sentinels().stream().map(Fleet::node).toList());
    String rule = "key: header:x-user-id, mode: exact, algorithm: fixed-window, limit: ";
    return FourWays.SETTINGS
        + "redis: {topology: sentinel, sentinel-master: weir, deadline: 1s, nodes: ["
        + nodes
        + "]}\nrules:\n  - {id: r, "
        + rule
        + "1/365d, on-store-failure: open, enforce: "
        + part
        + "}\n  - {id: probe, match: {path: /probe}, "
        + rule
        + "9k/365d, on-store-failure: closed}\n";
  }

  @Test
  void refusesTheSameUsersAfterAReloadAndAFailover() throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisKind.EMBEDDED.binary());
        Fleet fleet = Fleet.ofFile(2, ofSentinels(sentinels, "50%")).deciding(1);
        FourWays one = new FourWays(fleet.rig(0));
        FourWays other = new FourWays(fleet.rig(1))) {
      assertEquals(Set.of(), refused(one.all().get(0)));
      Set<Integer> refused = refused(other.all().get(0));
      assertTrue(refused.size() > 10 && refused.size() < 30, refused.toString());
      fleet.rig(0).publish(ofSentinels(sentinels, "100%"));
      assertEquals(USERS, refused(one.all().get(1)).size());
      assertEquals(refused, refused(other.all().get(1)));
      fleet.rig(0).publish(ofSentinels(sentinels, "50%"));
      sentinels.awaitReplica();
      sentinels.awaitPromotion(sentinels.killMaster());
      for (FourWays ways : List.of(one, other)) {
        FourWays.Way probe = ways.all().get(0);
        Await.until("the promoted server is used", () -> probe.ask("/probe", "ann").isEmpty());
        for (FourWays.Way way : ways.all()) {
          assertEquals(refused, refused(way));
        }
      }
    }
  }
}
