package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Rules with three keys on several servers: what one server grants while another refuses is given
 * back, also of requests that are asked again, and of clients that do not wait.
 */
class ThreeKeysIT {
  private static final int LIMIT = 20;
  private static final int ROUNDS = 6;
  private static final int BURSTS = 3;
  private static final int CLIENTS = 40;
  private static final String[] KEYS = {"a", "b", "c"};
  private static final int SIDECARS = 3;
  private static final int LEAVING = 12;
  private static final int CHARGED = 10;
  private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final List<RedisServer> SERVERS = new ArrayList<>();
  private static final ExecutorService THREADS = Executors.newFixedThreadPool(CLIENTS);

  @BeforeAll
  static void startRedis() throws Exception {
    for (int i = 0; i < 3; i++) {
      SERVERS.add(RedisKind.EMBEDDED.start());
    }
  }

  @AfterAll
  static void stopRedis() {
    THREADS.shutdownNow();
    SERVERS.forEach(RedisServer::close);
  }

  private static Fleet fleet(String deadline) throws Exception {
    String limits = "";
    for (String key : List.of("x-a", "x-b", "x-c")) {
      limits += "      - {limit: " + LIMIT + "/365d, algorithm: fixed-window, key: header:" + key;
      limits += "}\n";
    }
    return Fleet.ofFile(
            SIDECARS,
            "redis: {nodes: ["
                + String.join(", ", SERVERS.stream().map(Fleet::node).toList())
                + "], topology: sharded, deadline: "
                + deadline
                + "}\n"
                + "rules:\n  - id: r\n    mode: exact\n    on-store-failure: closed\n    limits:\n"
                + limits)
        .deciding(SERVERS.size());
  }

  private static String get(String a, String b, String c) {
    return "GET / HTTP/1.1\r\nHost: a\r\nX-A: "
        + a
        + "\r\nX-B: "
        + b
        + "\r\nX-C: "
        + c
        + "\r\n\r\n";
  }

  private static long charged(String identity) throws Exception {
    long charged = 0;
    for (RedisServer server : SERVERS) {
      charged += StoreRig.charged(server, identity);
    }
    return charged;
  }

  @Test
  void neverLetsMoreThanTheLimitPassAndChargesWhatHasPassed() throws Exception {
    Random random = new Random(5);
    try (Fleet fleet = fleet("250ms")) {
      List<RawClient> clients = fleet.connect(CLIENTS);
      int decided = 0; // rounds of which each request was decided in time
      for (int round = 0; decided < ROUNDS; round++) {
        assertTrue(round < 3 * ROUNDS, "decided in " + decided + " of " + round + " rounds");
        Map<String, Integer> passed = new ConcurrentHashMap<>();
        Map<String, Integer> undecided = new ConcurrentHashMap<>();
        for (int burst = 0; burst < BURSTS; burst++) {
          String[][] who = new String[CLIENTS][];
          for (int i = 0; i < CLIENTS; i++) {
            who[i] = new String[KEYS.length];
            for (int key = 0; key < KEYS.length; key++) {
              who[i][key] = KEYS[key] + random.nextInt(2) + "r" + round;
            }
          }
          IntStream.range(0, CLIENTS)
              .mapToObj(
                  i ->
                      CompletableFuture.runAsync(
                          () -> ask(clients.get(i), who[i], passed, undecided), THREADS))
              .toList()
              .forEach(CompletableFuture::join);
        }
        for (Map.Entry<String, Integer> identity : passed.entrySet()) {
          assertTrue(identity.getValue() <= LIMIT, identity + " of " + LIMIT);
          // What was not decided in time is charged or not: nobody can tell.
          int most = identity.getValue() + undecided.getOrDefault(identity.getKey(), 0);
          // Nobody waits for what is given back, so it may take a moment.
          Await.until(
              identity + " charged " + charged(identity.getKey()) + " of " + most,
              () -> charged(identity.getKey()) <= most);
          assertTrue(charged(identity.getKey()) >= identity.getValue(), identity + " charged less");
        }
        // A machine that stands still for a moment spoils one burst, and its round is repeated.
        int sum = undecided.values().stream().mapToInt(Integer::intValue).sum() / KEYS.length;
        assertTrue(sum <= CLIENTS, sum + " not decided in round " + round);
        decided += sum == 0 ? 1 : 0;
      }
      assertEquals(0, fleet.sum("weir_store_refunds_lost_total"));
      assertTrue(fleet.sum("weir_store_refunds_total") > 0, "they were in each other's way");
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  private static void ask(
      RawClient client, String[] who, Map<String, Integer> passed, Map<String, Integer> undecided) {
    try {
      int status = client.send(get(who[0], who[1], who[2])).read().status();
      assertTrue(status == 200 || status == 429 || status == 503, "status " + status);
      if (status != 429) {
        for (String identity : who) {
          (status == 200 ? passed : undecided).merge(identity, 1, Integer::sum);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void clientsThatDoNotWaitTakeNoChargeOffAnybodysBudget() throws Exception {
    try (Fleet fleet = fleet("1s");
        RawClient client = fleet.rig(0).connect()) {
      for (int round = 0; round < ROUNDS; round++) {
        String spent = "spent" + round;
        String victim = "victim" + round;
        String other = "o" + round + "x";
        for (int i = 0; i < LIMIT; i++) {
          assertEquals(200, client.send(get(other + i, spent, other + i)).read().status());
        }
        for (int i = 0; i < CHARGED; i++) {
          String fresh = other + (LIMIT + i);
          assertEquals(200, client.send(get(fresh, fresh, victim)).read().status());
        }
        IntStream.range(0, LEAVING)
            .mapToObj(i -> get(other + "l" + i, spent, victim))
            .map(request -> CompletableFuture.runAsync(() -> leave(fleet, request), THREADS))
            .toList()
            .forEach(CompletableFuture::join);
        for (int i = 0; i < SIDECARS; i++) {
          fleet.rig(i).await("weir_requests_in_flight", 0);
        }
        // Those who left are refused, or are gone before they are asked again: all is given back.
        Await.until(
            "charged " + charged(victim) + " of " + CHARGED, () -> charged(victim) == CHARGED);
      }
      assertTrue(fleet.sum("weir_store_refunds_total") > 0, "something was given back");
    }
  }

  /** Asks, and resets the connection a moment later. */
  private static void leave(Fleet fleet, String request) {
    int number = request.hashCode() & Integer.MAX_VALUE;
    InetSocketAddress to = (InetSocketAddress) fleet.rig(number % SIDECARS).sidecar.listenAddress();
    try (Socket client = new Socket(to.getAddress(), to.getPort())) {
      client.setSoLinger(true, 0);
      client.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      long endNs = System.nanoTime() + PATIENCE_NS;
      while (System.nanoTime() - endNs < 0) {
        Thread.onSpinWait();
      }
    } catch (IOException ended) {
      // The sidecar was faster.
    }
  }
}
