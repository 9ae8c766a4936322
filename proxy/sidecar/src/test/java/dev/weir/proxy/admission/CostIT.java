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

  private static String file(String mode, String limits) {
    return """
        trusted-proxies: [127.0.0.1]
        redis: {nodes: [%s], deadline: 1s}
        rules:
          - id: r
            mode: %s
            key: header:x-user-id
        """
            .formatted(Fleet.node(redis), mode)
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
    streams += 2;
    String[] all = new String[fields.length + 1];
    all[0] = "x-user-id: u";
    System.arraycopy(fields, 0, all, 1, fields.length);
    http2.request(streams - 2, true, fields.length == 0 ? "GET" : "POST", path, all).send();
    String head = http2.next();
    while (!head.startsWith("HEADERS " + (streams - 2) + " ")) {
      head = http2.next();
    }
    return head;
  }

  private String overGrpc() {
    return overHttp2("/shop.Cart/Get", "content-type: application/grpc", "te: trailers");
  }

  private CheckRateLimitResponse byDecision() {
    return RateLimiterGrpc.newBlockingStub(decision)
        .checkRateLimit(
            CheckRateLimitRequest.newBuilder()
                .setIdentifier("u")
                .setDimension(Dimension.USER)
                .setEndpoint("/")
                .build());
  }

  private HttpResponse<String> byHttpCheck() throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + rig.decisionPort() + "/v1/check");
    return checks.send(
        HttpRequest.newBuilder(uri)
            .header("X-Forwarded-Method", "GET")
            .header("X-Forwarded-Uri", "/")
            .header("X-User-Id", "u")
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
}
