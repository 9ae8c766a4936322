package dev.weir.proxy.admission.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisCluster;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Refusals in mode leased, of windows that are long: each ends when its cause does. */
@Timeout(120)
class LeasedRefusalIT {
  private static final int LIMIT = 60;
  private static final String HELD = "weir_store_lease_units_held";
  private static final List<RedisServer> SERVERS = new ArrayList<>();

  @BeforeAll
  static void startServers() throws Exception {
    for (int i = 0; i < 2; i++) {
      SERVERS.add(RedisKind.EMBEDDED.start());
    }
  }

  @AfterAll
  static void stopServers() {
    SERVERS.forEach(RedisServer::close);
  }

  @BeforeEach
  void empty() throws Exception {
    for (RedisServer server : SERVERS) {
      server.text("FLUSHALL");
    }
  }

  private static Fleet fleet(int size, String redis, String limits) throws Exception {
    return Fleet.ofFile(
        size,
        "redis: {"
            + redis
            + "}\nrules:\n  - {id: all, mode: leased,"
            + " on-store-failure: closed, limits: ["
            + limits
            + "]}\n");
  }

  private static String oneServer() {
    return "deadline: 1s, nodes: [\"" + Fleet.node(SERVERS.get(0)) + "\"]";
  }

  /** The deadline is short, as what one server refuses is asked for again for half of it. */
  private static String several(String topology, RedisServer... nodes) {
    String names = Stream.of(nodes).map(Fleet::node).collect(Collectors.joining("\", \""));
    return "deadline: 250ms, topology: " + topology + ", nodes: [\"" + names + "\"]";
  }

  private static String limit(String header, String limit, String algorithm) {
    return "{limit: " + limit + ", algorithm: " + algorithm + ", key: header:" + header + "}";
  }

  private static String shortLived(String limit, String algorithm) {
    return limit("x-user", limit, algorithm).replace("{", "{lease-life: 400ms, ");
  }

  private static RawClient.Response ask(RawClient client, String user, String group)
      throws IOException {
    return client
        .send("GET / HTTP/1.1\r\nHost: a\r\nx-user: " + user + "\r\nx-group: " + group + "\r\n\r\n")
        .read();
  }

