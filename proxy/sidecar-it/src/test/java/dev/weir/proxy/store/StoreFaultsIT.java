package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients get while a server of the store is dead, hangs, or is slow. */
class StoreFaultsIT {
  private static final String DECIDING = StoreRig.DECIDING;

  /** Of each user whose server is well, while the other one is not. */
  private static final int WELL_REQUESTS = 7;

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

  /** Users whose keys are on a server, so many. */
  private static List<String> usersOn(RedisServer server, Rig rig, String prefix, int count)
      throws Exception {
    List<String> users = new ArrayList<>();
    try (RawClient client = rig.connect()) {
      for (int i = 0; users.size() < count; i++) {
        String user = prefix + i;
        int status = client.send(Fleet.get(user)).read().status();
        if (status == 200 && StoreRig.charged(server, user) == 1) {
          users.add(user);
        }
      }
    }
    return users;
  }

  /** What each of two servers does while the first has a fault. */
  private static void assertOnlyKeysOfTheFirstFail(Rig rig, String row) throws Exception {
    final List<String> lame = usersOn(redis, rig, "lame" + row, 5);
    final List<String> well = usersOn(other, rig, "well" + row, 5);
    if (row.equals("112")) {
      redis.kill();
    } else {
      redis.pause();
    }
    int passed = 0;
    try (RawClient client = rig.connect()) {
      for (int i = 0; i < 15; i++) {
        for (String user : lame) {
          assertEquals(503, client.send(Fleet.get(user)).read().status());
        }
        if (i < WELL_REQUESTS) {
          for (String user : well) {
            passed += client.send(Fleet.get(user)).read().status() == 200 ? 1 : 0;
          }
        }
      }
      // On a busy machine a few may not have been decided in time.
      assertTrue(passed > 5 * WELL_REQUESTS - 5, "passed " + passed);
      for (String user : well) {
        StoreRig.assertExact(10, (int) StoreRig.charged(other, user), client, user);
        assertEquals(10, StoreRig.charged(other, user));
      }
    }
  }

  private static void assertExact(Rig rig, String user) throws Exception {
    try (RawClient client = rig.connect()) {
      StoreRig.assertExact(10, 0, client, user);
    }
  }

  private static long ms(long ns) {
    return ns / 1_000_000;
  }

  private static Fleet sharded() throws Exception {
    redis.text("FLUSHALL");
    other.text("FLUSHALL");
    Fleet fleet =
        new Fleet(
            1,
            Fleet.node(redis) + "," + Fleet.node(other),
            "--redis.topology",
            "sharded",
            "--redis.deadline",
            "500ms",
            "--limit",
            "10/365d",
            "--algorithm",
            "fixed-window",
            "--on-store-failure",
            "closed");
    return fleet.deciding(2);
  }

  @Test
  void keysOfADeadServerFollowTheirPolicyWhileOthersStayExact() throws Exception {
    try (Fleet fleet = sharded()) {
      assertOnlyKeysOfTheFirstFail(fleet.rig(0), "112");
      redis.restart();
      fleet.rig(0).await(DECIDING, 2);
      for (int i = 0; i < 10; i++) {
        assertExact(fleet.rig(0), "later" + i);
      }
    }
  }

  @Test
  void keysOfAServerThatHangsFollowTheirPolicyWhileOthersStayExact() throws Exception {
    try (Fleet fleet = sharded()) {
      for (int round = 0; round < 3; round++) { // what is in flight must come back each time
        assertOnlyKeysOfTheFirstFail(fleet.rig(0), "113" + ".".repeat(round));
        redis.resume();
        fleet.rig(0).await(DECIDING, 2);
        for (int i = 0; i < 10; i++) {
          assertExact(fleet.rig(0), "later" + round + i);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 50, 500})
  void answersEveryRequestAndMistakesNoLateReplyForAnother(int delayMs) throws Exception {
    try (StoreRig rig =
        new StoreRig(
            redis,
            "--redis.deadline",
            "300ms",
            "--limit",
            "100000/365d",
            "--on-store-failure",
            "closed")) {
      // What is left tells the users apart.
      int users = 5;
      long[] sent = new long[users];
      long[] decidedOf = new long[users];
      for (int user = 0; user < users; user++) {
        for (; decidedOf[user] < 15L * user; sent[user]++) {
          decidedOf[user] += rig.ask("u" + user).status() == 200 ? 1 : 0;
        }
      }
      rig.faults.delayReplies(delayMs);
      int decided = 0;
      int rounds = 12;
      for (int round = 0; round < rounds; round++) {
        for (int user = 0; user < users; user++) {
          if (isRight(rig.ask("u" + user), decidedOf[user] + 1, ++sent[user])) {
            decidedOf[user]++;
            decided++;
          }
        }
      }
      assertEquals(delayMs < 100, decided > 0);
      rig.faults.pass();
      rig.awaitDeciding();
      for (int user = 0; user < users; user++) {
        RawClient.Response response = rig.ask("u" + user);
        for (int again = 0; response.status() == 503 && again < 5; again++) {
          response = rig.ask("u" + user);
        }
        assertEquals(200, response.status());
        assertEquals(100_000 - rig.charged("u" + user), response.remaining());
      }
    }
  }

  /**
   * A decision must be about the user: charged for what was decided, and for what was sent at most.
   */
  private static boolean isRight(RawClient.Response response, long least, long most) {
    if (response.status() == 503) {
      return false;
    }
    assertEquals(200, response.status());
    long charged = 100_000 - response.remaining();
    assertTrue(charged >= least && charged <= most, charged + " of " + least + " to " + most);
    return true;
  }

  @ParameterizedTest
  @ValueSource(strings = {"closed", "open", "local-share"})
  void neverChargesTwiceWhenTheReplyIsLost(String policy) throws Exception {
    try (StoreRig rig =
        new StoreRig(
            redis,
            "--redis.deadline",
            "500ms",
            "--limit",
            "1000/365d",
            "--on-store-failure",
            policy)) {
      double connects = rig.metric("weir_store_connects_total");
      rig.faults.dropReplies(1);
      int status = rig.ask("lost").status();
      assertEquals(policy.equals("closed") ? 503 : 200, status);
      // A stream that has lost bytes is of no use: nothing else is to be asked there.
      Await.until("a new connection", () -> rig.metric("weir_store_connects_total") > connects);
      rig.awaitDeciding();
      String next = rig.askDecided("next");
      assertEquals(1, rig.charged("lost"));
      assertEquals(1, rig.charged(next));
      assertEquals(0, rig.metric("weir_store_debts_charged_total"));
    }
  }

  private static void cutWhenCharged(StoreRig rig) {
    try {
      Await.until("charged", () -> rig.charged("cut") > 0);
      rig.faults.refuse();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void chargesOnceWhenTheConnectionIsLostWithTheReply() throws Exception {
    try (StoreRig rig = new StoreRig(redis, "--limit", "1000/365d", "--on-store-failure", "open")) {
      rig.faults.dropReplies(1000);
      List<RawClient> clients = rig.fleet.connect(20);
      CompletableFuture<Void> cut = CompletableFuture.runAsync(() -> cutWhenCharged(rig));
      List<Integer> statuses = Fleet.atOnce(clients, Fleet.get("cut"));
      cut.get();
      assertEquals(20, Collections.frequency(statuses, 200));
      rig.faults.pass();
      rig.awaitDeciding();
      rig.fleet.rig(0).await("weir_store_fallback_allowed_total", 20);
      assertEquals(200, rig.ask("cut").status());
      long charged = rig.charged("cut");
      assertTrue(charged <= 21, "charged " + charged);
    }
  }
}
