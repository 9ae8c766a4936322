package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a request whose store answers with what is no decision. */
class StoreRepliesIT {
  private static final String RESENT = "weir_store_resent_total";

  private static final RedisServer redis = RedisServer.shared();

  private static StoreRig closed(String deadline) throws Exception {
    return new StoreRig(
        redis, "--redis.deadline", deadline, "--limit", "10/365d", "--on-store-failure", "closed");
  }

  private static void assertExactAgain(StoreRig rig, String user) throws Exception {
    rig.awaitDeciding();
    rig.assertExact(10, user);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-ERR broken\r\n",
        "-ERR\r\n",
        "-\r\n",
        "-LOADING Redis is loading\r\n",
        "-MOVED 1 nowhere\r\n",
        "-ASK\r\n",
        "-TRYAGAIN\r\n",
        "-NOSCRIPT none\r\n",
        "+OK\r\n",
        ":1\r\n",
        "$-1\r\n",
        "$0\r\n\r\n",
        "$3\r\nabc\r\n",
        "$58\r\nfifty-eight bytes, as many as a decision of one check has.\r\n",
        "*0\r\n",
        "*2\r\n:1\r\n$1\r\na\r\n",
        "$58\r\nhalf a reply",
        "*3\r\n$1\r\na\r\n",
        "$999999999999999999999\r\n",
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "\r\n\r\n"
      })
  void refusesByPolicyWhatTheStoreDoesNotDecide(String reply) throws Exception {
    try (StoreRig rig = closed("400ms")) {
      rig.faults.reply(reply);
      assertEquals(5, rig.count(503, 5, "user"));
      assertEquals(0, rig.charged("user"));
      rig.faults.pass();
      assertExactAgain(rig, "later");
    }
  }

  @Test
  void refusesByPolicyWhenTheStoreAnswersGarbage() throws Exception {
    try (StoreRig rig = closed("400ms")) {
      rig.faults.garbage();
      assertEquals(5, rig.count(503, 5, "user"));
      rig.faults.pass();
      assertExactAgain(rig, "later");
    }
  }

  @Test
  void refusesByPolicyWhenTheAnswerTrickles() throws Exception {
    try (StoreRig rig = closed("400ms")) {
      rig.faults.trickle(1, 20);
      assertEquals(5, rig.count(503, 5, "user"));
      assertTrue(rig.charged("user") <= 5);
      rig.faults.pass();
      assertExactAgain(rig, "later");
    }
  }

  @Test
  void overwritesNoKeyThatIsNotItsOwn() throws Exception {
    try (StoreRig rig = closed("1s");
        RespClient store = redis.connect()) {
      assertEquals(200, rig.ask("foreign").status());
      String key = RespClient.textOf(((List<?>) store.call("KEYS", "rl:*:foreign:*")).get(0));
      store.text("DEL", key);
      store.text("LPUSH", key, "mine");
      assertEquals(5, rig.count(503, 5, "foreign"));
      assertEquals("list", store.text("TYPE", key));
      assertEquals(5, rig.undecided("malformed_reply"));
      // It is that key's trouble, and the server is well.
      assertEquals(10, rig.count(200, 15, "another"));
    }
  }

  @Test
  void decidesAgainThoughTheScriptsWereFlushedWhileItDidNotAnswerAndNobodyAsks() throws Exception {
    try (StoreRig rig = closed("20ms")) {
      rig.faults.delayReplies(60);
      Await.until(
          "the breaker is open",
          () -> {
            rig.ask("user");
            return rig.undecided("breaker_open") > 0;
          });
      redis.text("SCRIPT", "FLUSH");
      rig.faults.pass();
      rig.awaitDeciding();
    }
  }

  @ParameterizedTest
  @EnumSource(RedisKind.class)
  void losesNoRequestWhenTheScriptsAreFlushedUnderLoad(RedisKind kind) throws Exception {
    try (RedisServer server = kind.start();
        StoreRig rig =
            new StoreRig(server, "--limit", "1000000/365d", "--on-store-failure", "closed")) {
      int flushes = 20;
      double[] resentAfter = new double[flushes];
      List<Integer> statuses =
          rig.underLoad(
              "user",
              () -> {
                for (int i = 0; i < flushes; i++) {
                  server.text("SCRIPT", "FLUSH");
                  double wanted = i + 1;
                  Await.until("sent again", () -> rig.metric(RESENT) >= wanted);
                  // Else the next flush may come before what was sent again, which undoes it.
                  Await.until("executed", () -> knowsScript(server));
                  resentAfter[i] = rig.metric(RESENT);
                }
                return null;
              });
      assertEquals(List.of(), statuses.stream().filter(status -> status != 200).toList());
      long charged = 0;
      for (int i = 0; i < 10; i++) {
        charged += rig.charged("user" + i);
      }
      assertEquals(statuses.size(), charged);
      double resent = rig.metric(RESENT);
      // A flush that finds several batches in flight makes each of them go twice, and none thrice.
      assertTrue(resent <= flushes * 4, resent + " sent again");
      assertEquals(0, rig.metric("weir_store_errors_total"));
    }
  }

  private static boolean knowsScript(RedisServer server) throws IOException {
    try (RespClient client = server.connect()) {
      return List.of(1L).equals(client.call("SCRIPT", "EXISTS", LuaScript.CHECK.sha1()));
    }
  }

  @Test
  void answersEveryRequestWhileTheServerRestarts() throws Exception {
    try (RedisServer server = RedisKind.EMBEDDED.start();
        StoreRig rig =
            new StoreRig(server, "--limit", "1000000/365d", "--on-store-failure", "closed")) {
      List<Integer> statuses =
          rig.underLoad(
              "user",
              () -> {
                for (int i = 0; i < 3; i++) {
                  double connects = rig.metric("weir_store_connects_total");
                  server.restart();
                  Await.until(
                      "connected anew", () -> rig.metric("weir_store_connects_total") > connects);
                  rig.awaitDeciding();
                }
                return null;
              });
      long undecided = statuses.stream().filter(status -> status == 503).count();
      assertEquals(
          statuses.size(), undecided + statuses.stream().filter(status -> status == 200).count());
      assertFalse(statuses.isEmpty());
      assertEquals(10, rig.count(200, 10, "later"));
      assertEquals(10, rig.charged("later"));
    }
  }

  @ParameterizedTest
  @EnumSource(RedisKind.class)
  void countsApartWhatAFullServerRefuses(RedisKind kind) throws Exception {
    try (RedisServer server = kind.start();
        StoreRig rig = new StoreRig(server, "--limit", "10/365d", "--on-store-failure", "closed");
        RespClient store = server.connect()) {
      assertEquals(1, rig.count(200, 1, "user"));
      store.text("CONFIG", "SET", "maxmemory", "1");
      assertEquals(5, rig.count(503, 5, "user"));
      assertTrue(rig.undecided("out_of_memory") >= 3, "counted apart");
      store.text("CONFIG", "SET", "maxmemory", "0");
      rig.awaitDeciding();
      assertEquals(9, rig.count(200, 15, "user"));
      assertEquals(10, rig.charged("user"));
    }
  }
}
