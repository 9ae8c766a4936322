package dev.weir.proxy.store.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisCluster;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Four sidecars on a Redis Cluster of three masters and three replicas. */
class ClusterIT {
  private static final String UNDECIDED = "weir_store_fallback_refused_total";

  /** So long a start waits for its store: if all four took no longer, none gave up. */
  private static final long START_WAITS_NS = 2_000_000_000L;

  private RedisCluster cluster;
  private Fleet fleet;

  private void start(RedisKind kind) throws Exception {
    cluster = RedisCluster.start(kind.binary());
    long startNs = System.nanoTime();
    fleet =
        new Fleet(
            4,
            Fleet.node(cluster.nodes().get(0)),
            "--redis.topology",
            "cluster",
            "--limit",
            "10/365d",
            "--algorithm",
            "fixed-window",
            "--on-store-failure",
            "closed");
    if (System.nanoTime() - startNs < START_WAITS_NS) {
      assertEquals(4 * 3, fleet.sum(StoreRig.DECIDING), "connections when the start returns");
    }
    fleet.deciding(3);
  }

  @AfterEach
  void stop() throws Exception {
    if (fleet != null) {
      fleet.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private int slotOf(String user) throws Exception {
    try (RawClient client = fleet.rig(0).connect()) {
      assertEquals(200, client.send(Fleet.get(user)).read().status());
    }
    for (RedisServer node : cluster.nodes()) {
      if (node.isRunning()) {
        try (RespClient store = node.connect()) {
          List<?> keys = (List<?>) store.call("KEYS", "rl:*:" + user + ":default");
          if (!keys.isEmpty()) {
            return cluster.slotOf(RespClient.textOf(keys.get(0)));
          }
        }
      }
    }
    throw new AssertionError("no key of " + user);
  }

  /** Sends 20 requests at once through all sidecars: so many pass, and all others are refused. */
  private void assertPass(int expected, String user) throws Exception {
    List<RawClient> clients = fleet.connect(20);
    List<Integer> statuses = Fleet.atOnce(clients, Fleet.get(user));
    assertEquals(expected, Collections.frequency(statuses, 200), user + ": " + statuses);
    assertEquals(
        20 - expected,
        Collections.frequency(statuses, 429),
        () -> user + ": " + statuses + fleet.undecided());
    for (RawClient client : clients) {
      client.close();
    }
  }

  /** One cluster for all claims: it takes longer to form than to try. */
  @ParameterizedTest
  @EnumSource
  void isExactWhileSlotsMoveOrGoUnseenAndOnceReplicasHaveTakenOver(RedisKind kind)
      throws Exception {
    start(kind);
    isExactWhileSlotsMove();
    asksTheOwnerOfASlotThatTheOthersHaveLostSightOf();
    isExactAgainAfterAReplicaHasTakenOver(kind);
  }

  private void isExactWhileSlotsMove() throws Exception {
    for (int i = 0; i < 30; i++) {
      assertPass(10, "spread" + i);
    }
    final int slot = slotOf("mover");
    final RedisServer from = cluster.masterOf(slot);
    RedisServer other =
        cluster.nodes().get(0) == from ? cluster.nodes().get(1) : cluster.nodes().get(0);
    cluster.migrate(slot, other, false);
    // Its key is on the other side already, and the old owner says so: ASK.
    assertPass(9, "mover");
    assertTrue(fleet.sum("weir_store_resent_total") > 0);
    cluster.migrate(slot, other, true);
    assertPass(0, "mover");
    for (int i = 30; i < 60; i++) {
      assertPass(10, "spread" + i);
    }
    assertEquals(0, fleet.sum(UNDECIDED));
  }

  /** As it is for a moment in a failover: most maps have a gap there. */
  private void asksTheOwnerOfASlotThatTheOthersHaveLostSightOf() throws Exception {
    String slot = Integer.toString(slotOf("unseen"));
    List<RedisServer> masters = new ArrayList<>(cluster.nodes().subList(0, 3));
    masters.remove(cluster.masterOf(Integer.parseInt(slot)));
    try (RawClient client = fleet.rig(0).connect();
        RespClient one = masters.get(0).connect();
        RespClient other = masters.get(1).connect()) {
      for (int i = 0; i < 20; i++) {
        // They soon hear of it again. Until then they are down, and so the map is read anew.
        one.call("CLUSTER", "DELSLOTS", slot);
        other.call("CLUSTER", "DELSLOTS", slot);
        client.send(Fleet.get("spread" + i)).read();
        assertEquals(
            i < 9 ? 200 : 429, client.send(Fleet.get("unseen")).read().status(), fleet::undecided);
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    cluster.awaitOk();
  }

  private void isExactAgainAfterAReplicaHasTakenOver(RedisKind kind) throws Exception {
    final int slot = slotOf("planned");
    cluster.failover(slot);
    fleet.deciding(3);
    assertPass(9, "planned");
    final int killed = slotOf("killed");
    // What the replica has received will count still.
    final RedisServer replica = cluster.replicaOf(killed);
    try (RespClient store = replica.connect()) {
      Await.until(
          "the replica has it",
          () -> !((List<?>) store.call("KEYS", "rl:*:killed:default")).isEmpty());
    }
    final RedisServer old = cluster.killMasterOf(killed);
    cluster.awaitOk();
    fleet.deciding(3);
    assertPass(9, "killed");
    for (int i = 0; i < 20; i++) {
      assertPass(10, "after" + i);
    }
    assertTrue(!old.isRunning());
  }
}
