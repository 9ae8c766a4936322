package dev.weir.proxy.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.WeirProcess;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.TestCertificates;
import dev.weir.proxy.token.TestTokens;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir run} as a process, with the signals that it gets from others. */
@Timeout(180)
@DisabledOnOs(OS.WINDOWS)
class RunIT {
  private static final Pattern START_LINE =
      Pattern.compile(
          "weir: proxying http://127\\.0\\.0\\.1:([0-9]+) -> http://127\\.0\\.0\\.1:[0-9]+"
              + " \\((io_uring|epoll|nio), 1 event loop\\), admin http://127\\.0\\.0\\.1:([0-9]+)");

  /** After so long without an answer a connection to a store is of no use. */
  private static final long HANG_NS = 1_000_000_000;

  @TempDir private Path folder;
  private RecordingOrigin service;
  private WeirProcess weir;

  @BeforeEach
  void listen() throws IOException {
    service = new RecordingOrigin();
  }

  @AfterEach
  void stop() throws IOException {
    if (weir != null) {
      weir.close();
    }
    service.close();
  }

  private void start(String... flags) throws IOException {
    startWith(List.of(), flags);
  }

  private void startWith(List<String> jvmFlags, String... flags) throws IOException {
    String[] all =
        Stream.concat(Stream.of("--upstream=" + service.url()), Stream.of(flags))
            .toArray(String[]::new);
    weir = WeirProcess.run(folder, List.of(), jvmFlags, all);
    assertTrue(START_LINE.matcher(weir.startLine()).matches(), weir.startLine());
  }

  /** Has requests wait for their answers until this is counted down. */
  private CountDownLatch hold() {
    CountDownLatch answers = new CountDownLatch(1);
    service.script(
        conversation -> {
          conversation.request();
          answers.await();
          conversation.send(RecordingOrigin.OK);
        });
    return answers;
  }

  /** As where a library can be neither unpacked nor loaded. */
  @Test
  void saysOnceWhyItTakesASlowerTransport() throws Exception {
    startWith(List.of("-Dio.netty.transport.noNative=true"));
    for (String missed : List.of("io_uring", "epoll")) {
      String line = "transport: " + missed + " is not available on this machine: ";
      assertEquals(2, weir.log().split(line, -1).length, weir.log());
    }
  }

  @Test
  void finishesTheRequestInFlightOnSigtermAndLogsItsLatency() throws Exception {
    start("--latency-log=" + folder.resolve("latency.hlog"), "--latency-log-interval=1h");
    CountDownLatch answers = hold();
    try (RawClient client = weir.connect().send(Rig.VALID)) {
      service.nextHead();
      weir.signal("TERM");
      weir.awaitLog("SIGTERM");
      answers.countDown();
      String response = client.readToEnd();
      assertTrue(response.startsWith("HTTP/1.1 200 OK\r\n"), response);
      assertTrue(response.endsWith("\r\n\r\n" + RecordingOrigin.BODY), response);
    }
    weir.assertEnds(0);
    try (HistogramLogReader latencies =
        new HistogramLogReader(folder.resolve("latency.hlog").toFile())) {
      Histogram interval = (Histogram) latencies.nextIntervalHistogram();
      assertEquals("decision", interval.getTag());
      assertEquals(1, interval.getTotalCount());
    }
  }

  @Test
  void endsAtOnceOnTheSecondSignal() throws Exception {
    start();
    CountDownLatch answers = hold();
    try (RawClient client = weir.connect().send(Rig.VALID)) {
      service.nextHead();
      weir.signal("INT");
      weir.awaitLog("SIGINT");
      assertTrue(weir.isAlive());
      assertTrue(client.isSilent(50));
      weir.signal("TERM");
      weir.assertEnds(128 + 15);
    } finally {
      answers.countDown();
    }
  }

  @Test
  void servesOnWithinTheGraceAndEndsAtOnceOnTheSecondSignal() throws Exception {
    start("--timeouts.drain-grace=1h");
    weir.signal("TERM");
    weir.awaitLog("serving on for 3600000 ms");
    serve();
    weir.signal("TERM");
    weir.assertEnds(128 + 15);
  }

  /** Sends a request that is served. */
  private void serve() throws IOException {
    try (RawClient client = weir.connect()) {
      assertEquals(200, client.send(Rig.VALID).read().status());
    }
  }

