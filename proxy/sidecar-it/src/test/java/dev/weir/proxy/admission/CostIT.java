package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.Dimension;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What requests of every protocol are charged by rules with costs, in every mode. */
@Timeout(60)
class CostIT {
  private static final RedisServer redis = RedisServer.shared();

  private Fleet fleet;
  private Rig rig;
  private RawClient http1;
  private FramePeer http2;
  private int streams = 1;
  private ManagedChannel decision;
  private HttpClient checks;

  /** Whether those who ask are no trusted proxies. */
  private boolean areStrangers;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private void start(String mode, String limits) throws Exception {
    fleet = Fleet.ofFile(1, "decision: 127.0.0.1:0\n" + file(mode, limits));
    rig = fleet.rig(0);
    if (!mode.equals("local")) {
      fleet.deciding(1);
    }
    http1 = rig.connect();
    http2 = new FramePeer(rig.sidecar.listenAddress());
    decision =
        ManagedChannelBuilder.forAddress("127.0.0.1", rig.decisionPort()).usePlaintext().build();
    checks = HttpClient.newHttpClient();
  }

  private String file(String mode, String limits) {
    return """
        trusted-proxies: [%s]
        redis: {nodes: [%s], deadline: 1s}
        rules:
          - id: r
            mode: %s
            key: header:x-user-id
        """
            .formatted(areStrangers ? "192.0.2.1" : "127.0.0.1", Fleet.node(redis), mode)
        + limits.indent(4);
  }

  @AfterEach
  void stop() throws Exception {
    decision.shutdownNow();
    http1.close();
    http2.close();
    fleet.close();
  }

  /** What is left after a request of HTTP/1.1; -1 if it was refused. */
  private long overHttp1() throws Exception {
    RawClient.Response response =
        http1.send("GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: u\r\n\r\n").read();
    assertEquals(
        response.remaining() >= 0 && response.status() == 200 ? 200 : 429, response.status());
    return response.status() == 200 ? response.remaining() : -1;
  }

  /** The first frame of the answer to a request of HTTP/2. */
  private String overHttp2(String path, String... fields) {
    String[] all = new String[fields.length + 1];
    all[0] = "x-user-id: u";
    System.arraycopy(fields, 0, all, 1, fields.length);
    http2.request(streams, true, fields.length == 0 ? "GET" : "POST", path, all).send();
    return head();
  }

  private String overGrpc() {
    return overHttp2("/shop.Cart/Get", "content-type: application/grpc", "te: trailers");
  }

  private CheckRateLimitResponse byDecision() {
    return byDecision(0);
  }

  private CheckRateLimitResponse byDecision(long cost) {
    return RateLimiterGrpc.newBlockingStub(decision)
        .checkRateLimit(
            CheckRateLimitRequest.newBuilder()
                .setIdentifier("u")
                .setDimension(Dimension.USER)
                .setEndpoint("/")
                .setCost(cost)
                .build());
  }

  private HttpResponse<String> byHttpCheck() throws Exception {
    return byHttpCheck("X-Other", "1");
  }

