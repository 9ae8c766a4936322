package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the store has charged for a request that the service never hears of. */
@Timeout(120)
class GivenBackChargeIT {
  private static final String WINDOW = "{limit: 100/365d, algorithm: fixed-window";

  private static RedisServer redis;
  private static RedisServer other;

  @BeforeAll
  static void startRedis() throws Exception {
    redis = RedisKind.EMBEDDED.start();
    other = RedisKind.EMBEDDED.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
    other.close();
  }

  private static final String HELD =
      ", {name: tokens, limit: 1M/365d, algorithm: fixed-window, key: header:a,"
          + " cost: {response: {header: x-cost}, reserve: 1}}"
          + ", {name: slots, concurrency: 1000, key: header:a}"
          + ", {name: bytes, limit: 1M/365d, algorithm: fixed-window, key: header:a,"
          + " cost: {request-bytes: 1KiB}}";

  /** One key is one check; several may be one, or one for each where servers differ. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        WINDOW + ", key: header:a}",
        WINDOW + ", key: header:a}, " + WINDOW + ", key: header:b}",
        WINDOW + ", key: header:a}" + HELD,
        WINDOW + ", key: header:a}" + HELD + ", " + WINDOW + ", key: header:b}"
      })
  void isGivenBackOnce(String limits) throws Exception {
    redis.text("FLUSHALL");
    other.text("FLUSHALL");
    Semaphore answers = new Semaphore(0);
    String yaml =
        "caps: {upstream-connections: 1}\ntimeouts: {upstream-queue: 100ms}\n"
            + "redis: {topology: sharded, deadline: 1s, nodes: [\""
            + Fleet.node(redis)
            + "\", \""
            + Fleet.node(other)
            + "\"]}\n"
            + "rules:\n  - {id: all, mode: exact, on-store-failure: closed, limits: ["
            + limits
            + "]}\n";
    try (Rig rig = Rig.ofFile("nio", yaml);
        RawClient served = rig.connect();
        RawClient waiting = rig.connect()) {
      rig.await(StoreRig.DECIDING, 2); // until then a rule that is closed refuses
      rig.origin.script(
          origin -> {
            origin.request();
            answers.acquire();
            origin.send(RecordingOrigin.OK);
          });
      for (int value = 0; value < 6; value++) { // on one server, on the other, on both
        String request =
            "GET / HTTP/1.1\r\nHost: a\r\nA: " + value + "\r\nB: " + value + "\r\n\r\n";
        served.send(request);
        rig.origin.nextRequest();
        assertEquals(503, waiting.send(request).read().status());
        assertEquals(value + 1, rig.metric("weir_charges_given_back_total"));
        answers.release(2);
        assertEquals(99, served.read().remaining());
        assertEquals(98, waiting.send(request).read().remaining());
        rig.origin.nextRequest();
      }
    }
  }

  /** What others have used of a cost that is known at the end, or of a length, stays used. */
  @ParameterizedTest
  @ValueSource(strings = {"{response: {header: x-cost}, reserve: 1}", "{request-bytes: 1KiB}"})
  void takesNothingOffWhatOthersHaveUsed(String cost) throws Exception {
    redis.text("FLUSHALL");
    Semaphore answers = new Semaphore(1);
    String yaml =
        "caps: {upstream-connections: 1}\ntimeouts: {upstream-queue: 100ms}\n"
            + "redis: {deadline: 1s, nodes: [\""
            + Fleet.node(redis)
            + "\"]}\nrules:\n  - {id: all, mode: exact, on-store-failure: closed, key: all, limits:"
            + " [{limit: 3/365d, algorithm: fixed-window, cost: "
            + cost
            + "}, {limit: 100/30d, algorithm: fixed-window}]}\n";
    String request = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
    try (Rig rig = Rig.ofFile("nio", yaml);
        RawClient served = rig.connect();
        RawClient waiting = rig.connect()) {
      rig.await(StoreRig.DECIDING, 1);
      rig.origin.script(
          origin -> {
            origin.request();
            answers.acquire();
            origin.send(RecordingOrigin.OK);
          });
      assertEquals(200, served.send(request).read().status());
      rig.origin.nextRequest();
      served.send(request);
      rig.origin.nextRequest();
      assertEquals(503, waiting.send(request).read().status());
      assertEquals(1, rig.metric("weir_charges_given_back_total"));
      answers.release(2);
      assertEquals(200, served.read().status());
      assertEquals(200, waiting.send(request).read().status(), "the third");
      assertEquals(429, waiting.send(request).read().status());
    }
  }
}
