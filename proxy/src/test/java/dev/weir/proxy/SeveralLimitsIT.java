package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a fleet lets pass of requests that several limits must let pass together. */
class SeveralLimitsIT {
  private static final int ROUNDS = 50;
  private static final String REFUNDS = "weir_store_refunds_total";

  private static RedisServer redis;
  private static RedisServer other;

  @BeforeAll
  static void startRedis() throws Exception {
    redis = RedisKind.EMBEDDED.start();
    other = RedisKind.EMBEDDED.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
    other.close();
  }

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
    other.text("FLUSHALL");
  }

  private static String oneServer() {
    return "redis: {nodes: [" + Fleet.node(redis) + "], deadline: 1s}\n";
  }

  private static String shards(String first, String second) {
    return "redis: {nodes: [" + first + ", " + second + "], topology: sharded, deadline: 200ms}\n";
  }

  /**
   * 10 per user and 15 per address, which clients may choose.
   *
   * @param more lines of the rule.
   */
  private static String perUserAndAddress(String... more) {
    return "trusted-proxies: [127.0.0.1]\n"
        + "rules:\n"
        + "  - id: r\n"
        + "    mode: exact\n"
        + "    key: header:x-user\n"
        + String.join("", more)
        + "    limits:\n"
        + "      - {limit: 10/1d, algorithm: fixed-window}\n"
        + "      - {limit: 15/1d, algorithm: fixed-window, key: ip}\n";
  }

  private static String get(String user, String address) {
    return "GET / HTTP/1.1\r\nHost: a\r\nX-User: "
        + user
        + "\r\nX-Forwarded-For: "
        + address
        + "\r\n\r\n";
  }

  /** What an identity was charged, on whichever server it is. */
  private static long charged(String identity, String name) throws Exception {
    long charged = 0;
    for (RedisServer server : List.of(redis, other)) {
      try (RespClient store = server.connect()) {
        for (Object key : (List<?>) store.call("KEYS", "rl:*:" + identity + ":" + name)) {
          ByteBuffer value = ByteBuffer.wrap((byte[]) store.call("GET", RespClient.textOf(key)));
          assertEquals('F', value.get(0));
          charged += (long) value.order(ByteOrder.LITTLE_ENDIAN).getDouble(value.capacity() - 8);
        }
      }
    }
    return charged;
  }

  private static void awaitCharged(String identity, String name, long wanted) throws Exception {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (charged(identity, name) != wanted && System.nanoTime() - deadlineNs < 0) {
      TimeUnit.MILLISECONDS.sleep(2);
    }
    assertEquals(wanted, charged(identity, name), identity);
  }

  private static int passed(List<Integer> statuses) {
    int passed = Collections.frequency(statuses, 200);
    assertEquals(statuses.size(), passed + Collections.frequency(statuses, 429), "" + statuses);
    return passed;
  }

  @Test
  void letsExactlyTheSmallerPassAndChargesNoneForWhatTheOtherRefuses() throws Exception {
    try (Fleet fleet = Fleet.ofFile(4, oneServer() + perUserAndAddress())) {
      List<RawClient> clients = fleet.connect(100);
      for (int round = 0; round < ROUNDS; round++) {
        String address = "10.0.0." + round;
        assertEquals(10, passed(Fleet.atOnce(clients, get("a" + round, address))));
        assertEquals(5, passed(Fleet.atOnce(clients, get("b" + round, address))));
        assertEquals(10, charged("a" + round, "r/fixed-window-1d"));
        assertEquals(5, charged("b" + round, "r/fixed-window-1d"));
        assertEquals(15, charged(address, "r/fixed-window-1d"));
      }
      assertEquals(0, fleet.sum(REFUNDS), "one call reaches them all");
      assertEquals(0, fleet.sum(StoreRig.FALLBACK_ALLOWED));
      close(clients);
    }
  }

  @Test
  void neverLetsMorePassThanAnyLimitAcrossShardsAndChargesNoneForWhatIsRefused() throws Exception {
    String shards = shards(Fleet.node(redis), Fleet.node(other));
    try (Fleet fleet = Fleet.ofFile(4, shards + perUserAndAddress())) {
      List<RawClient> clients = fleet.connect(100);
      List<Integer> atOnce = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        String user = "a" + round;
        String address = "10.0.0." + round;
        int passed = passed(Fleet.atOnce(clients, get(user, address)));
        assertEquals(0, fleet.sum(StoreRig.FALLBACK_ALLOWED), "all were decided in time");
        assertTrue(passed <= 10, "" + passed);
        atOnce.add(passed);
        awaitCharged(user, "r/fixed-window-1d", passed);
        awaitCharged(address, "r/fixed-window-1d", passed);
        // What they refused each other is there for who asks later.
        passed += oneByOne(fleet, user, address, 10 - passed);
        assertEquals(10, passed);
        assertEquals(5, oneByOne(fleet, "b" + round, address, 5));
        assertEquals(0, passed(Fleet.atOnce(clients, get("b" + round, address))));
        awaitCharged(user, "r/fixed-window-1d", 10);
        awaitCharged("b" + round, "r/fixed-window-1d", 5);
        awaitCharged(address, "r/fixed-window-1d", 15);
      }
      System.out.println("passed of 100 at once, limit 10: " + atOnce);
      assertTrue(fleet.sum(REFUNDS) > 0);
      assertEquals(0, fleet.sum("weir_store_refunds_lost_total"));
      assertEquals(0, fleet.sum(StoreRig.FALLBACK_ALLOWED));
      close(clients);
    }
  }

  /** Asks until that many have passed; refusals may last as long as they prove anything. */
  private static int oneByOne(Fleet fleet, String user, String address, int wanted)
      throws Exception {
    int passed = 0;
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    try (RawClient client = fleet.rig(0).connect()) {
      while (passed < wanted && System.nanoTime() - deadlineNs < 0) {
        int status = client.send(get(user, address)).read().status();
        passed += status == 200 ? 1 : 0;
        if (status != 200) {
          TimeUnit.MILLISECONDS.sleep(20);
        }
      }
    }
    return passed;
  }

  private static void close(List<RawClient> clients) throws Exception {
    for (RawClient client : clients) {
      client.close();
    }
  }
}
