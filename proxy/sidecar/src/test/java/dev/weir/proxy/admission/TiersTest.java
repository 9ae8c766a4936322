package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.token.TestTokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jose4j.jwk.PublicJsonWebKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a request's tier is, and what it has then, in each way to ask. */
@Timeout(60)
class TiersTest {
  private static final String USERS =
      "users: {identity: 'header:x-user-id', tiers: [free, premium, partner],"
          + " tier-from: ['header:x-plan']}\n";

  /** Nothing of the window comes back meanwhile. */
  private static final String RULE =
      """
      rules:
        - id: r
          key: header:x-user-id
          limit: 3/365d
          algorithm: fixed-window
          tiers: {premium: 7/365d, partner: unlimited}
      """;

  private static int passed(FourWays.Way way, String user, int count) throws Exception {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += way.ask("/orders", user).isEmpty() ? 1 : 0;
    }
    return passed;
  }

  @Test
  void aTierHasItsOwnNumbersAndWhatWasUsedStaysUsed() throws Exception {
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), FourWays.SETTINGS + USERS + RULE);
        FourWays ways = new FourWays(rig)) {
      for (int i = 0; i < 4; i++) {
        FourWays.Way way = ways.all().get(i);
        String user = "user-" + i;
        assertEquals(3, passed(way, user, 5), "way " + i);
        ways.plan("premium");
        assertEquals(4, passed(way, user, 6), "the three that were used stay used");
        ways.plan("partner");
        assertEquals(9, passed(way, user, 9));
        ways.plan("premium");
        assertEquals(0, passed(way, user, 1));
        ways.plan("platinum");
        assertEquals(0, passed(way, user, 1));
        ways.plan("");
        assertEquals(0, passed(way, user, 1));
      }
    }
  }

  @Test
  void callsOfGrpcHaveTheirTier() throws Exception {
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), FourWays.SETTINGS + USERS + RULE);
        FourWays ways = new FourWays(rig)) {
      assertEquals(3, passed(ways::overGrpc, "ann", 5));
      ways.plan("premium");
      assertEquals(7, passed(ways::overGrpc, "bob", 9));
    }
  }

  @Test
  void aVerifiedTokenNamesTheTierBeforeAHeaderDoesWhateverTheirOrder(@TempDir Path folder)
      throws Exception {
    PublicJsonWebKey key = TestTokens.key("P-256", "1");
    Path keys = Files.writeString(folder.resolve("jwks.json"), TestTokens.keySet(key));
    String file =
        FourWays.SETTINGS
            + "jwt: {keys: "
            + keys
            + "}\nusers: {identity: 'jwt:sub', tiers: [free, premium],"
            + " tier-from: ['header:x-plan', 'jwt:plan']}\nrules:\n  - {id: r, key: 'jwt:sub',"
            + " limit: 3/365d, algorithm: fixed-window, tiers: {premium: 7/365d}}\n";
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file);
        RawClient client = rig.connect()) {
      assertEquals(7, passed(client, token(key, "ann", "premium"), "free", 9));
      assertEquals(3, passed(client, token(key, "bob", "free"), "premium", 9));
      assertEquals(7, passed(client, token(key, "cid", "gold"), "premium", 9));
      assertEquals(3, passed(client, token(key, "dan", "gold"), "gold", 9));
      String other = token(TestTokens.key("P-256", "1"), "eve", "premium");
      assertEquals(0, passed(client, other, "", 1), "401");
    }
  }

  private static String token(PublicJsonWebKey key, String user, String plan) {
    String claims = "{\"exp\":4102444800,\"sub\":\"%s\",\"plan\":\"%s\"}";
    return TestTokens.token(key, "ES256", claims.formatted(user, plan));
  }

  private static int passed(RawClient client, String token, String plan, int count)
      throws Exception {
    String head = "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nX-Plan: %s\r\n\r\n";
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += client.send(head.formatted(token, plan)).read().status() == 200 ? 1 : 0;
    }
    return passed;
  }

  @Test
  void aHeaderOfAnUntrustedPeerNamesNoTier() throws Exception {
    String file = "trusted-proxies: [192.0.2.1]\n" + USERS + RULE;
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file);
        RawClient client = rig.connect()) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        statuses.add(
            client
                .send("GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: ann\r\nX-Plan: premium\r\n\r\n")
                .read()
                .status());
      }
      assertEquals(List.of(200, 200, 200, 429), statuses);
    }
  }
}
