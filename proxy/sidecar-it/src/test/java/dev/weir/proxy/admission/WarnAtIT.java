package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.RedisServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** States that clients are told under rules with {@code warn-at}, over sockets. */
@Timeout(60)
class WarnAtIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final List<String> EXPECTED = new ArrayList<>();

  static {
    EXPECTED.addAll(Collections.nCopies(4, "NORMAL"));
    EXPECTED.addAll(Collections.nCopies(5, "WARNING"));
    EXPECTED.addAll(Collections.nCopies(3, "THROTTLED")); // the last that passes, and two refused
  }

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static Fleet fleet(String mode, String limits) throws Exception {
    String store =
        mode.equals("local") ? "" : "redis: {nodes: " + Fleet.node(redis) + ", deadline: 1s}\n";
    Fleet fleet =
        Fleet.ofFile(
            1,
            FourWays.SETTINGS
                + store
                + "rules:\n  - {id: r, match: {path: /r}, key: header:x-user, warn-at: 50%, mode: "
                + mode
                + ", limits: ["
                + limits
                + "]}\n  - {id: other, match: {path: /other}, limit: 2/365d}\n");
    return mode.equals("local") ? fleet : fleet.deciding(1);
  }

  private static String limit(String count) {
    return "{limit: " + count + "/365d, algorithm: fixed-window}";
  }

  private static String get(String path, String user) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\nX-User: " + user + "\r\n\r\n";
  }

  private static List<String> overHttp1(RawClient client, String request) throws Exception {
    List<String> states = new ArrayList<>();
    for (int i = 0; i < EXPECTED.size(); i++) {
      states.add(client.send(request).read().field("X-RateLimit-State"));
    }
    return states;
  }

  private static List<String> overHttp2(FramePeer client, int from, String user, String type) {
    List<String> states = new ArrayList<>();
    for (int i = 0; i < EXPECTED.size(); i++) {
      client
          .request(from + 2 * i, true, "POST", "/r", "x-user: " + user, "content-type: " + type)
          .send();
      String head = client.next();
      for (String frame = head; !frame.endsWith(" end"); ) {
        frame = client.next();
      }
      states.add(head.replaceFirst("(?s).*x-ratelimit-state: ([A-Z]+).*", "$1"));
    }
    return states;
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void areToldOverAllProtocols(String mode) throws Exception {
    try (Fleet fleet = fleet(mode, limit("10"));
        RawClient http1 = fleet.rig(0).connect();
        FramePeer http2 = new FramePeer(fleet.rig(0).sidecar.listenAddress());
        RawClient proxy =
            new RawClient(new InetSocketAddress("127.0.0.1", fleet.rig(0).decisionPort()))) {
      assertEquals(EXPECTED, overHttp1(http1, get("/r", "ann")));
      assertEquals(EXPECTED, overHttp2(http2, 1, "bob", "text/plain"));
      assertEquals(EXPECTED, overHttp2(http2, 101, "cid", "application/grpc"));
      String check =
          get("/v1/check", "dan")
              .replace("\r\n\r\n", "\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /r\r\n\r\n");
      assertEquals(EXPECTED, overHttp1(proxy, check));
    }
  }

  @Test
  void areThoseOfTheWorstLimit() throws Exception {
    try (Fleet fleet = fleet("local", limit("100") + ", " + limit("10").replace("365d", "300d"));
        RawClient client = fleet.rig(0).connect()) {
      assertEquals(EXPECTED, overHttp1(client, get("/r", "ann")));
    }
  }

  @Test
  void areNotToldByRulesWithoutAMark() throws Exception {
    try (Fleet fleet = fleet("local", limit("10"));
        RawClient client = fleet.rig(0).connect()) {
      for (int i = 0; i < 3; i++) {
        RawClient.Response answer = client.send(get("/other", "ann")).read();
        assertNull(answer.field("X-RateLimit-State"));
        assertTrue(answer.field("RateLimit").startsWith("\"other\""));
      }
    }
  }
}
