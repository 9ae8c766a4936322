package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    return "redis: {nodes: [" + first + ", " + second + "], topology: sharded, deadline: 1s}\n";
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
        + "      - {limit: 10/365d, algorithm: fixed-window}\n"
        + "      - {limit: 15/365d, algorithm: fixed-window, key: ip}\n";
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
          charged += (long) value.order(ByteOrder.LITTLE_ENDIAN).getDouble(25);
        }
      }
    }
    return charged;
  }

  private static void awaitCharged(String identity, String name, long wanted) throws Exception {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
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
    try (Fleet fleet = Fleet.ofFile(4, oneServer() + perUserAndAddress()).deciding(1)) {
      List<RawClient> clients = fleet.connect(100);
      for (int round = 0; round < ROUNDS; round++) {
        String address = "10.0.0." + round;
        assertEquals(
            10, passed(Fleet.atOnce(clients, get("a" + round, address))), fleet::undecided);
        assertEquals(5, passed(Fleet.atOnce(clients, get("b" + round, address))), fleet::undecided);
        assertEquals(10, charged("a" + round, "r/fixed-window-365d"));
        assertEquals(5, charged("b" + round, "r/fixed-window-365d"));
        assertEquals(15, charged(address, "r/fixed-window-365d"));
      }
      assertEquals(0, fleet.sum(REFUNDS), "one call reaches them all");
      assertEquals(0, fleet.sum(StoreRig.FALLBACK_ALLOWED));
      close(clients);
    }
  }

  /** Several users at a time: each time, what is refused is asked for again for half a second. */
  @Test
  void isAsExactAcrossShardsAndGivesBackWhatAnotherRefuses() throws Exception {
    String shards = shards(Fleet.node(redis), Fleet.node(other));
    int users = 25;
    try (Fleet fleet = Fleet.ofFile(4, shards + perUserAndAddress()).deciding(2);
        Fleet another = Fleet.ofFile(1, shards + perUserAndAddress()).deciding(2)) {
      List<RawClient> clients = fleet.connect(100 * users);
      for (int first = 0; first < ROUNDS; first += users) {
        int from = first;
        // In turn of a hundred, so each user is asked for at every sidecar.
        IntFunction<String> a = i -> get("a" + (from + i / 100), "10.0.0." + (from + i / 100));
        IntFunction<String> b = i -> get("b" + (from + i / 100), "10.0.0." + (from + i / 100));
        List<Integer> statuses = Fleet.atOnce(clients, a);
        for (int i = 0; i < users; i++) {
          String user = "a" + (from + i);
          List<Integer> its = statuses.subList(100 * i, 100 * (i + 1));
          assertEquals(10, passed(its), () -> user + ": " + fleet.undecided());
          awaitCharged(user, "r/fixed-window-365d", 10);
          awaitCharged("10.0.0." + (from + i), "r/fixed-window-365d", 10);
        }
        for (int round = first; round < first + users; round++) {
          // What has been refused is asked for again once, which takes seconds, then elsewhere.
          Fleet next = round == 0 ? fleet : another;
          assertEquals(5, oneByOne(next, "b" + round, "10.0.0." + round, 5));
        }
        assertEquals(0, passed(Fleet.atOnce(clients, b)), fleet::undecided);
        for (int round = first; round < first + users; round++) {
          awaitCharged("b" + round, "r/fixed-window-365d", 5);
          awaitCharged("10.0.0." + round, "r/fixed-window-365d", 15);
        }
      }
      assertTrue(fleet.sum(REFUNDS) > 0);
      assertEquals(0, fleet.sum("weir_store_refunds_lost_total"));
      assertEquals(0, fleet.sum(StoreRig.FALLBACK_ALLOWED));
      close(clients);
    }
  }

  /** A user and an address whose budgets are on different servers, the user's on the first. */
  private static String[] apart(Fleet fleet) throws Exception {
    for (int i = 0; i < 200; i++) {
      String user = "apart" + i;
      String address = "10.1.0." + i;
      assertEquals(1, oneByOne(fleet, user, address, 1));
      if (has(redis, user) && has(other, address)) {
        return new String[] {user, address};
      }
    }
    throw new AssertionError("all on one server");
  }

  private static boolean has(RedisServer server, String identity) throws Exception {
    try (RespClient store = server.connect()) {
      return !((List<?>) store.call("KEYS", "rl:*:" + identity + ":*")).isEmpty();
    }
  }

  private static int status(Fleet fleet, String[] who) throws Exception {
    try (RawClient client = fleet.rig(0).connect()) {
      return client.send(get(who[0], who[1])).read().status();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"open", "closed", "local-share"})
  void chargesOnAServerThatDecidesOnlyWhatPassesThoughTheOtherIsAway(String policy)
      throws Exception {
    FaultProxy faults = new FaultProxy(other.port());
    String shards = shards(Fleet.node(redis), "127.0.0.1:" + faults.port());
    String rules = perUserAndAddress("    on-store-failure: " + policy + "\n");
    try (Fleet fleet = Fleet.ofFile(1, shards + rules)) {
      fleet.rig(0).await(StoreRig.DECIDING, 2);
      String[] who = apart(fleet);
      faults.refuse();
      fleet.rig(0).await(StoreRig.DECIDING, 1);
      int passed = 1;
      for (int i = 0; i < 4; i++) {
        int status = status(fleet, who);
        assertEquals(policy.equals("closed") ? 503 : 200, status);
        passed += status == 200 ? 1 : 0;
      }
      // Nobody waits for what is charged here and given back, so both may take a moment.
      int givenBack = 1 + 4 - passed;
      Await.until("what was given back", () -> fleet.sum(REFUNDS) == givenBack);
      awaitCharged(who[0], "r/fixed-window-365d", passed);
      assertEquals(1, charged(who[1], "r/fixed-window-365d"));
      faults.pass();
      fleet.rig(0).await(StoreRig.DECIDING, 2);
      awaitCharged(who[1], "r/fixed-window-365d", passed);
      assertEquals(passed, charged(who[0], "r/fixed-window-365d"));
      double debts = passed - 1;
      Await.until("the debts' answers", () -> fleet.sum("weir_store_debts_charged_total") == debts);
    } finally {
      faults.close();
    }
  }

  @Test
  void decidesAllOfALocalShareWhileTheStoreIsAway() throws Exception {
    FaultProxy faults = new FaultProxy(redis.port());
    String node = "redis: {nodes: [127.0.0.1:" + faults.port() + "], deadline: 1s}\n";
    try (Fleet fleet = Fleet.ofFile(1, node + perUserAndAddress())) {
      fleet.rig(0).await(StoreRig.DECIDING, 1);
      faults.refuse();
      fleet.rig(0).await(StoreRig.DECIDING, 0);
      int[] passed = new int[3];
      for (int i = 0; i < 60; i++) {
        passed[i % 3] += status(fleet, new String[] {"s" + i % 3, "10.2.0.1"}) == 200 ? 1 : 0;
      }
      assertEquals(List.of(5, 5, 5), List.of(passed[0], passed[1], passed[2]));
      faults.pass();
      fleet.rig(0).await(StoreRig.DECIDING, 1);
      awaitCharged("10.2.0.1", "r/fixed-window-365d", 15);
      awaitCharged("s0", "r/fixed-window-365d", 5);
    } finally {
      faults.close();
    }
  }

  @Test
  void limitsOfOneKeyAreOneCheckAndWindowsOfACalendarAreTheServersOwn() throws Exception {
    String rules =
        """
        rules:
          - id: r
            mode: exact
            key: header:x-user
            limits:
              - {limit: 10/1d, algorithm: fixed-window, align: day, time-zone: Asia/Tokyo}
              - {limit: 7/1month, algorithm: fixed-window}
              - {limit: 100/1h}
        """;
    try (Fleet fleet = Fleet.ofFile(4, oneServer() + rules).deciding(1)) {
      List<RawClient> clients = fleet.connect(40);
      for (int round = 0; round < 10; round++) {
        assertEquals(7, passed(Fleet.atOnce(clients, Fleet.get("user" + round))), fleet::undecided);
      }
      try (RespClient store = redis.connect()) {
        TreeSet<String> names = new TreeSet<>();
        for (Object key : (List<?>) store.call("KEYS", "rl:*:user3:*")) {
          names.add(RespClient.textOf(key).replaceFirst("^rl:\\{p[0-9]{3}}:", ""));
        }
        assertEquals(
            "[header.x-user:user3:r/fixed-window-1d, header.x-user:user3:r/fixed-window-1month,"
                + " header.x-user:user3:r/gcra-1h]",
            names.toString());
      }
      try (RawClient client = fleet.rig(0).connect()) {
        RawClient.Response first = client.send(Fleet.get("fresh")).read();
        assertEquals("\"r-1month\";q=7;w=2678400", first.field("RateLimit-Policy"));
        assertTrue(first.field("RateLimit").startsWith("\"r-1month\";r=6;t="), first.head());
      }
      close(clients);
    }
  }

  /** Asks until that many have passed; refusals may last as long as they prove anything. */
  private static int oneByOne(Fleet fleet, String user, String address, int wanted)
      throws Exception {
    int passed = 0;
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
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
