package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.scripts.server.RedisServer;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules' own answers to refusals, over sockets. */
@Timeout(60)
class OwnRefusalIT {
  private static final RedisServer redis = RedisServer.shared();

  private static final String REFUSAL =
      """
      refusal:
        status: 503
        headers: {X-Docs: "https://example.com/limits#${rule}", x-id: "${request-id}"}
        bodies:
          application/json: '{"wait": ${retry-after}, "limit": ${limit}, "id": "${request-id}"}'
          text/html: "<p>${rule}: ${limit}, \\u00e9</p>"
        grpc-status: UNAVAILABLE
        grpc-message: "100% of ${limit} by ${rule}, wait ${retry-after} s \\u00e9"
      """;

  private static final String HTML = "Accept: application/json;q=0.5, text/*\r\n";
  private static final String OTHER = "Accept: image/png\r\n";

  private Fleet fleet;
  private RawClient client;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    fleet.close();
  }

  private void start(String mode, String refusal) throws Exception {
    String store =
        mode.equals("local") ? "" : "redis: {nodes: " + Fleet.node(redis) + ", deadline: 1s}\n";
    fleet = Fleet.ofFile(1, FourWays.SETTINGS + store + rules(mode, refusal));
    if (!mode.equals("local")) {
      fleet.deciding(1);
    }
    client = fleet.rig(0).connect();
  }

  private static String rules(String mode, String refusal) {
    return refusal
        + "rules:\n  - {id: r, match: {path: /r}, key: all, limit: 1/365d, mode: "
        + mode
        + "}\n  - {id: no, match: {path: /no}, action: deny}\n"
        + "  - {id: id, match: {path: /id}, key: header:x-user, on-missing-key: refuse, limit: 1/1h}\n";
  }

  private RawClient.Response get(String path, String fields) throws Exception {
    return get(client, path, fields);
  }

  private static RawClient.Response get(RawClient by, String path, String fields) throws Exception {
    return by.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n").read();
  }

  private static String json(RawClient.Response answer) {
    String wait = answer.field("Retry-After");
    String id = answer.field("X-Id");
    assertTrue(id.matches("[0-9a-f]{32}"), id);
    return "{\"wait\": " + wait + ", \"limit\": 1, \"id\": \"" + id + "\"}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void isInTheTypeThatTheClientWantsMost(String mode) throws Exception {
    start(mode, REFUSAL);
    try (FramePeer http2 = new FramePeer(fleet.rig(0).sidecar.listenAddress());
        RawClient proxy =
            new RawClient(new InetSocketAddress("127.0.0.1", fleet.rig(0).decisionPort()))) {
      assertEquals(200, get("/r", "").status());
      RawClient.Response html = get("/r", HTML);
      assertEquals("text/html; charset=utf-8", html.field("Content-Type"));
      assertEquals("<p>r: 1, \u00c3\u00a9</p>", html.body()); // in UTF-8, a character per byte

      RawClient.Response json = get("/r", "");
      assertTrue(json.head().startsWith("HTTP/1.1 503 Service Unavailable\r\n"), json.head());
      assertEquals("application/json", json.field("Content-Type"));
      assertEquals("https://example.com/limits#r", json.field("X-Docs"));
      assertEquals("no-store", json.field("Cache-Control"));
      assertNull(json.field("Vary"), "nobody stores it");
      assertTrue(json.field("RateLimit").startsWith("\"r\";r=0;t="), json.head());
      assertEquals(json(json), json.body());
      assertFalse(get("/r", "").field("x-id").equals(json.field("x-id")));

      RawClient.Response other = get("/r", OTHER);
      assertEquals("application/problem+json", other.field("Content-Type"));
      assertTrue(other.body().contains("\"status\":503,\"reason\":\"over_limit\""), other.body());

      client.send("HEAD /r HTTP/1.1\r\nHost: a\r\n" + HTML + "\r\n");
      RawClient.Response head = client.read(true);
      assertEquals(html.field("Content-Length"), head.field("Content-Length"));
      assertEquals("text/html; charset=utf-8", head.field("Content-Type"));

      http2.request(1, true, "GET", "/r", "accept: application/json;q=0.5, text/*").send();
      String fields = http2.next();
      assertTrue(fields.contains(":status: 503"), fields);
      assertTrue(fields.contains("content-type: text/html; charset=utf-8"), fields);
      assertTrue(fields.contains("x-docs: https://example.com/limits#r"), fields);
      assertTrue(http2.next().contains("<p>r: 1, "));

      String check = "X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /r\r\n";
      RawClient.Response checked = get(proxy, "/v1/check", check);
      assertEquals(503, checked.status());
      assertEquals("https://example.com/limits#r", checked.field("X-Docs"));
      assertEquals(json(checked), checked.body());
      assertEquals(html.body(), get(proxy, "/v1/check", check + HTML).body());

      String old = get10("");
      assertTrue(old.startsWith("HTTP/1.1 503 "), old);
      assertTrue(old.contains("\"limit\": 1"), old);
    }
  }

  private String get10(String fields) throws Exception {
    try (RawClient old = fleet.rig(0).connect()) {
      return old.send("GET /r HTTP/1.0\r\n" + fields + "\r\n").readToEnd();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void isAStatusAndAMessageForCalls(String mode) throws Exception {
    start(mode, REFUSAL);
    try (FramePeer http2 = new FramePeer(fleet.rig(0).sidecar.listenAddress())) {
      assertEquals(200, get("/r", "").status());
      http2.request(1, true, "POST", "/r", "content-type: application/grpc").send();
      String head = http2.next();
      assertTrue(head.contains(":status: 200"), head);
      assertTrue(head.contains("grpc-status: 14"), head);
      assertTrue(head.contains("grpc-message: 100%25 of 1 by r, wait "), head);
      assertTrue(head.contains(" s %C3%A9"), head);
      assertTrue(head.contains("x-docs: https://example.com/limits#r"), head);
      assertTrue(head.endsWith(" end"), head);
      RawClient.Response web =
          client
              .send(
                  "POST /r HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n"
                      + "Content-Type: application/grpc-web+proto\r\n\r\n")
              .read();
      assertEquals("14", web.field("grpc-status"));
      assertEquals("https://example.com/limits#r", web.field("X-Docs"));
      assertTrue(web.body().contains("grpc-status: 14\r\ngrpc-message: 100%25 of 1"), web.body());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"503", "429"})
  void tellsCachesThatItIsChosenByAccept(String status) throws Exception {
    start(
        "local",
        "refusal: {status: %s, headers: {cache-control: max-age=9}, bodies: {text/html: a}}\n"
            .formatted(status));
    get("/r", "");
    assertEquals("Accept", get("/r", "").field("Vary"));
    assertEquals("Accept", get("/r", OTHER).field("Vary"));
  }

  @Test
  void redirectsWithoutAWord() throws Exception {
    start(
        "local",
        "refusal: {status: 302, headers: {location: 'https://example.com/wait?s=${retry-after}'},"
            + " bodies: {text/plain: ''}}\n");
    try (FramePeer http2 = new FramePeer(fleet.rig(0).sidecar.listenAddress())) {
      get("/r", "");
      RawClient.Response answer = get("/r", "");
      assertEquals(302, answer.status());
      assertEquals(
          "https://example.com/wait?s=" + answer.field("Retry-After"), answer.field("Location"));
      assertEquals("0", answer.field("Content-Length"));
      http2.request(1, true, "GET", "/r").send();
      String head = http2.next();
      assertTrue(head.contains("location: https://example.com/wait?s="), head);
      assertTrue(head.endsWith(" end"), head);
    }
  }

  @Test
  void isForLimitsAndDenialsOnly() throws Exception {
    start("local", "refusal: {status: 403, bodies: {text/plain: '${limit} ${retry-after}'}}\n");
    RawClient.Response denied = get("/no", "");
    assertEquals(403, denied.status());
    assertEquals("0 0", denied.body());
    RawClient.Response missing = get("/id", "");
    assertEquals(401, missing.status());
    assertTrue(missing.body().contains("identity_missing"), missing.body());
    assertNull(missing.field("Cache-Control"));
  }

  @Test
  void ofARuleReplacesThatOfAll() throws Exception {
    String ofAll = "refusal: {status: 403, bodies: {text/plain: all}}\n";
    start(
        "local",
        ofAll
            + "everywhere:\n  - {name: a, limit: 3/365d, key: all}\n"
            + "rules:\n  - {id: own, match: {path: /own}, limit: 1/365d, refusal: {status: 429}}\n"
            + "  - {id: x, match: {path: /x}, limit: 1/365d}\n"
            + "#");
    get("/own", "");
    RawClient.Response own = get("/own", "");
    assertEquals(429, own.status());
    assertEquals("application/problem+json", own.field("Content-Type"));
    get("/x", "");
    assertEquals("all", get("/x", "").body());
    assertEquals(200, get("/elsewhere", "").status());
    assertEquals("all", get("/elsewhere", "").body());
    assertEquals(429, get("/own", "").status());
  }

  @Test
  void changesWithTheRules() throws Exception {
    start("local", "refusal: {bodies: {text/plain: one}}\n");
    get("/r", "");
    assertEquals("one", get("/r", "").body());
    fleet.rig(0).publish(rules("local", "refusal: {bodies: {text/plain: two}}\n"));
    assertEquals("two", get("/r", "").body());
    fleet.rig(0).publish(rules("local", ""));
    assertEquals("application/problem+json", get("/r", "").field("Content-Type"));
  }

  @Test
  void hasNothingOfTheClients() throws Exception {
    start(
        "local",
        "refusal: {bodies: {text/html: '${rule}/${request-id}/${limit}'}, headers: {x-id:"
            + " '${request-id}'}}\n");
    String evil =
        "X-Request-Id: <script>\r\nX-User: ${rule}\r\nAccept: text/html;x=\"${rule}<script>\"\r\n";
    get("/r", evil);
    RawClient.Response answer = get("/r?${limit}=<script>", evil);
    assertEquals("r/" + answer.field("x-id") + "/1", answer.body());
    assertFalse((answer.head() + answer.body()).contains("script"));
  }
}
