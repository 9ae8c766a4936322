package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.WeirProcess;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Units that requests hold, of sidecars that have some of them in hand: mode leased. */
@Timeout(90)
class HeldInHandIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nx-user: ann\r\n\r\n";

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();
  private final Semaphore answers = new Semaphore(0);
  private final List<RawClient> clients = new ArrayList<>();
  private final List<Fleet> fleets = new ArrayList<>();
  private volatile boolean isQuick = true;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  @AfterEach
  void stop() throws Exception {
    answers.release(10_000);
    for (RawClient client : clients) {
      client.close();
    }
    for (Fleet fleet : fleets) {
      fleet.close();
    }
  }

  private static String file(String mode, String limits) {
    return "redis: {nodes: [%s], deadline: 1s}\n".formatted(Fleet.node(redis))
        + "rules:\n  - id: r\n    mode: %s\n    key: header:x-user\n".formatted(mode)
        + limits.indent(4);
  }

  private Fleet start(int sidecars, String mode, String limits) throws Exception {
    Fleet fleet = Fleet.ofFile(sidecars, file(mode, limits)).deciding(1);
    fleets.add(fleet);
    for (Rig rig : fleet.rigs) {
      rig.origin.script(this::answer);
    }
    return fleet;
  }

  private void answer(RecordingOrigin.Conversation with) throws IOException, InterruptedException {
    with.request();
    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
    if (!isQuick) {
      answers.acquire();
    }
    running.decrementAndGet();
    with.send("HTTP/1.1 200 OK\r\nx-cost: 7\r\nContent-Length: 0\r\n\r\n");
  }

  /** Sends requests on some connections at once, again and again: all pass. */
  private void load(List<RawClient> on, int rounds) throws Exception {
    for (int round = 0; round < rounds; round++) {
      assertEquals(Set.of(200), Set.copyOf(Fleet.atOnce(on, GET)));
    }
  }

  private List<RawClient> connect(Fleet fleet, int count) throws IOException {
    List<RawClient> connected = fleet.connect(count);
    clients.addAll(connected);
    return connected;
  }

  private static double messages(Fleet fleet) {
    double sum = 0;
    for (String reason : List.of("ask", "end", "renewal")) {
      sum += fleet.sum("weir_store_hold_messages_total{reason=\"" + reason + "\"}");
    }
    return sum;
  }

  /** Sends requests to sidecars in turn until so many run. */
  private void awaitRunning(List<Rig> of, int count) throws Exception {
    int[] next = {0};
    Await.until(
        count + " run",
        () -> {
          int before = running.get();
          RawClient client = of.get(next[0]++ % of.size()).connect();
          clients.add(client.send(GET));
          Await.until("decided", () -> running.get() > before || !client.isSilent(1));
          return running.get() >= count;
        });
  }

  @Test
  void aBusyKeyAsksTheStoreForAFractionOfItsRequestsAndNeverMoreThanTheLimitRun() throws Exception {
    Fleet fleet = start(2, "leased", "concurrency: 24");
    List<RawClient> on = connect(fleet, 4);
    load(on, 100);
    double before = messages(fleet);
    load(on, 200);
    double sent = messages(fleet) - before;
    assertTrue(sent < 800 / 4, sent + " messages for 800 requests");
    assertTrue(
        fleet.sum("weir_store_lease_decisions_total{by=\"hand\"}") > 1200 / 2, "decided by hand");
    isQuick = false;
    awaitRunning(fleet.rigs, 24);
    for (int i = 0; i < 4; i++) {
      RawClient client = fleet.rig(i % 2).connect();
      clients.add(client);
      assertEquals(429, client.send(GET).read().status());
    }
    assertEquals(24, mostRunning.get());
  }

  @Test
  void chargesWhatTheAnswersReportThoughItIsToldLater() throws Exception {
    String limit =
        "limit: 100000/365d\nalgorithm: fixed-window\n"
            + "cost: {response: {header: x-cost}, reserve: 100}";
    Fleet leased = start(2, "leased", limit);
    List<RawClient> on = connect(leased, 4);
    load(on, 150);
    double sent = messages(leased);
    assertTrue(sent < 600 / 2, sent + " messages for 600 requests");
    for (Rig rig : leased.rigs) {
      assertTrue(rig.sidecar.drain(60_000_000_000L));
    }
    RawClient exact = connect(start(1, "exact", limit), 1).get(0);
    String told = exact.send(GET).read().field("RateLimit");
    assertTrue(told.contains(";r=" + (100_000 - 600 * 7 - 100)), told);
  }

  @Test
  void whatAKilledSidecarHadInHandComesBackWithinALife(@TempDir Path folder) throws Exception {
    Fleet fleet = start(1, "leased", "concurrency: 8");
    Path settings = folder.resolve("weir.yaml");
    Files.writeString(
        settings,
        "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nevent-loops: 1\ntable: {keys: 1000}\nupstream: "
            + fleet.rig(0).origin.url()
            + "\n"
            + file("leased", "concurrency: 8"));
    try (WeirProcess killed = WeirProcess.run(folder, "-c", settings.toString())) {
      RawClient client = killed.connect();
      clients.add(client);
      load(List.of(client), 100);
      killed.signal("KILL");
    }
    isQuick = false;
    awaitRunning(fleet.rigs, 8);
    assertEquals(8, mostRunning.get());
  }
}