  private static int passed(RawClient client, int requests, String user, String group)
      throws IOException {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      passed += ask(client, user, group).status() == 200 ? 1 : 0;
    }
    return passed;
  }

  /** One sidecar keeps units that nobody uses: they are another's when their life is over. */
  @ParameterizedTest
  @ValueSource(strings = {"1h, gcra", "1d, sliding-counter", "1d, fixed-window"})
  void endsWhenUnitsComeBackThoughTheWindowIsLong(String window) throws Exception {
    String[] of = window.split(", ");
    String limits = shortLived(LIMIT + "/" + of[0], of[1]);
    try (Fleet fleet = fleet(2, oneServer(), limits).deciding(1);
        RawClient busy = fleet.rig(0).connect();
        RawClient other = fleet.rig(1).connect()) {
      int passed = passed(busy, 20, "u", "g");
      assertEquals(20, passed);
      for (; passed < 40 && fleet.rig(0).metric(HELD) == 0; passed++) {
        assertEquals(200, ask(busy, "u", "g").status());
      }
      assertTrue(fleet.rig(0).metric(HELD) > 0, "nothing is kept");
      RawClient.Response response = ask(other, "u", "g");
      for (; response.status() == 200; response = ask(other, "u", "g")) {
        passed++;
      }
      assertTrue(passed < LIMIT, "all passed at once");
      long longestS = Long.parseLong(response.field("Retry-After"));
      long sinceNs = System.nanoTime();
      for (int asked = 0; passed < LIMIT; asked++) {
        RawClient.Response next = ask(other, "u", "g");
        passed += next.status() == 200 ? 1 : 0;
        if (next.status() == 429) {
          longestS = Math.max(longestS, Long.parseLong(next.field("Retry-After")));
        }
        assertTrue(
            System.nanoTime() - sinceNs < 30_000_000_000L,
            passed + " of " + LIMIT + " have passed, the other sidecar asked " + asked);
        Thread.sleep(2);
      }
      assertTrue(longestS > 20, "told to come again after " + longestS + " s");
      // At most what comes back meanwhile.
      assertTrue(passed(other, 50, "u", "g") <= 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gcra"})
  void endsWhenTheBudgetIsGivenBackByHandOrTheStoreIsEmptied(String algorithm) throws Exception {
    String limits = shortLived("20/1d", algorithm);
    RedisServer redis = SERVERS.get(0);
    try (Fleet fleet = fleet(1, oneServer(), limits).deciding(1);
        RawClient client = fleet.rig(0).connect()) {
      while (ask(client, "u", "g").status() == 200) {}
      passed(client, 20, "u", "g");
      try (RespClient store = redis.connect()) {
        List<?> keys = (List<?>) store.call("KEYS", "rl:*:u:*");
        assertEquals(1, keys.size());
        String key = RespClient.textOf(keys.get(0));
        store.call("DEL", key);
        Await.until("heard", () -> store.text("PUBLISH", "rl:reset", key).equals("1"));
      }
      awaitPass(client, 6);
      while (ask(client, "u", "g").status() == 200) {}
      redis.text("FLUSHALL");
      awaitPass(client, 12);
    }
  }

  private static void awaitPass(RawClient client, int seconds) throws Exception {
    long sinceNs = System.nanoTime();
    while (ask(client, "u", "g").status() != 200) {
      assertTrue(System.nanoTime() - sinceNs < seconds * 1_000_000_000L, "refused still");
      Thread.sleep(5);
    }
  }

  /** Whoever is over a limit of his own names somebody else's group, whose budget stays whole. */
  @ParameterizedTest
  @ValueSource(strings = {"gcra, 100/1d", "sliding-counter, 100/1d"})
  void ofOneLimitLeavesTheOtherWholeOnAnotherServer(String group) throws Exception {
    String[] of = group.split(", ");
    String limits = limit("x-user", "1/1h", "gcra") + ", " + limit("x-group", of[1], of[0]);
    String nodes = several("sharded", SERVERS.get(0), SERVERS.get(1));
    try (Fleet fleet = fleet(2, nodes, limits).deciding(2)) {
      assertVictimKeepsAll(fleet);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gcra, 100/1d"})
  void ofOneLimitLeavesTheOtherWholeInACluster(String group) throws Exception {
    String[] of = group.split(", ");
    String limits = limit("x-user", "1/1h", "gcra") + ", " + limit("x-group", of[1], of[0]);
    try (RedisCluster cluster = RedisCluster.start(RedisKind.EMBEDDED.binary());
        Fleet fleet = fleet(2, several("cluster", cluster.nodes().get(0)), limits).deciding(3)) {
      assertVictimKeepsAll(fleet);
    }
  }

  /** Spends the one unit of a user; it may be gone if his first request was not decided in time. */
  private static void spend(RawClient by, String name) throws IOException {
    int status = ask(by, name, name).status();
    int undecided = 0;
    for (; status == 503 && undecided < 5; undecided++) {
      status = ask(by, name, name).status();
    }
    assertTrue(
        status == 200 || status == 429 && undecided > 0,
        name + ": " + status + " after " + undecided + " times 503");
  }

  /**
   * A busy machine may let a request wait for longer than the deadline of its decision, and then
   * nobody can tell whether the group was charged; those are few.
   */
  private static void assertVictimKeepsAll(Fleet fleet) throws Exception {
    try (RawClient attacker = fleet.rig(0).connect();
        RawClient other = fleet.rig(1).connect()) {
      int passed = 0;
      int undecided = 0;
      for (int friend = 0; passed < 20; friend++) { // units are kept
        int status = ask(attacker, "friend" + friend, "victims").status();
        passed += status == 200 ? 1 : 0;
        undecided += status == 503 ? 1 : 0;
        assertTrue(passed + undecided > friend, "refused: " + status);
      }
      for (int user = 0; user < 150; user++) {
        String name = "attacker" + user;
        RawClient by = user % 2 == 0 ? attacker : other;
        spend(by, name);
        int status = ask(by, name, "victims").status();
        assertTrue(status == 429 || status == 503, "over the limit of his own: " + status);
        undecided += status == 503 ? 1 : 0;
      }
      long sinceNs = System.nanoTime();
      for (int i = 0; passed < 100 && System.nanoTime() - sinceNs < 8_000_000_000L; i++) {
        RawClient by = i % 2 == 0 ? attacker : other;
        int status = ask(by, "victim" + i, "victims").status();
        passed += status == 200 ? 1 : 0;
        undecided += status == 503 ? 1 : 0;
      }
      assertTrue(
          passed <= 100 && passed + undecided >= 100 && undecided < 20,
          "the victims' group has had nothing but this: " + passed + ", 503 " + undecided);
    }
  }
}
