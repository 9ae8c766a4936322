package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules that ban who was refused too often, in each way to ask, over sockets. */
@Timeout(60)
class BanTest {
  /** Nothing of the window comes back meanwhile. */
  private static final String LOG_IN =
      FourWays.SETTINGS
          + """
          rules:
            - id: log-in
              match: {path: /login}
              key: header:x-user-id
              limit: 5/365d
              algorithm: fixed-window
              ban: {after: 20/15m, for: [15m, 1h]}
            - {id: others, key: header:x-user-id, limit: 1000/365d}
          """;

  private static String get(String user) {
    return "GET /login HTTP/1.1\r\nHost: a\r\nX-User-Id: " + user + "\r\n\r\n";
  }

  /** Uses up the limit and is refused 19 times, each time in the next way. */
  private static void almost(FourWays ways, String user) throws Exception {
    for (int i = 0; i < 24; i++) {
      String refusal = ways.all().get(i % 4).ask("/login", user);
      assertEquals(i < 5, refusal.isEmpty(), i + " " + refusal);
    }
  }

  @Test
  void theTwentiethRefusalInWhateverWayBansInAll() throws Exception {
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), LOG_IN);
        FourWays ways = new FourWays(rig);
        RawClient client = rig.connect()) {
      for (int i = 0; i < 4; i++) {
        almost(ways, "user-" + i);
        assertFalse(ways.all().get(i).ask("/login", "user-" + i).isEmpty());
      }
      almost(ways, "ann");
      assertTrue(!client.send(get("ann")).read().body().contains("over_limit"));
      for (FourWays.Way way : ways.all()) {
        assertTrue(!way.ask("/login", "ann").isEmpty());
        assertEquals("", way.ask("/", "ann"), "the ban is of its rule");
        assertEquals("", way.ask("/login", "bob-" + way.hashCode()));
      }
      RawClient.Response answer = client.send(get("ann")).read();
      assertEquals(429, answer.status());
      Matcher wait = Pattern.compile("Retry-After: (8[5-9]\\d|900)\r\n").matcher(answer.head());
      assertTrue(wait.find(), answer.head());
      String seconds = wait.group(1);
      String fields = "\r\nRateLimit: \"log-in\";r=0;t=" + seconds + "\r\n";
      assertTrue(answer.head().contains(fields), answer.head());
      assertEquals(
          "{\"type\":\"https://iana.org/assignments/http-problem-types#abnormal-usage-detected\","
              + "\"title\":\"Banned For A Time\",\"status\":429,\"reason\":\"banned\","
              + "\"violated-policies\":[\"log-in\"],\"retry_after_seconds\":"
              + seconds
              + "}\n",
          answer.body());
      assertTrue(rig.metric("weir_decisions_total{outcome=\"banned\",rule=\"log-in\"}") >= 3);
      assertTrue(rig.metric("weir_decision_checks_total{outcome=\"banned\",rule=\"log-in\"}") > 0);
      assertTrue(rig.metric("weir_refusals_total{reason=\"banned\"}") >= 3);
      assertEquals(5, rig.metric("weir_bans_total"));
      rig.publish(
          LOG_IN.replace("decision: 127.0.0.1:0\n", "").replace("limit: 5/365d", "limit: 9/1s"));
      assertEquals(429, client.send(get("ann")).read().status(), "bans stay when a rule changes");
      rig.publish(
          LOG_IN
              .replace("decision: 127.0.0.1:0\n", "")
              .replace("limit: 5/365d", "limit: 900/1h")
              .replaceAll("ban: .*", ""));
      assertEquals(200, client.send(get("ann")).read().status());
    }
  }

  @Test
  void aCallOfGrpcIsToldResourceExhaustedAndWhenToComeAgain() throws Exception {
    String rules =
        "rules:\n  - {id: r, limit: 1/365d, ban: {after: 2/1h, for: [1h]}}\n"
            + "timeouts: {idle: 1h}\n";
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), rules);
        FramePeer client = new FramePeer(rig.sidecar.listenAddress())) {
      String answer = "";
      for (int i = 0; i < 3; i++) {
        client
            .headers(
                2 * i + 1,
                true,
                ":method: POST",
                ":scheme: http",
                ":path: /shop.Cart/Add",
                ":authority: a",
                "content-type: application/grpc",
                "te: trailers")
            .send();
        answer = client.next();
        for (String frame = answer; !frame.endsWith(" end"); ) {
          frame = client.next();
          answer += frame;
        }
      }
      assertTrue(answer.contains("grpc-status: 8"), answer);
      assertTrue(answer.contains("retry-after: 3600") || answer.contains("360"), answer);
    }
  }
}
