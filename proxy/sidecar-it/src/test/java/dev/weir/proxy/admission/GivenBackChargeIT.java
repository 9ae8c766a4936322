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

  /** One key is one check; several may be one, or one for each where servers differ. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        WINDOW + ", key: header:a}",
        WINDOW + ", key: header:a}, " + WINDOW + ", key: header:b}"
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
}
