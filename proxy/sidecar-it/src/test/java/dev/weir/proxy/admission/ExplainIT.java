package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.Semaphore;
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

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void tellsUsedUnitsAndThoseThatAreHeldApart(String mode) throws Exception {
    redis.text("FLUSHALL");
    String limits =
        """
        limits:
          - {name: tokens, limit: 20k/365d, algorithm: fixed-window, cost: {response: {header: x-cost}, reserve: 4000}}
          - {name: running, concurrency: 2}
        """;
    String file =
        file(mode)
            .replace("- {id: orders", "- id: orders")
            .replaceAll(", (mode|key): ", "\n    $1: ")
            .replace(", limit: 10/365d}", "\n" + limits.indent(4));
    Semaphore answers = new Semaphore(0);
    try (Fleet fleet = Fleet.ofFile(1, file)) {
      Rig rig = fleet.rig(0);
      rig.origin.script(
          with -> {
            with.request();
            answers.acquire();
            with.send("HTTP/1.1 200 OK\r\nx-cost: 900\r\nContent-Length: 0\r\n\r\n");
          });
      try (RawClient one = rig.connect();
          RawClient other = rig.connect()) {
        String head = "GET /orders HTTP/1.1\r\nHost: a\r\nX-User-Id: 7\r\n\r\n";
        one.send(head);
        other.send(head);
        awaitIn(rig, "holds 4000 until it ends; 12000 of 20000 left, 8000 held, what is used back");
        String full = explain(rig);
        assertTrue(full.contains("holds 1 until it ends; 0 of 2 left, 2 held, which is"), full);
        assertFalse(full.contains("always will be"), full);
        assertTrue(full.endsWith("outcome: refused now with 429 by running\n"), full);
        String json = explain(rig, "&format=json");
        assertTrue(json.contains("\"held_units\" : 8000"), json);
        answers.release(1);
        awaitIn(rig, "holds 4000 until it ends; 15100 of 20000 left, 4000 held");
        assertTrue(explain(rig).contains("1 of 2 left, 1 held\n"), explain(rig));
        answers.release(1);
        awaitIn(rig, "18200 of 20000 left, 0 held");
      } finally {
        answers.release(100);
      }
    }
  }

  private static void awaitIn(Rig rig, String text) throws Exception {
    Await.until(text, () -> explain(rig).contains(text));
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
