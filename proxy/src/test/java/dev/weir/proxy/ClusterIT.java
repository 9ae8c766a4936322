package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RedisBinary;
import dev.weir.scripts.server.RedisCluster;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ClusterIT {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = RedisCluster.start(RedisBinary.embedded());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void letsExactlyTenPassForEachOfManyUsers() throws Exception {
    String oneNode = Fleet.node(cluster.nodes().get(0));
    try (Fleet fleet = new Fleet(4, oneNode, "--redis.topology", "cluster", "--limit", "10/1h")) {
      assertEquals(4 * 3, fleet.sum("weir_store_connections_deciding"));
      List<RawClient> clients = fleet.connect(40);
      for (int user = 0; user < 60; user++) {
        List<Integer> statuses = Fleet.atOnce(clients, Fleet.get("user" + user));
        assertEquals(10, Collections.frequency(statuses, 200), statuses.toString());
      }
      assertEquals(0, fleet.sum("weir_store_fallback_allowed_total"));
      assertTrue(fleet.sum("weir_store_resent_total") >= 0);
      for (RawClient client : clients) {
        client.close();
      }
    }
  }
}
