package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
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

  private static RedisServer redis;
  private static int users;

  private Fleet fleet;
  private Rig rig;
  private FrameClient client;

  /** Nobody knows of them in another test. */
  private String user;

  @BeforeAll
  static void startRedis() throws Exception {
    redis = RedisKind.EMBEDDED.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

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
    client = new FrameClient(rig.sidecar.listenAddress());
  }

  @AfterEach
  void end() throws Exception {
    client.close();
    fleet.close();
  }

  /** Has a request wait for its verdict. */
  private void ask(boolean ends) throws Exception {
    redis.pause();
    client.request(1, ends, ends ? "GET" : "POST", "x-user", user).send();
    rig.await(IN_FLIGHT, 1);
  }

  private void assertCharged(long expected) throws Exception {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (StoreRig.charged(redis, user) != expected && System.nanoTime() < deadlineNs) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    assertEquals(expected, StoreRig.charged(redis, user));
  }

  private void assertAnswered() throws IOException {
    assertEquals("HEADERS 1 200", client.read());
    assertEquals("DATA 1 " + RecordingOrigin.BODY + " end", client.read());
  }

  @Test
  void aResetDropsTheVerdictAndKeepsTheCharge() throws Exception {
    ask(true);
    client.reset(1).send();
    rig.await(IN_FLIGHT, 0);
    redis.resume();
    rig.await("weir_verdicts_dropped_total", 1);
    assertCharged(1);
    client.request(3, true, "GET", "x-user", user).send();
    assertEquals("HEADERS 3 200", client.read());
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

  @Test
  void aDrainWaitsForTheVerdict() throws Exception {
    ask(true);
    Thread drain = new Thread(() -> rig.sidecar.drain(TimeUnit.SECONDS.toNanos(60)), "drain");
    drain.start();
    assertEquals("GOAWAY", client.read());
    redis.resume();
    String frame = client.read();
    if (frame.equals("GOAWAY")) { // the second, which may be behind the answer
      frame = client.read();
    }
    assertEquals("HEADERS 1 200", frame);
    String last = frame;
    while (!frame.equals("closed")) {
      last = frame;
      frame = client.read();
    }
    assertTrue(last.equals("GOAWAY") || last.endsWith(" end"), last);
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
