package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two sidecars on a server that sentinels watch. */
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
      String nodes =
          sentinels.sentinels().stream().map(Fleet::node).collect(Collectors.joining(","));
      try (Fleet fleet =
          new Fleet(
              2,
              nodes,
              "--redis.topology",
              "sentinel",
              "--redis.sentinel-master",
              RedisSentinels.MASTER_NAME,
              "--limit",
              "10/1d",
              "--on-store-failure",
              "closed")) {
        assertPass(fleet, 10, "before");
        RedisServer old = sentinels.killMaster();
        long startNs = System.nanoTime();
        sentinels.awaitPromotion(old);
        for (Rig rig : fleet.rigs) {
          StoreRig.await("the promoted server is used", () -> served(rig));
        }
        StoreRig.figure(
            "120",
            kind
                + ", sentinel: decides again "
                + (System.nanoTime() - startNs) / 1_000_000
                + " ms after the kill");
        assertPass(fleet, 0, "before");
        assertPass(fleet, 10, "after");
      }
    }
  }

  private static boolean served(Rig rig) throws Exception {
    try (RawClient client = rig.connect()) {
      return client.send(Fleet.get("probe" + System.nanoTime())).read().status() == 200;
    }
  }
}
