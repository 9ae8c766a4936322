package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explanations of requests whose budgets are in the store. */
@Timeout(60)
class ExplainIT {
  private static final RedisServer redis = RedisServer.shared();

  private static String explain(Rig rig) throws Exception {
    return explain(rig, "");
  }

  private static String explain(Rig rig, String more) throws Exception {
    SocketAddress admin = rig.sidecar.adminAddress();
    try (RawClient client = new RawClient((InetSocketAddress) admin)) {
      String target = "/explain?path=/orders&header=x-user-id:7" + more;
      String head = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      return client.send(head).read().body();
    }
  }

  private static String file(String mode) {
    return """
        admin: 127.0.0.1:0
        service: shop
        redis: {nodes: ["%s"], deadline: 1s}
        rules:
          - {id: orders, mode: %s, key: header:x-user-id, limit: 10/365d}
        """
        .formatted(Fleet.node(redis), mode);
  }

  @ParameterizedTest
  @ValueSource(strings = {"exact", "leased"})
  void looksAtTheStoreAndWritesNothing(String mode) throws Exception {
    redis.text("FLUSHALL");
    try (Fleet fleet = Fleet.ofFile(1, file(mode)).deciding(1)) {
      Rig rig = fleet.rig(0);
      for (int i = 0; i < 3; i++) {
        String text = explain(rig);
        assertTrue(text.contains("mode " + mode), text);
        assertTrue(text.contains("takes 1; 10 of 10 left"), text);
        assertTrue(text.endsWith("outcome: passes now\n"), text);
      }
      try (RespClient store = redis.connect()) {
        assertEquals(List.of(), store.call("KEYS", "rl:*:7:*"));
      }
    }
  }

  @Test
  void saysThatARepeatMayPassWhereThereIsNothingLeft() throws Exception {
    redis.text("FLUSHALL");
    String file = file("exact, idempotency: true").replace("10/365d", "1/365d");
    try (Fleet fleet = Fleet.ofFile(1, file).deciding(1)) {
      Rig rig = fleet.rig(0);
      String key = "Idempotency-Key: a\r\n";
      try (RawClient client = rig.connect()) {
        String head = "GET /orders HTTP/1.1\r\nHost: a\r\nX-User-Id: 7\r\n" + key + "\r\n";
        assertEquals(200, client.send(head).read().status());
        assertEquals(200, client.send(head).read().status());
      }
      assertTrue(explain(rig).endsWith("outcome: refused now with 429 by orders\n"));
      String text = explain(rig, "&header=idempotency-key:a");
      String unless = "by orders, unless its idempotency key has passed before\n";
      assertTrue(text.endsWith("outcome: refused now with 429 " + unless), text);
    }
  }

  @Test
  void saysThatTheStoreDoesNotTell() throws Exception {
    String away =
        file("exact")
            .replace(Fleet.node(redis), "127.0.0.1:1")
            .replace("mode: exact", "mode: exact, on-store-failure: closed");
    try (Fleet fleet = Fleet.ofFile(1, away)) {
      String text = explain(fleet.rig(0));
      assertTrue(text.contains("which are not known now: store_unavailable"), text);
    }
  }
}
