package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What happens on a stream of HTTP/2 while its verdict is on the way from a store that is stopped
 * for a moment, over sockets; each with what the store has charged in the end.
 */
@Timeout(120)
class Http2StoreRaceIT {
  private static final String IN_FLIGHT = "weir_requests_in_flight";

  private static final RedisServer redis = RedisServer.shared();
  private static int users;

  private Fleet fleet;
  private Rig rig;
  private FramePeer client;

  /** Nobody knows of them in another test. */
  private String user;

  @BeforeEach
  void start() throws Exception {
    user = "user" + ++users;
    fleet =
        new Fleet(
            1,
            Fleet.node(redis),
            "--algorithm",
            "fixed-window",
            "--limit",
            "100/365d",
            "--on-store-failure",
            "closed");
    fleet.deciding(1);
    rig = fleet.rig(0);
    client = new FramePeer(rig.sidecar.listenAddress());
  }

  @AfterEach
  void end() throws Exception {
    client.close();
    fleet.close();
  }

  private void request(int stream, boolean ends) {
    client.request(stream, ends, ends ? "GET" : "POST", "/", "x-user: " + user).send();
  }

  /** Has a request wait for its verdict. */
  private void ask(boolean ends) throws Exception {
    redis.pause();
    request(1, ends);
    rig.await(IN_FLIGHT, 1);
  }

  private void assertCharged(long expected) throws Exception {
    Await.until("charged", () -> StoreRig.charged(redis, user) >= expected);
    assertEquals(expected, StoreRig.charged(redis, user));
  }

  private void assertAnswered() {
    assertOk(1, client.next());
    assertEquals("DATA 1 " + RecordingOrigin.BODY + " end", client.next());
  }

  private static void assertOk(int stream, String frame) {
    assertTrue(frame.startsWith("HEADERS " + stream + " :status: 200, "), frame);
  }

  @Test
  void aResetDropsTheVerdictAndKeepsTheCharge() throws Exception {
    ask(true);
    client.reset(1, ErrorCode.CANCEL).send();
    rig.await(IN_FLIGHT, 0);
    redis.resume();
    rig.await("weir_verdicts_dropped_total", 1);
    assertCharged(1);
    request(3, true);
    assertOk(3, client.next());
    assertEquals(1, rig.origin.requestCount(), "the one that was reset is not sent on");
    assertCharged(2);
  }

  @Test
  void theEndOfTheBodyIsSentOnWithTheVerdict() throws Exception {
    ask(false);
    client.data(1, false, "hel").data(1, true, "lo").send();
    redis.resume();
    assertAnswered();
    String request = rig.origin.nextRequest();
    assertTrue(request.contains("hel") && request.contains("lo"), request);
    assertCharged(1);
  }

  private static boolean isGoAway(String frame) {
    return frame.startsWith("GOAWAY ");
  }

  @Test
  void aDrainWaitsForTheVerdict() throws Exception {
    ask(true);
    Thread drain = new Thread(() -> rig.sidecar.drain(TimeUnit.SECONDS.toNanos(60)), "drain");
    drain.start();
    assertTrue(isGoAway(client.next()));
    redis.resume();
    String frame = client.next();
    if (isGoAway(frame)) { // the second, which may be behind the answer
      frame = client.next();
    }
    assertOk(1, frame);
    String last = frame;
    while (!frame.equals("closed")) {
      last = frame;
      frame = client.next();
    }
    assertTrue(isGoAway(last) || last.endsWith(" end"), last);
    drain.join();
    assertCharged(1);
  }

  @Test
  void aConnectionThatTheServiceClosesMeanwhileIsNotUsed() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(RecordingOrigin.OK);
          if (closed.getCount() > 0) {
            asked.await();
            origin.end();
            closed.countDown();
          }
        });
    try (RawClient other = rig.connect()) {
      assertEquals(200, other.send(Fleet.get("other")).read().status());
    }
    ask(true);
    asked.countDown();
    closed.await();
    rig.await("weir_upstream_connections_open", 0);
    redis.resume();
    assertAnswered();
    assertEquals(2, rig.origin.requestCount());
    assertCharged(1);
  }
}
