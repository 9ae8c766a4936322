package dev.weir.proxy.admission.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two sidecars keep units, a server fails when its replica has all that was charged, and the rules
 * change before, meanwhile and after: no budget lets more pass than its limit. Windows are a day
 * and longer: nothing comes back meanwhile.
 */
@Timeout(120)
class LeasedFailoverIT {
  private static final int LIMIT = 120;
  private static final int USERS = 2;
  private static final List<String> ALGORITHMS = List.of("gcra", "fixed-window", "sliding-log");

  private final int[][] passed = new int[ALGORITHMS.size()][USERS];

  /** A window of one of the algorithms in a version of the file. */
  private static String limits(String algorithm, int version) {
    String by = ", algorithm: " + algorithm;
    return switch (version) {
      case 0 -> "limit: " + LIMIT + "/1d" + by;
      case 1 -> "limits: [{limit: " + LIMIT + "/1d" + by + "}, {limit: 900/7d}]";
      default -> "limits: [{limit: " + LIMIT + "/1d, algorithm: sliding-counter}, {limit: 900/7d}]";
    };
  }

  private static String file(String store, int version) {
    StringBuilder file = new StringBuilder("redis: {deadline: 250ms, " + store + "}\nrules:\n");
    for (String algorithm : ALGORITHMS) {
      file.append("  - {id: ").append(algorithm).append(", match: {path: /").append(algorithm);
      file.append("}, mode: leased, key: header:x-user, on-store-failure: closed, ");
      file.append(limits(algorithm, version)).append("}\n");
    }
    return file.toString();
  }

  private static int status(RawClient client, String path, String user) throws IOException {
    String request = "GET /" + path + " HTTP/1.1\r\nHost: a\r\nX-User: " + user + "\r\n\r\n";
    return client.send(request).read().status();
  }

  /** Each user of each rule asks so often at each of the sidecars. */
  private void ask(List<RawClient> clients, int times) throws IOException {
    for (int algorithm = 0; algorithm < passed.length; algorithm++) {
      for (int user = 0; user < USERS; user++) {
        for (int asked = 0; asked < times; asked++) {
          for (RawClient client : clients) {
            int status = status(client, ALGORITHMS.get(algorithm), "user" + user);
            passed[algorithm][user] += status == 200 ? 1 : 0;
          }
        }
      }
    }
  }

  @Test
  void noneIsOverThroughAFailover() throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisKind.EMBEDDED.binary())) {
      String nodes =
          sentinels.sentinels().stream()
              .map(node -> '"' + Fleet.node(node) + '"')
              .collect(Collectors.joining(", "));
      String master = "topology: sentinel, sentinel-master: " + RedisSentinels.MASTER_NAME;
      String store = "nodes: [" + nodes + "], " + master;
      try (Fleet fleet = Fleet.ofFile(2, file(store, 0)).deciding(1)) {
        List<RawClient> clients = fleet.connect(2);
        ask(clients, 20);
        assertTrue(fleet.sum("weir_store_lease_units_kept_total") > 0, "nothing was kept");
        fleet.rig(0).publish(file(store, 1));
        ask(clients, 3);
        sentinels.awaitReplica();
        RedisServer old = sentinels.killMaster();
        ask(clients, 2);
        sentinels.awaitPromotion(old);
        fleet.rig(1).publish(file(store, 1));
        fleet.deciding(1);
        ask(clients, 2);
        fleet.rig(0).publish(file(store, 2));
        ask(clients, 50);
        for (RawClient client : clients) {
          client.close();
        }
      }
    }
    List<String> wrong = new ArrayList<>();
    for (int algorithm = 0; algorithm < passed.length; algorithm++) {
      for (int user = 0; user < USERS; user++) {
        int count = passed[algorithm][user];
        if (count > LIMIT || count < LIMIT / 2) {
          wrong.add(ALGORITHMS.get(algorithm) + " " + user + ": " + count);
        }
      }
    }
    assertEquals(List.of(), wrong);
  }
}
