package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that a client repeats with their idempotency key: {@code idempotency: true}. */
@Timeout(120)
class IdempotencyIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String RULE =
      "rules:\n  - {id: r, algorithm: fixed-window, key: header:x-user, mode: exact,"
          + " idempotency: true, limit: ";

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static String file(String limit) {
    return FourWays.SETTINGS
        + "redis: {nodes: "
        + Fleet.node(redis)
        + ", deadline: 1s}\n"
        + RULE
        + limit
        + "}\n";
  }

  private static Fleet fleet(int size) throws Exception {
    return Fleet.ofFile(size, file("9/365d")).deciding(1);
  }

  private static String request(String target, String... fields) {
    String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
    return "POST " + target + " HTTP/1.1\r\nHost: a\r\nX-User: ann\r\n" + more + "\r\n";
  }

  /** What is left after a request. */
  private static long left(RawClient client, String... fields) throws IOException {
    return client.send(request("/", fields)).read().remaining();
  }

  private static long leftOverHttp2(FramePeer client, int streamId, String... more) {
    List<String> fields = new ArrayList<>(List.of("x-user: ann"));
    fields.addAll(List.of(more));
    client.request(streamId, true, "POST", "/", fields.toArray(String[]::new)).send();
    String head = client.next();
    for (String frame = head; !frame.endsWith(" end"); ) {
      frame = client.next();
    }
    return Long.parseLong(head.replaceFirst("(?s).*ratelimit: \"r\";r=(\\d+).*", "$1"));
  }

  @Test
  void areChargedOnceOverAllProtocolsAndSidecars() throws Exception {
    try (Fleet fleet = fleet(2);
        RawClient one = fleet.rig(0).connect();
        RawClient other = fleet.rig(1).connect();
        FramePeer http2 = new FramePeer(fleet.rig(1).sidecar.listenAddress())) {
      assertEquals(8, left(one, "Idempotency-Key: k"));
      assertEquals(8, left(other, "idempotency-key: k"));
      assertEquals(8, leftOverHttp2(http2, 1, "x-idempotency-key: k"));
      assertEquals(
          8,
          leftOverHttp2(
              http2, 3, "content-type: application/grpc", "te: trailers", "idempotency-key: k"));
      // A key that is granted without an end would be a way around the limit.
      assertEquals(7, left(one, "Idempotency-Key: k"));
      assertEquals(6, left(one, "Idempotency-Key: another"));
      assertEquals(5, left(one));
      assertEquals(4, left(one));
    }
  }

  @Test
  void areChargedOnceAsChecksOfAProxy() throws Exception {
    try (Fleet fleet = fleet(1);
        RawClient client = fleet.rig(0).connect();
        RawClient proxy =
            new RawClient(new InetSocketAddress("127.0.0.1", fleet.rig(0).decisionPort()))) {
      String check =
          "GET /v1/check HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nX-Forwarded-Method: POST\r\n"
              + "X-Forwarded-Uri: /\r\nIdempotency-Key: k\r\n\r\n";
      assertEquals(200, proxy.send(check).read().status());
      assertEquals(200, proxy.send(check).read().status());
      assertEquals(8, left(client, "Idempotency-Key: k"));
    }
  }

  @Test
  void belongToTheirUser() throws Exception {
    try (Fleet fleet = fleet(1);
        RawClient client = fleet.rig(0).connect()) {
      assertEquals(8, left(client, "Idempotency-Key: k"));
      String ofBob = request("/", "Idempotency-Key: k").replace("ann", "bob");
      assertEquals(8, client.send(ofBob).read().remaining());
      assertEquals(8, client.send(ofBob).read().remaining());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Idempotency-Key:",
        "Idempotency-Key: a\r\nIdempotency-Key: a",
        "X-Idempotency-Key: a\r\nX-Idempotency-Key: b",
        "Idempotency-Key: a\r\nX-Idempotency-Key: a",
        "Idempotency-Key: LONG"
      })
  void areRefusedWithoutOneKeyThatCanBeUsed(String fields) throws Exception {
    try (Fleet fleet = fleet(1);
        RawClient client = fleet.rig(0).connect()) {
      String bad = fields.replace("LONG", "k".repeat(IdempotencyField.MAX_BYTES + 1));
      RawClient.Response answer = client.send(request("/", bad)).read();
      assertEquals(400, answer.status());
      assertTrue(
          answer
              .body()
              .contains(
                  "\"title\":\"Malformed Idempotency Key\",\"status\":400,"
                      + "\"detail\":\"A request has one field Idempotency-Key or X-Idempotency-Key,"
                      + " of 1 to 255 bytes.\",\"reason\":\"idempotency_key_malformed\""),
          answer.body());
      assertEquals(
          1, fleet.sum("weir_decisions_total{outcome=\"idempotency_refused\",rule=\"r\"}"));
      assertEquals(8, left(client, "Idempotency-Key: " + "k".repeat(IdempotencyField.MAX_BYTES)));
    }
  }

  @Test
  void areKnownAfterAReloadOfTheLimit() throws Exception {
    try (Fleet fleet = fleet(2);
        RawClient one = fleet.rig(0).connect();
        RawClient other = fleet.rig(1).connect()) {
      assertEquals(8, left(one, "Idempotency-Key: k"));
      fleet.rig(1).publish(file("20/365d"));
      assertEquals(8, left(other, "Idempotency-Key: k"), "as it was granted");
      assertEquals(18, left(other, "Idempotency-Key: new"));
      assertEquals(8, left(one, "Idempotency-Key: k"));
    }
  }

  /** A retry pays with what its first try has paid. */
  @Test
  void keepTheChargeOfARequestThatTheServiceHadNoConnectionFor() throws Exception {
    Semaphore answers = new Semaphore(0);
    String busy =
        "caps: {upstream-connections: 1}\n"
            + file("9/365d").replace("timeouts: {", "timeouts: {upstream-queue: 100ms, ");
    try (Rig rig = Rig.ofFile("nio", busy);
        RawClient served = rig.connect();
        RawClient waiting = rig.connect()) {
      rig.await(StoreRig.DECIDING, 1);
      rig.origin.script(
          origin -> {
            origin.request();
            answers.acquire();
            origin.send(RecordingOrigin.OK);
          });
      served.send(request("/"));
      rig.origin.nextRequest();
      assertEquals(503, waiting.send(request("/", "Idempotency-Key: k")).read().status());
      answers.release(3);
      assertEquals(8, served.read().remaining());
      assertEquals(7, left(waiting, "Idempotency-Key: k"));
      assertEquals(6, left(waiting, "Idempotency-Key: new"));
    }
  }

  @Test
  void areKnownToTheReplicaThatIsPromoted() throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisKind.EMBEDDED.binary());
        Fleet fleet = Fleet.ofFile(2, ofSentinels(sentinels)).deciding(1);
        RawClient one = fleet.rig(0).connect();
        RawClient other = fleet.rig(1).connect()) {
      assertEquals(8, left(one, "Idempotency-Key: k"));
      sentinels.awaitReplica();
      sentinels.awaitPromotion(sentinels.killMaster());
      Await.until(
          "the promoted server is used",
          () -> other.send(request("/").replace("ann", "bob")).read().status() == 200);
      assertEquals(8, left(other, "Idempotency-Key: k"));
      assertEquals(7, left(other, "Idempotency-Key: new"));
    }
  }

  private static String ofSentinels(RedisSentinels sentinels) {
    String nodes =
        "[\"" + String.join("\", \"", sentinels.sentinels().stream().map(Fleet::node).toList());
    return "redis: {topology: sentinel, sentinel-master: weir, deadline: 1s, nodes: "
        + nodes
        + "\"]}\n"
        + RULE
        + "9/365d, on-store-failure: closed}\n";
  }
}
