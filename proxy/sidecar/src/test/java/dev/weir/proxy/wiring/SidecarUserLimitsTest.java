package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limits of users at a sidecar that runs, asked over sockets. */
@Timeout(120)
class SidecarUserLimitsTest extends RigTest {
  @BeforeEach
  void start() throws Exception {
    rig =
        Rig.ofFile(
            "nio",
            """
            admin: 127.0.0.1:0
            trusted-proxies: [127.0.0.1]
            users: {identity: "header:x-user-id", tiers: [free, gold]}
            everywhere: [{name: daily, limit: 100/365d, key: "header:x-user-id"}]
            rules:
              - id: chat
                match: {path: /chat}
                limits:
                  - {name: rpm, limit: 9/365d, key: "header:x-user-id", tiers: {free: 5/365d}}
                  - {name: address, limit: 50/365d, key: ip}
                  - {name: burst, limit: 8/365d, key: "header:x-user-id", tiers: {gold: 20/365d}}
              - {id: free, match: {path: /free}, action: unlimited}
            """);
  }

  private String limits(String user) throws IOException {
    InetSocketAddress admin = (InetSocketAddress) rig.sidecar.adminAddress();
    String head = "GET /api/v1/users/" + user + "/limits HTTP/1.1\r\nHost: localhost\r\n\r\n";
    try (RawClient client = new RawClient(admin)) {
      return client
          .send(head)
          .read()
          .body()
          .replace('"', '\'')
          .replaceAll(",'reset_after_seconds':[0-9.E]+", "")
          .replaceFirst("hidden:[0-9a-f]{16}", "hidden");
    }
  }

  private static String limit(
      String rule, String name, String limit, String saidBy, int used, int left) {
    return String.format(
        "{'name':'%s','rule':'%s','limit':'%s','said_by':'%s','mode':'local',"
            + "'used':%d,'held':0,'left':%d}",
        name, rule, limit, saidBy, used, left);
  }

  @Test
  void tellsEachLimitOfAUserAndChargesNothing() throws Exception {
    try (RawClient client = rig.connect()) {
      for (int i = 0; i < 3; i++) {
        client.send("GET /chat HTTP/1.1\r\nHost: a\r\nX-User-Id: ann\r\n\r\n").read();
      }
    }
    for (int i = 0; i < 2; i++) {
      assertEquals(
          "{'id':'hidden','limits':["
              + String.join(
                  ",",
                  List.of(
                      limit("chat", "rpm", "5/365d", "tier", 3, 2),
                      limit("chat", "burst", "8/365d", "limit", 3, 5),
                      limit("everywhere", "daily", "100/365d", "limit", 3, 97)))
              + "]}\n",
          limits("ann"));
    }
    assertTrue(limits("bob").contains(limit("chat", "rpm", "5/365d", "tier", 0, 5)));
  }
}
