package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