  private static long decisions(RedisServer redis) throws IOException {
    return redis
        .text("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^=]*=([0-9]+),.*", "$1")))
        .sum();
  }

  /** Sends requests until the store is asked about one. */
  private void awaitDecision(RedisServer redis) throws Exception {
    long before = decisions(redis);
    Await.until(
        "asked about any",
        () -> {
          serve();
          return decisions(redis) > before;
        });
  }

  @Test
  void keepsItsConnectionToAStoreThatAnswersOnceBothHaveStoodStill() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start();
        FaultProxy faults = new FaultProxy(redis.port())) {
      start(
          "--mode=exact",
          "--limit=1000/365d",
          "--on-store-failure=open",
          "--redis.deadline=1s",
          "--redis.nodes=127.0.0.1:" + faults.port());
      boolean inTime = false;
      for (int round = 0; !inTime; round++) {
        assertTrue(round < 5, "this machine is too busy for this");
        awaitDecision(redis); // a round that came too late may have cost the connection
        final String before = weir.log();
        final long decisions = decisions(redis);
        faults.delayReplies(3_600_000);
        final long startNs = System.nanoTime();
        try (RawClient client = weir.connect().send(Rig.VALID)) {
          Await.until("asked", () -> decisions(redis) > decisions);
          weir.signal("STOP");
          inTime = System.nanoTime() - startNs < HANG_NS / 2;
          TimeUnit.NANOSECONDS.sleep(HANG_NS * 3 / 2); // as long as it is to stand still
          final long continuedNs = System.nanoTime();
          weir.signal("CONT");
          faults.pass();
          inTime &= System.nanoTime() - continuedNs < HANG_NS / 20;
          assertEquals(200, client.read().status());
        }
        serve();
        String told = weir.log().substring(before.length());
        assertTrue(!told.contains("no answer for") || !inTime, told);
      }
    }
  }

  @Test
  void readsTheRulesAgainOnSighupAndKeepsTheGoodOnes() throws Exception {
    Path file = folder.resolve("weir.yaml");
    String settings =
        "upstream: "
            + service.url()
            + "\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\nevent-loops: 1\ntable: {keys: 1000}\n";
    Files.writeString(file, settings + "rules: [{id: a, limit: 1/1m}]\n");
    weir = WeirProcess.run(folder, "-c", file.toString());
    weir.signal("HUP");
    weir.awaitLog("rules reloaded");
    Files.writeString(file, settings + "rules: [{id: a, limit: 0/1m}]\n");
    weir.signal("HUP");
    weir.awaitLog("rules not reloaded");
    weir.awaitLog("rules[0].limit: 0/1m (expected: ");
    assertTrue(weir.isAlive());
    String rejected = weir.metrics();
    assertTrue(rejected.contains("\nweir_rules_last_reload_successful 0.0\n"), rejected);
    assertTrue(
        rejected.contains("\nweir_rules_reloads_total{outcome=\"rejected\"} 1.0\n"), rejected);
    assertTrue(rejected.contains("\nweir_rules_reloads_total{outcome=\"taken\"} 1.0\n"), rejected);
    Files.writeString(file, settings + "rules: [{id: a, limit: 2/1m}]\n");
    weir.signal("HUP");
    weir.awaitLog("1 in use; before that they were rejected once, for ");
    assertTrue(weir.metrics().contains("\nweir_rules_last_reload_successful 1.0\n"));
    weir.signal("TERM");
    weir.assertEnds(0);
  }

  @Test
  void readsTheKeysOfTokensAgainOnSighup() throws Exception {
    Path keys = folder.resolve("keys.json");
    Files.writeString(keys, TestTokens.keySet(TestTokens.key("Ed25519", "a")));
    start("--jwt.keys=" + keys);
    weir.signal("HUP");
    weir.awaitLog("jwt: 1 key from " + keys);
    assertTrue(weir.isAlive());
    weir.signal("TERM");
    weir.assertEnds(0);
  }

  @Test
  void readsCertificatesAgainOnSighup() throws Exception {
    CertificateFiles files =
        TestCertificates.write(folder, "a", TestCertificates.server("a.example"));
    weir =
        WeirProcess.run(
            folder,
            "--upstream=" + service.url(),
            "--listen=https://127.0.0.1:0",
            "--tls.certificate=" + files.chain(),
            "--tls.key=" + files.key());
    weir.signal("HUP");
    weir.awaitLog("tls: reloaded: ");
    assertTrue(weir.isAlive());
    weir.signal("TERM");
    weir.assertEnds(0);
  }
}
