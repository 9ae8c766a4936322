package dev.weir.proxy.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The warm-up of a sidecar that asks a store: what the store, and whoever reads figures, sees. */
class StoreWarmUpIT {
  private static final String ALL_KEYS = "return table.concat(redis.call('KEYS', '*'), '\\n')";

  /** Whether a key of the store is a budget of a request's. */
  private static boolean isOfRequests(String key) {
    return key.contains("00000000");
  }

  /** Not those of connecting, and of the trial's last answer: a start may not wait for either. */
  private static List<String> figures(Sidecar sidecar) throws Exception {
    return SidecarWarmUpTest.figures(sidecar).stream()
        .filter(line -> !line.contains("step=\"store\"") && !line.contains("_store_connect"))
        .toList();
  }

  private static Settings settings(
      RecordingOrigin origin, RedisServer redis, String deadline, String mode) {
    return SidecarWarmUpTest.settings(
        Rig.transports().get(0),
        "http://" + origin.address(),
        "--redis.nodes",
        Fleet.node(redis),
        "--redis.deadline",
        deadline,
        "--mode",
        mode);
  }

  @ParameterizedTest
  @ValueSource(strings = {"exact", "leased"})
  void asksWithoutTouchingABudgetOfTheFleetsAndCountsNothing(String mode) throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start();
        RecordingOrigin origin = new RecordingOrigin()) {
      Settings settings = settings(origin, redis, "1s", mode);
      List<String> cold;
      try (Sidecar sidecar = Sidecar.start(settings)) {
        cold = figures(sidecar);
      }
      redis.text("CONFIG", "RESETSTAT");
      redis.text("FLUSHALL");
      try (Sidecar warm = Sidecar.startWarm(settings)) {
        assertEquals(cold, figures(warm));
        String keys = redis.text("EVAL", ALL_KEYS, "0");
        assertTrue(redis.text("INFO", "commandstats").contains("cmdstat_evalsha"));
        assertEquals(List.of(), keys.lines().filter(StoreWarmUpIT::isOfRequests).toList());
        // Of a budget of one, whose user has the name of one of the warm-up's.
        try (RawClient client = new RawClient(warm.listenAddress())) {
          String request = "GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: 00000000\r\n\r\n";
          assertEquals(200, client.send(request).read().status());
          assertEquals(429, client.send(request).read().status());
        }
      }
      assertEquals(1, origin.connectionCount());
    }
  }

  /** As first answers take longer, of a virtual machine that has just started. */
  @Test
  void waitsLongerThanRequestsMay() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start();
        RecordingOrigin origin = new RecordingOrigin()) {
      // The first start of a JVM may take longer than a start waits for its store.
      Sidecar.start(settings(origin, redis, "1s", "leased")).close();
      Settings settings = settings(origin, redis, "1ms", "leased");
      try (LogLines log = new LogLines();
          Sidecar warm = Sidecar.startWarm(settings)) {
        assertEquals(1, log.with("redis: connected").size(), log::toString);
        assertEquals(List.of(), log.with("not warmed up"));
        warm.drain(0);
      }
    }
  }
}