  private HttpResponse<String> byHttpCheck(String name, String value) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + rig.decisionPort() + "/v1/check");
    return checks.send(
        HttpRequest.newBuilder(uri)
            .header("X-Forwarded-Method", "GET")
            .header("X-Forwarded-Uri", "/")
            .header("X-User-Id", "u")
            .header(name, value)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void oneLimitCountsRequestsAndAnotherFiveUnitsEachOverEveryProtocol(String mode)
      throws Exception {
    start(
        mode,
        """
        limits:
          - {limit: 1000/1h}
          - {limit: 50/365d, algorithm: fixed-window, cost: 5}
        """);
    assertEquals(45, overHttp1());
    assertTrue(overHttp2("/").contains("\"r-365d\";r=40;"));
    overGrpc();
    assertEquals(30, byDecision().getRemaining());
    assertTrue(byHttpCheck().headers().firstValue("RateLimit").orElse("").contains(";r=25;"));
    rig.publish(
        file(
            mode,
            """
            limits:
              - {limit: 1000/1h}
              - {limit: 50/365d, algorithm: fixed-window, cost: 10}
            """));
    assertEquals(15, overHttp1(), "what was used stays used, and the new cost holds");
    assertEquals(5, overHttp1());
    assertEquals(-1, overHttp1());
    assertTrue(overHttp2("/").contains(":status: 429"));
    assertTrue(overGrpc().contains("grpc-status: 8"));
    assertEquals(false, byDecision().getAllowed());
    assertEquals(429, byHttpCheck().statusCode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void aTokenBucketCountsDecimalsOverEveryProtocolAndTellsWholeTokens(String mode)
      throws Exception {
    start(mode, "algorithm: token-bucket\nlimit: 7.5/365d\ncost: 1.5\n");
    assertEquals(6, overHttp1());
    assertTrue(overHttp2("/").contains("\"r\";r=4;"), "4.5 are left");
    overGrpc();
    CheckRateLimitResponse checked = byDecision();
    assertTrue(checked.getAllowed());
    assertEquals(1, checked.getRemaining(), "1.5 are left");
    assertEquals(7, checked.getLimit());
    HttpResponse<String> last = byHttpCheck();
    assertEquals("\"r\";q=7;w=31536000", last.headers().firstValue("RateLimit-Policy").get());
    assertTrue(last.headers().firstValue("RateLimit").get().contains(";r=0;"));
    assertEquals(-1, overHttp1());
    assertTrue(overHttp2("/").contains(":status: 429"));
    assertEquals(false, byDecision().getAllowed());
    if (mode.equals("local")) {
      rig.publish(file(mode, "algorithm: token-bucket\nlimit: 8/365d\n"));
      assertEquals(-1, overHttp1(), "7.5 of 8 stay used");
      rig.publish(file(mode, "algorithm: token-bucket\nlimit: 9/365d\ncost: 0.5\n"));
      assertEquals(0, overHttp1(), "8 of 9 stay used, as the half was rounded up");
    } else {
      try (RespClient store = redis.connect()) {
        String name = RespClient.textOf(((List<?>) store.call("KEYS", "rl:*:u:*")).get(0));
        assertTrue(name.endsWith(":u:r~m"), name);
      }
    }
  }

  private int status(RawClient client, String method, String fields, String content)
      throws Exception {
    String request =
        method + " / HTTP/1.1\r\nHost: a\r\nX-User-Id: u\r\n" + fields + "\r\n" + content;
    RawClient.Response response = client.send(request).read();
    left = response.remaining();
    return response.status();
  }

  private long left;

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void aHeaderOfATrustedProxySaysTheCostOverEveryProtocol(String mode) throws Exception {
    start(
        mode,
        """
        limits:
          - {limit: 1000/1h}
          - limit: 100/365d
            algorithm: fixed-window
            cost: {header: X-Cost, max: 20, default: 2}
        """);
    assertEquals(200, status(http1, "GET", "x-cost: 7\r\n", ""));
    assertEquals(93, left);
    assertTrue(overHttp2("/", "x-cost: 8").contains("\"r-365d\";r=85;"));
    overHttp2("/shop.Cart/Get", "content-type: application/grpc", "te: trailers", "x-cost: 5");
    assertEquals(78, byDecision().getRemaining(), "a check without the header costs the default");
    assertTrue(byHttpCheck("X-Cost", "6").headers().firstValue("RateLimit").get().contains("=72;"));
    assertEquals(71, byDecision(1).getRemaining(), "a cost that the caller gives wins");
    for (String malformed : List.of("-1", "1.5", "", "x", "1e9", "0", "1,2", "+1", "0x1")) {
      long before = left == 0 ? 71 : left;
      before = malformed.equals("-1") ? 71 : before;
      assertEquals(200, status(http1, "GET", "x-cost: " + malformed + "\r\n", ""));
      assertEquals(before - 2, left, malformed);
    }
    assertEquals(9.0, rig.metric("weir_cost_headers_misread_total{fault=\"malformed\"}"));
    assertEquals(200, status(http1, "GET", "x-cost: 1\r\nx-cost: 1\r\n", ""));
    assertEquals(51, left, "two values are none");
    assertEquals(200, status(http1, "GET", "x-cost: 99999999999999999999999\r\n", ""));
    assertEquals(31, left, "the most that it may say");
    assertEquals(1.0, rig.metric("weir_cost_headers_misread_total{fault=\"above_max\"}"));
    assertEquals(200, status(http1, "GET", "x-cost: 20\r\n", ""));
    assertEquals(429, status(http1, "GET", "x-cost: 12\r\n", ""));
    assertEquals(200, status(http1, "GET", "x-cost: 11\r\n", ""), "a refusal charges nothing");
    assertEquals(0, left);
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void aStrangersHeaderNeverCounts(String mode) throws Exception {
    areStrangers = true;
    start(
        mode,
        """
        limit: 100/365d
        algorithm: fixed-window
        cost: {header: x-cost, max: 20}
        """);
    assertEquals(200, status(http1, "GET", "x-cost: 20\r\n", ""));
    assertEquals(99, left);
    assertTrue(overHttp2("/", "x-cost: 20").contains("\"r\";r=98;"));
    assertEquals(2.0, rig.metric("weir_cost_headers_misread_total{fault=\"not_trusted\"}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void theContentsLengthSaysTheCost(String mode) throws Exception {
    start(
        mode,
        """
        limit: 100/365d
        algorithm: fixed-window
        cost: {request-bytes: 1KiB, default: 9}
        """);
    assertEquals(200, status(http1, "GET", "", ""));
    assertEquals(99, left, "no content");
    assertEquals(200, status(http1, "POST", "Content-Length: 0\r\n", ""));
    assertEquals(98, left);
    assertEquals(200, status(http1, "POST", "Content-Length: 1024\r\n", "x".repeat(1024)));
    assertEquals(97, left);
    assertEquals(200, status(http1, "POST", "Content-Length: 1025\r\n", "x".repeat(1025)));
    assertEquals(95, left, "rounded up");
    String chunked = "Transfer-Encoding: chunked\r\n";
    assertEquals(200, status(http1, "POST", chunked, "1\r\nx\r\n0\r\n\r\n"));
    assertEquals(86, left, "of unknown length");
    assertTrue(overHttp2("/").contains("\"r\";r=85;"));
    http2.request(streams, false, "POST", "/", "x-user-id: u", "content-length: 2000");
    http2.data(streams, true, "y".repeat(2000)).send();
    assertTrue(head().contains("\"r\";r=83;"));
    http2.request(streams, false, "POST", "/", "x-user-id: u").data(streams, true, "y").send();
    assertTrue(head().contains("\"r\";r=74;"));
    assertEquals(65, byDecision().getRemaining(), "a check tells no length");
    assertTrue(byHttpCheck().headers().firstValue("RateLimit").get().contains("r=56;"));
    assertEquals(53, byDecision(3).getRemaining());
    assertEquals(429, status(http1, "POST", "Content-Length: 54273\r\n", ""), "54 of 53");
    RawClient.Response never =
        rig.connect()
            .send("POST / HTTP/1.1\r\nHost: a\r\nX-User-Id: u\r\nContent-Length: 999999\r\n\r\n")
            .read();
    assertEquals(429, never.status());
    assertTrue(never.body().contains("never_satisfiable"), never.body());
    assertEquals(null, never.field("Retry-After"));
  }

  @Test
  void leasedUnitsPayForCostsThatRequestsSay() throws Exception {
    start(
        "leased",
        """
        limits:
          - limit: 100/365d
            algorithm: fixed-window
            cost: {header: x-cost, max: 20}
          - limit: 100/364d
            algorithm: fixed-window
            cost: {request-bytes: 1KiB, default: 9}
        """);
    String content = "Content-Length: 10240\r\nx-cost: ";
    int passed = 0;
    for (int i = 0; i < 20; i++) {
      int cost = i % 2 == 0 ? 1 : 10;
      passed += status(http1, "POST", content + cost + "\r\n", "x".repeat(10240)) == 200 ? 1 : 0;
    }
    assertEquals(10, passed, "as the content of ten fits");
  }

  /** The head of the answer to the last stream. */
  private String head() {
    streams += 2;
    String head = http2.next();
    while (!head.startsWith("HEADERS " + (streams - 2) + " ")) {
      head = http2.next();
    }
    return head;
  }
}
