package dev.weir.proxy.store.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FleetLoad;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sidecars on a server that sentinels watch. */
class SentinelIT {
  private static void assertPass(Fleet fleet, int expected, String user) throws Exception {
    List<RawClient> clients = fleet.connect(20);
    List<Integer> statuses = Fleet.atOnce(clients, Fleet.get(user));
    assertEquals(expected, Collections.frequency(statuses, 200), user + ": " + statuses);
    assertEquals(20 - expected, Collections.frequency(statuses, 429), user + ": " + statuses);
    for (RawClient client : clients) {
      client.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void isExactAgainOnceAReplicaWasPromoted(RedisKind kind) throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(kind.binary())) {
      // The first of them is away: another one knows as well.
      sentinels.sentinels().get(0).kill();
      try (Fleet fleet = fleet(2, sentinels, RedisSentinels.MASTER_NAME).deciding(1)) {
        assertPass(fleet, 10, "before");
        sentinels.awaitReplica();
        RedisServer old = sentinels.killMaster();
        sentinels.awaitPromotion(old);
        for (Rig rig : fleet.rigs) {
          Await.until("the promoted server is used", () -> served(rig));
        }
        assertPass(fleet, 0, "before");
        assertPass(fleet, 10, "after");
      }
    }
  }

  /**
   * Sentinels promote a replica without asking the server that it replaces, so for a moment both
   * decide: a budget may be spent twice, and no more.
   */
  @ParameterizedTest
  @EnumSource
  void spendsNoBudgetMoreThanTwiceThroughAFailoverUnderLoad(RedisKind kind) throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(kind.binary());
        Fleet fleet = fleet(4, sentinels, RedisSentinels.MASTER_NAME).deciding(1);
        FleetLoad load = new FleetLoad(fleet, user -> "user" + user)) {
      load.await(30);
      RedisServer old = sentinels.master();
      try (RespClient sentinel = sentinels.sentinels().get(0).connect()) {
        assertEquals("OK", sentinel.text("SENTINEL", "FAILOVER", RedisSentinels.MASTER_NAME));
      }
      sentinels.awaitPromotion(old);
      Await.until(
          "nobody asks the server before",
          () -> !old.text("CLIENT", "LIST").contains("cmd=evalsha"));
      long from = load.awaitExact();
      load.stop();
      Map<Integer, Integer> passed = load.passed();
      assertTrue(passed.keySet().stream().allMatch(times -> times <= 20), passed.toString());
      assertEquals(Set.of(10), load.passed(user -> user >= from).keySet());
    }
  }

  private static void assertToldOnce(LogLines log, String... texts) throws Exception {
    Await.until("told", () -> !log.with(texts).isEmpty());
    assertEquals(1, log.with(texts).size(), log::toString);
  }

  @Test
  void namesAMasterThatNoSentinelKnows() throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisKind.EMBEDDED.binary());
        LogLines log = new LogLines();
        Fleet fleet = fleet(1, sentinels, "mistaken");
        RawClient client = fleet.rig(0).connect()) {
      assertEquals(503, client.send(Fleet.get("user")).read().status());
      assertToldOnce(log, "WARN", "redis.sentinel-master: mistaken", "sentinel 127.0.0.1");
    }
  }

  @Test
  void asksSentinelsThatWantAPassword(@TempDir Path folder) throws Exception {
    Path right = Files.writeString(folder.resolve("right"), "of-the-sentinels\n");
    Path wrong = Files.writeString(folder.resolve("wrong"), "guessed\n");
    String flag = "--redis.sentinel-password-file";
    try (RedisSentinels sentinels =
        RedisSentinels.start(RedisKind.EMBEDDED.binary(), "of-the-sentinels")) {
      try (Fleet fleet =
          fleet(1, sentinels, RedisSentinels.MASTER_NAME, flag, right.toString()).deciding(1)) {
        assertPass(fleet, 10, "known");
      }
      try (LogLines log = new LogLines();
          Fleet fleet = fleet(1, sentinels, RedisSentinels.MASTER_NAME, flag, wrong.toString());
          RawClient client = fleet.rig(0).connect()) {
        assertEquals(503, client.send(Fleet.get("user")).read().status());
        assertToldOnce(log, "WARN", "WRONGPASS");
        assertFalse(log.toString().contains("guessed"), log.toString());
      }
    }
  }

  private static Fleet fleet(int size, RedisSentinels sentinels, String master, String... more)
      throws Exception {
    String nodes = sentinels.sentinels().stream().map(Fleet::node).collect(Collectors.joining(","));
    List<String> flags =
        new ArrayList<>(
            List.of(
                "--redis.topology",
                "sentinel",
                "--redis.sentinel-master",
                master,
                "--limit",
                "10/365d",
                "--on-store-failure",
                "closed"));
    flags.addAll(List.of(more));
    return new Fleet(size, nodes, flags.toArray(String[]::new));
  }

  private static boolean served(Rig rig) throws Exception {
    try (RawClient client = rig.connect()) {
      return client.send(Fleet.get("probe" + System.nanoTime())).read().status() == 200;
    }
  }
}
