package dev.weir.scripts.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RedisClusterIT {
  /** One cluster for all claims: it takes longer to form than to try. */
  @ParameterizedTest
  @EnumSource
  void servesMigratesAndFailsOver(RedisKind kind) throws Exception {
    final Consumer<RedisServer.Builder> passwordOnOne =
        options -> {
          if (kind == RedisKind.INSTALLED) {
            options.password("secret");
          }
        };
    try (RedisCluster cluster = RedisCluster.start(kind.binary(), passwordOnOne)) {
      servesEverySlotByThreeMasters(cluster);
      answersAskWhileASlotMoves(cluster);
      movesTheRestOfASlot(cluster);
      failsOverInAgreementAndKeepsTheKeys(cluster);
      promotesTheReplicaOfAKilledMaster(cluster);
    }
  }

  private static void servesEverySlotByThreeMasters(RedisCluster cluster) throws Exception {
    final Set<RedisServer> masters = new HashSet<>();
    for (int slot : new int[] {0, 5460, 5461, 10922, 10923, 16383}) {
      masters.add(cluster.masterOf(slot));
      assertNotSame(cluster.masterOf(slot), cluster.replicaOf(slot));
    }
    assertEquals(Set.copyOf(cluster.nodes().subList(0, 3)), masters);
    assertEquals(12_182, cluster.slotOf("foo"));
    assertThrows(IllegalArgumentException.class, () -> cluster.masterOf(16_384));
  }

  private static void answersAskWhileASlotMoves(RedisCluster cluster) throws Exception {
    final int slot = cluster.slotOf("{p}");
    final RedisServer from = cluster.masterOf(slot);
    final RedisServer to = other(cluster, from);
    try (RespClient client = from.connect()) {
      for (int i = 0; i < 250; i++) {
        client.text("SET", "{p}" + i, "v" + i);
      }
      cluster.migrate(slot, to, false);
      assertSame(from, cluster.masterOf(slot));
      assertEquals(
          new RespError("ASK " + slot + " 127.0.0.1:" + to.port()), client.call("GET", "{p}7"));
    }
    try (RespClient client = to.connect()) {
      assertEquals(
          new RespError("MOVED " + slot + " 127.0.0.1:" + from.port()), client.call("GET", "{p}7"));
      client.text("ASKING");
      assertEquals("v7", client.text("GET", "{p}7"));
    }
  }

  private static void movesTheRestOfASlot(RedisCluster cluster) throws Exception {
    final int slot = cluster.slotOf("{p}");
    final RedisServer from = cluster.masterOf(slot);
    final RedisServer to = other(cluster, from);
    cluster.migrate(slot, to, true);
    assertSame(to, cluster.masterOf(slot));
    assertEquals("250", to.text("CLUSTER", "COUNTKEYSINSLOT", "" + slot));
    try (RespClient client = from.connect()) {
      assertEquals(
          new RespError("MOVED " + slot + " 127.0.0.1:" + to.port()), client.call("GET", "{p}7"));
    }
    cluster.awaitOk();
  }

  private static void failsOverInAgreementAndKeepsTheKeys(RedisCluster cluster) throws Exception {
    final int slot = cluster.slotOf("{p}");
    final RedisServer before = cluster.masterOf(slot);
    final RedisServer after = cluster.failover(slot);
    assertNotSame(before, after);
    assertSame(after, cluster.masterOf(slot));
    assertSame(before, cluster.replicaOf(slot));
    assertEquals("v9", after.text("GET", "{p}9"));
  }

  private static void promotesTheReplicaOfAKilledMaster(RedisCluster cluster) throws Exception {
    final RedisServer replica = cluster.replicaOf(0);
    final RedisServer killed = cluster.killMasterOf(0);
    cluster.awaitOk();
    assertSame(replica, cluster.masterOf(0));
    killed.restart();
    cluster.awaitOk();
    assertSame(replica, cluster.masterOf(0));
    assertTrue(killed.text("INFO", "replication").contains("role:slave"));
  }

  private static RedisServer other(RedisCluster cluster, RedisServer than) {
    final RedisServer first = cluster.masterOf(0);
    return first == than ? cluster.masterOf(RedisCluster.SLOT_COUNT - 1) : first;
  }
}
