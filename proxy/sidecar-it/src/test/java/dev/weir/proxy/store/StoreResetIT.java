package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.ExactGate;
import dev.weir.proxy.admission.Gate;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.downstream.listen.Listeners;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rig.LoopRig;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A connection to Redis that is reset while requests are gathered for it, found out by the write of
 * a request that takes the others along: with epoll and NIO that write fails at once.
 */
class StoreResetIT {
  private static final int ROUNDS = 5;
  private static final String POST = "POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n";
  private static final String BODY = "GET /smuggled HTTP/1.1\r\nHost: hidden\r\n\r\n";
  private static final String GET = "GET /closed HTTP/1.1\r\nHost: b\r\n\r\n";
  private static final String NEXT =
      "GET /free/" + "x".repeat(90) + " HTTP/1.1\r\nHost: b\r\nX-More: " + "y".repeat(90);

  private final Semaphore asked = new Semaphore(0);
  private RedisServer redis;
  private FaultProxy faults;
  private RecordingOrigin origin;
  private Store store;
  private LimitTables tables;
  private LoopRig rig;
  private Listeners listener;

  static Stream<String> transports() {
    return Rig.transports().stream();
  }

  private void start(String name) throws Exception {
    redis = RedisKind.EMBEDDED.start();
    faults = new FaultProxy(redis.port());
    origin = new RecordingOrigin();
    String file =
        "upstream: http://"
            + origin.address()
            + "\nlisten: 127.0.0.1:0\nredis: {nodes: [127.0.0.1:"
            + faults.port()
            + "], deadline: 1s}\nrules:\n"
            + rule("open")
            + rule("closed");
    Faults wrong = Faults.ofFile("weir.yaml");
    Settings settings = new SettingsFile().read(file.getBytes(StandardCharsets.UTF_8), wrong);
    assertEquals("", wrong.toString());
    Transport transport = Transport.of(TransportKind.valueOf(name.toUpperCase(Locale.ROOT)));
    LoopClock clock = new LoopClock();
    rig = new LoopRig(settings, transport, clock);
    LoopMetrics metrics = rig.metrics;
    store = new Store(settings.store(), transport, "", () -> "", (peers, rank) -> {});
    LoopStore loopStore = store.join(rig.eventLoop, clock, rig.deadlines, metrics.store());
    tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
    LocalGate local = new LocalGate(tables);
    Gate exact =
        new ExactGate(
            loopStore, settings.store(), StoreNames.DEFAULT, local, clock, metrics.store());
    Gate gate =
        (ticket, charges, nowNs, outcome) -> {
          Verdict known = exact.ask(ticket, charges, nowNs, outcome);
          asked.release();
          return known;
        };
    ClientProtocols clients = rig.clients(rig.admission(gate));
    store.start(TimeUnit.SECONDS.toNanos(60));
    listener = rig.listen(clients);
  }

  private static String rule(String policy) {
    return "  - {id: "
        + policy
        + ", match: {path: /"
        + policy
        + "}, mode: exact, limit: 1000/365d, on-store-failure: "
        + policy
        + "}\n";
  }

  @AfterEach
  void stop() throws Exception {
    listener.close();
    store.close();
    rig.close();
    tables.close();
    origin.close();
    faults.close();
    redis.close();
  }

  @ParameterizedTest
  @MethodSource("transports")
  void passesOnTheBytesOfEachRequestAndNoOthers(String transport) throws Exception {
    start(transport);
    try (RawClient first = connect();
        RawClient gathered = connect();
        RawClient last = connect()) {
      assertEquals(200, last.send(POST + BODY).read().status());
      final String post = nextRequest();
      assertTrue(post.startsWith("POST /open ") && post.endsWith(BODY), post);
      assertEquals(200, gathered.send(NEXT + "\r\n\r\n").read().status());
      final String next = nextRequest();
      asked.drainPermits();
      for (int round = 0; round < ROUNDS; round++) {
        Await.until("connected", () -> store.count(true) == 1);
        faults.blackhole();
        first.send(GET);
        asked.acquire();
        gathered.send(GET + NEXT + "\r\n\r\n");
        asked.acquire();
        CountDownLatch resume = holdUp();
        last.send(POST + BODY);
        faults.refuse(); // after the request has come, so that the loop finds that first
        resume.countDown();

        // An answer may be faster than the reset, and then it decides.
        int decided = first.read().status() == 200 ? 1 : 0;
        decided += gathered.read().status() == 200 ? 1 : 0;
        assertEquals(200, gathered.read().status());
        assertEquals(200, last.read().status());
        List<String> requests = new ArrayList<>();
        for (int i = 0; i < decided + 2; i++) {
          requests.add(nextRequest());
        }
        assertTrue(requests.remove(post), requests.toString());
        assertTrue(requests.remove(next), requests.toString());
        assertTrue(
            requests.stream().allMatch(get -> get.startsWith("GET /closed ")), "" + requests);
        asked.acquire();
        faults.pass();
      }
      assertEquals(0, origin.requestCount());
    }
  }

  /** What the service got, but for the field that is another in each request. */
  private String nextRequest() throws InterruptedException {
    return origin.nextRequest().replaceAll("X-Request-Id: [0-9a-f]+\r\n", "");
  }

  private RawClient connect() throws Exception {
    return new RawClient(listener.addresses().get(0));
  }

  /** Stops the event loop, for longer than what is gathered waits for others. */
  private CountDownLatch holdUp() throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    rig.eventLoop.submit(
        () -> {
          long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2);
          stopped.countDown();
          resume.await();
          while (System.nanoTime() < endNs) {
            Thread.onSpinWait();
          }
          return null;
        });
    stopped.await();
    return resume;
  }
}
