package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys by the names that a file has for identities, over a real store. */
@Timeout(60)
class NamedIdentitiesIT {
  private static final RedisServer redis = RedisServer.shared();

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static String file(String user, String key, String mode) {
    return FourWays.SETTINGS
        + "redis: {nodes: "
        + Fleet.node(redis)
        + ", deadline: 1s}\nservice: shop\nidentities: {user: "
        + user
        + "}\nrules:\n  - {id: r, limit: 9/365d, algorithm: fixed-window, key: "
        + key
        + ", mode: "
        + mode
        + "}\n";
  }

  private static List<String> names() throws Exception {
    try (RespClient store = redis.connect()) {
      return ((List<?>) store.call("KEYS", "rl:*:shop:r"))
          .stream().map(RespClient::textOf).map(name -> name.replaceAll("\\{.*?}", "")).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exact", "leased"})
  void isOneIdentityInEachWayToAsk(String mode) throws Exception {
    String user = "{first-of: [cookie:uid, header:x-user-id]}";
    try (Fleet fleet = Fleet.ofFile(2, file(user, "user", mode)).deciding(1);
        FourWays ways = new FourWays(fleet.rig(0));
        FourWays others = new FourWays(fleet.rig(1));
        RawClient cookie = fleet.rig(0).connect()) {
      int passed = 0;
      for (int i = 0; i < 16; i++) {
        FourWays of = i < 8 ? ways : others;
        passed += of.all().get(i % 4).ask("/", "ann").isEmpty() ? 1 : 0;
      }
      assertEquals(9, passed);
      String get = "GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: bob\r\nCookie: uid=ann\r\n\r\n";
      assertEquals(429, cookie.send(get).read().status(), "the cookie names ann");
      String also = file("{first-of: [query:u, header:x-user-id, cookie:uid]}", "user", mode);
      fleet.rig(0).publish(also.replace("decision: 127.0.0.1:0\n", ""));
      assertEquals("r", ways.all().get(0).ask("/?u=ann", "bob"), "budgets are the name's");
      assertEquals("", ways.all().get(0).ask("/?u=cid", "ann"));
    }
    assertTrue(names().contains("rl::user:" + "#") || names().size() == 2, names().toString());
  }

  @Test
  void anAddressIsTheClientsInEachWayToAsk() throws Exception {
    String rules = "rules:\n  - {id: r, limit: 4/365d, algorithm: fixed-window}\n";
    try (Fleet fleet = Fleet.ofFile(1, FourWays.SETTINGS + rules);
        FourWays ways = new FourWays(fleet.rig(0))) {
      for (FourWays.Way way : ways.all()) {
        assertEquals("", way.ask("/", "ann"));
      }
      assertEquals("r", ways.all().get(0).ask("/", "ann"));
      assertEquals("r", ways.all().get(2).ask("/", "ann"));
    }
  }

  @Test
  void aNameForOneSourceHasItsBudgets() throws Exception {
    try (Fleet fleet = Fleet.ofFile(1, file("header:x-user-id", "user", "exact")).deciding(1);
        FourWays ways = new FourWays(fleet.rig(0))) {
      for (int i = 0; i < 9; i++) {
        assertEquals("", ways.all().get(i % 4).ask("/", "ann"));
      }
      assertEquals(List.of("rl::header.x-user-id:ann:shop:r"), names());
      String plain = file("header:x-user-id", "header:x-user-id", "exact");
      fleet.rig(0).publish(plain.replace("decision: 127.0.0.1:0\n", ""));
      assertEquals("r", ways.all().get(0).ask("/", "ann"));
    }
  }
}
