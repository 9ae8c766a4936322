package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a store shows of who the clients are, and whose budgets it keeps. */
class StoreNamesIT {
  private static final String SECRET = "sk-live-51H8";
  private static final RedisServer redis = RedisServer.shared();

  @BeforeEach
  void forget() throws IOException {
    redis.text("FLUSHALL");
  }

  private static Fleet fleet(String... flags) throws Exception {
    return new Fleet(1, Fleet.node(redis), flags).deciding(1);
  }

  private static int ask(Fleet fleet, String target, String fields) throws IOException {
    try (RawClient client = fleet.rig(0).connect()) {
      return client
          .send("GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n")
          .read()
          .status();
    }
  }

  /** The one budget's name, without its partition. */
  private static String name() throws IOException {
    try (RespClient store = redis.connect()) {
      List<?> keys = (List<?>) store.call("KEYS", "rl:*:default");
      assertEquals(1, keys.size());
      return RespClient.textOf(keys.get(0)).replaceFirst("p[0-9]{3}", "p");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "api-key, /, X-Api-Key: sk-live-51H8",
    "header:authorization, /, Authorization: Bearer sk-live-51H8",
    "cookie:sid, /, Cookie: sid=sk-live-51H8",
    "query:access_token, /?access_token=sk-live-51H8, Accept: */*",
    "'ip,header:x-api-key', /, X-Api-Key: sk-live-51H8",
  })
  void showNoSecret(String key, String target, String field) throws Exception {
    try (Fleet fleet = fleet("--limit", "1/365d", "--key", key)) {
      assertEquals(200, ask(fleet, target, field + "\r\n"));
      assertEquals(429, ask(fleet, target, field + "\r\n"));
      String name = name();
      assertTrue(
          name.matches("rl:\\{p}:[a-z0-9.+%_-]+:(127\\.0\\.0\\.1\\+)?#[0-9a-f]{32}:default"));
      String all = redis.text("DEBUG", "OBJECT", allKeys().get(0)) + allKeys();
      assertTrue(!all.contains(SECRET), all);
    }
  }

  private static List<String> allKeys() throws IOException {
    try (RespClient store = redis.connect()) {
      return ((List<?>) store.call("KEYS", "rl:*default"))
          .stream().map(RespClient::textOf).toList();
    }
  }

  @Test
  void showWhoeverIsNoSecretAsTheReadmeSays() throws Exception {
    try (Fleet fleet = fleet("--limit", "1/365d")) {
      assertEquals(200, ask(fleet, "/", "X-User: alice\r\n"));
      assertEquals("rl:{p}:header.x-user:alice:default", name());
    }
  }

  @Test
  void areOneForAllSidecarsOfAServiceAndNotForTwoServices() throws Exception {
    String[] flags = {"--limit", "3/365d", "--key", "api-key"};
    String field = "X-Api-Key: " + SECRET + "\r\n";
    try (Fleet shop = fleet("--service", "shop", flags[0], flags[1], flags[2], flags[3]);
        Fleet other = fleet("--service", "shop", flags[0], flags[1], flags[2], flags[3]);
        Fleet mail = fleet("--service", "mail", flags[0], flags[1], flags[2], flags[3])) {
      assertEquals(200, ask(shop, "/", field));
      assertEquals(200, ask(other, "/", field));
      assertEquals(200, ask(shop, "/", field));
      assertEquals(429, ask(other, "/", field));
      assertEquals(200, ask(mail, "/", field));
      assertEquals(1, allKeys().stream().filter(key -> key.endsWith(":shop:default")).count());
      assertEquals(1, allKeys().stream().filter(key -> key.endsWith(":mail:default")).count());
    }
  }

  @Test
  void countSidecarsAndTheirRulesByService() throws Exception {
    String[] nine = {"--service", "shop", "--limit", "9/365d"};
    try (Fleet shop = fleet(nine);
        Fleet same = fleet(nine);
        Fleet mail = fleet("--service", "mail", "--limit", "9/365d")) {
      for (Fleet each : List.of(shop, same)) {
        each.rig(0).await("weir_store_peers", 2);
      }
      assertEquals(1, mail.rig(0).metric("weir_store_peers"));
      assertEquals(1L, members("rl:{p000}:rules:shop"));
      assertEquals(1L, members("rl:{p000}:rules:mail"));
      try (Fleet another = fleet("--service", "shop", "--limit", "8/365d")) {
        another.rig(0).await("weir_store_peers", 3);
        assertEquals(2L, members("rl:{p000}:rules:shop"));
      }
    }
  }

  private static Object members(String key) throws IOException {
    try (RespClient store = redis.connect()) {
      return store.call("ZCARD", key);
    }
  }

  @Test
  void sayOnceThatTheKeyOfTheHashIsNone() throws Exception {
    try (LogLines log = new LogLines();
        Fleet fleet = fleet("--limit", "9/365d", "--key", "api-key")) {
      assertEquals(200, ask(fleet, "/", "X-Api-Key: a\r\n"));
      assertEquals(200, ask(fleet, "/", "X-Api-Key: b\r\n"));
      assertEquals(1, log.with("INFO", "redis.hash-key-file").size(), log.toString());
    }
  }
}
