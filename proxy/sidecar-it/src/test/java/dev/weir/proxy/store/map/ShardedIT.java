package dev.weir.proxy.store.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FleetLoad;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sidecars on three servers that know nothing of each other, the first with a weight of three. */
class ShardedIT {
  private static final int USERS = 200;

  private final List<RedisServer> servers = new ArrayList<>();

  @BeforeEach
  void startServers() throws Exception {
    for (int i = 0; i < 3; i++) {
      servers.add(RedisKind.EMBEDDED.start());
    }
  }

  @AfterEach
  void stopServers() {
    servers.forEach(RedisServer::close);
  }

  private Fleet fleet(int size, String nodes, String... flags) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--redis.topology",
                "sharded",
                "--limit",
                "10/365d",
                "--on-store-failure",
                "closed"));
    all.addAll(List.of(flags));
    return new Fleet(size, nodes, all.toArray(String[]::new));
  }

  private String nodes() {
    return Fleet.node(servers.get(0))
        + "*3,"
        + servers.stream().skip(1).map(Fleet::node).collect(Collectors.joining(","));
  }

  private static String userOf(String key) {
    return key.split(":")[3];
  }

  /** By user, the server that has the key; fails if two have it. */
  private Map<String, RedisServer> owners() throws Exception {
    Map<String, RedisServer> owners = new HashMap<>();
    for (RedisServer server : servers) {
      try (RespClient client = server.connect()) {
        for (Object key : (List<?>) client.call("KEYS", "rl:*:header.x-user:*")) {
          assertEquals(
              null, owners.put(userOf(RespClient.textOf(key)), server), "on two servers: " + key);
        }
      }
    }
    return owners;
  }

  @Test
  void keepsEachKeyOnOneServerByItsWeightWhicheverSidecarIsAsked() throws Exception {
    String turned = servers.stream().skip(1).map(Fleet::node).collect(Collectors.joining(","));
    try (Fleet fleet = fleet(2, nodes()).deciding(3);
        // The same servers in another order: nobody has to name them alike.
        Fleet other = fleet(1, turned + "," + Fleet.node(servers.get(0)) + "*3").deciding(3)) {
      List<RawClient> clients = fleet.connect(16);
      clients.addAll(other.connect(8));
      for (int i = 0; i < USERS; i++) {
        List<Integer> statuses = Fleet.atOnce(clients, Fleet.get("user" + i));
        assertEquals(10, Collections.frequency(statuses, 200), statuses.toString());
        assertEquals(14, Collections.frequency(statuses, 429), statuses.toString());
      }
      Map<String, RedisServer> owners = owners();
      assertEquals(USERS, owners.size());
      Map<RedisServer, Set<Integer>> partitions = new HashMap<>();
      owners.forEach(
          (user, server) ->
              partitions
                  .computeIfAbsent(server, of -> new HashSet<>())
                  .add(FleetLoad.partition(user)));
      assertEquals(3, partitions.size());
      for (RedisServer light : servers.subList(1, 3)) {
        assertTrue(partitions.get(servers.get(0)).size() > partitions.get(light).size());
      }
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  private List<Integer> counts(Map<RedisServer, Set<Integer>> partitions) {
    return servers.stream().map(server -> partitions.get(server).size()).toList();
  }

  @Test
  void losesOnlyTheKeysOfAServerThatHasNoAddress() throws Exception {
    String named = nodes() + ",nowhere.invalid:6379";
    try (LogLines log = new LogLines();
        Fleet fleet = fleet(1, named).deciding(3);
        RawClient client = fleet.rig(0).connect()) {
      int decided = 0;
      for (int partition = 0; partition < Partitions.COUNT; partition++) {
        String user = FleetLoad.userOf(partition, 1);
        int status = client.send(Fleet.get(user)).read().status();
        assertTrue(status == 200 || status == 503, user + ": " + status);
        decided += status == 200 ? 1 : 0;
      }
      assertTrue(decided >= 96 && decided < 128, decided + " of 128");
      assertEquals(3, fleet.rig(0).metric("weir_store_servers"));
      Await.until("a warning", () -> !log.with("WARN", "nowhere.invalid:6379").isEmpty());
    }
  }

  @Test
  void losesOnlyTheKeysOfAServerThatIsKilled() throws Exception {
    try (Fleet fleet = fleet(2, nodes()).deciding(3);
        RawClient client = fleet.rig(0).connect()) {
      for (int i = 0; i < USERS; i++) {
        assertEquals(200, client.send(Fleet.get("user" + i)).read().status());
      }
      Map<String, RedisServer> owners = owners();
      RedisServer dead = servers.get(1);
      dead.kill();
      fleet.rig(0).await("weir_store_connections_failing", 1);
      for (Map.Entry<String, RedisServer> owner : owners.entrySet()) {
        int status = client.send(Fleet.get(owner.getKey())).read().status();
        assertEquals(owner.getValue() == dead ? 503 : 200, status, owner.getKey());
      }
      dead.restart();
      fleet.rig(0).await("weir_store_connections_deciding", 3);
      for (int i = 0; i < USERS; i++) {
        assertEquals(200, client.send(Fleet.get("user" + i)).read().status());
      }
    }
  }
}
