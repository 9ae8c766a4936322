package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirMain;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final String ANSWER =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";

  /** After so long without an answer a connection to a store is of no use. */
  private static final long HANG_NS = 1_000_000_000;

  @TempDir private Path folder;
  private String[] jvmFlags = {};
  private ServerSocket service;
  private Process weir;
  private BufferedReader out;
  private int port;
  private int adminPort;

  @BeforeEach
  void listen() throws IOException {
    service = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    service.setSoTimeout(60_000);
  }

  @AfterEach
  void stop() throws IOException {
    if (weir != null) {
      weir.destroyForcibly();
    }
    service.close();
  }

  private void start(String... flags) throws IOException {
    List<String> command = new ArrayList<>(Interrupts.taken());
    command.addAll(JavaCommand.of(WeirMain.class, jvmFlags));
    command.add("run");
    command.addAll(List.of(flags));
    weir = new ProcessBuilder(command).redirectError(folder.resolve("err.txt").toFile()).start();
    out = weir.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    assertNotNull(line, log());
    Matcher matcher = START_LINE.matcher(line);
    assertTrue(matcher.matches(), line);
    port = Integer.parseInt(matcher.group(1));
    adminPort = Integer.parseInt(matcher.group(3));
  }

  private void startWithFlags() throws IOException {
    start(
        "--upstream=http://127.0.0.1:" + service.getLocalPort(),
        "--listen=127.0.0.1:0",
        "--admin=127.0.0.1:0",
        "--event-loops=1",
        "--latency-log=" + folder.resolve("latency.hlog"),
        "--latency-log-interval=1h",
        "--table.keys=1000");
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("err.txt"));
  }

  private String metrics() throws IOException {
    URL page = new URL("http://127.0.0.1:" + adminPort + "/metrics");
    try (InputStream in = page.openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void signal(String name) throws IOException, InterruptedException {
    String pid = Long.toString(weir.pid());
    assertEquals(0, new ProcessBuilder("kill", "-" + name, pid).start().waitFor());
  }

  private void awaitLog(String text) throws IOException, InterruptedException {
    while (!log().contains(text)) {
      assertTrue(weir.isAlive(), log());
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private Socket request() throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    client
        .getOutputStream()
        .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return client;
  }

  private static void answer(Socket upstream) throws IOException {
    upstream.getOutputStream().write(ANSWER.getBytes(StandardCharsets.US_ASCII));
  }

  /** As where a library can be neither unpacked nor loaded. */
  @Test
  void saysOnceWhyItTakesASlowerTransport() throws Exception {
    jvmFlags = new String[] {"-Dio.netty.transport.noNative=true"};
    startWithFlags();
    for (String missed : List.of("io_uring", "epoll")) {
      String line = "transport: " + missed + " is not available on this machine: ";
      assertEquals(2, log().split(line, -1).length, log());
    }
  }

  @Test
  void finishesTheRequestInFlightOnSigtermAndLogsItsLatency() throws Exception {
    startWithFlags();
    try (Socket client = request();
        Socket upstream = service.accept()) {
      signal("TERM");
      awaitLog("SIGTERM");
      answer(upstream);
      String response =
          new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertTrue(response.startsWith("HTTP/1.1 200 OK\r\n"), response);
      assertTrue(response.endsWith("\r\n\r\nok"), response);
    }
    assertTrue(weir.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, weir.exitValue(), log());
    try (HistogramLogReader latencies =
        new HistogramLogReader(folder.resolve("latency.hlog").toFile())) {
      Histogram interval = (Histogram) latencies.nextIntervalHistogram();
      assertEquals("decision", interval.getTag());
      assertEquals(1, interval.getTotalCount());
    }
  }

  @Test
  void endsAtOnceOnTheSecondSignal() throws Exception {
    startWithFlags();
    try (Socket client = request();
        Socket upstream = service.accept()) {
      signal("INT");
      awaitLog("SIGINT");
      assertTrue(weir.isAlive());
      client.setSoTimeout(50);
      assertThrowsTimeout(client);
      assertFalse(upstream.isClosed());
      signal("TERM");
      assertTrue(weir.waitFor(60, TimeUnit.SECONDS));
      assertEquals(128 + 15, weir.exitValue(), log());
    }
  }

  @Test
  void servesOnWithinTheGraceAndEndsAtOnceOnTheSecondSignal() throws Exception {
    start(
        "--upstream=http://127.0.0.1:" + service.getLocalPort(),
        "--listen=127.0.0.1:0",
        "--admin=127.0.0.1:0",
        "--event-loops=1",
        "--timeouts.drain-grace=1h",
        "--table.keys=1000");
    signal("TERM");
    awaitLog("serving on for 3600000 ms");
    serve();
    signal("TERM");
    assertTrue(weir.waitFor(60, TimeUnit.SECONDS));
    assertEquals(128 + 15, weir.exitValue(), log());
  }

  private static void assertThrowsTimeout(Socket client) {
    assertThrows(SocketTimeoutException.class, () -> client.getInputStream().read());
  }

  /** Sends a request that is served. */
  private void serve() throws IOException {
    try (Socket client = request();
        Socket upstream = service.accept()) {
      answer(upstream);
      assertEquals('H', client.getInputStream().read());
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
    StoreRig.await(
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
          "--upstream=http://127.0.0.1:" + service.getLocalPort(),
          "--listen=127.0.0.1:0",
          "--admin=127.0.0.1:0",
          "--event-loops=1",
          "--table.keys=1000",
          "--mode=exact",
          "--limit=1000/365d",
          "--on-store-failure=open",
          "--redis.deadline=1s",
          "--redis.nodes=127.0.0.1:" + faults.port());
      boolean inTime = false;
      for (int round = 0; !inTime; round++) {
        assertTrue(round < 5, "this machine is too busy for this");
        awaitDecision(redis); // a round that came too late may have cost the connection
        final String before = log();
        final long decisions = decisions(redis);
        faults.delayReplies(3_600_000);
        final long startNs = System.nanoTime();
        try (Socket client = request()) {
          StoreRig.await("asked", () -> decisions(redis) > decisions);
          signal("STOP");
          inTime = System.nanoTime() - startNs < HANG_NS / 2;
          TimeUnit.NANOSECONDS.sleep(HANG_NS * 3 / 2); // as long as it is to stand still
          final long continuedNs = System.nanoTime();
          signal("CONT");
          faults.pass();
          inTime &= System.nanoTime() - continuedNs < HANG_NS / 20;
          try (Socket upstream = service.accept()) {
            answer(upstream);
            assertEquals('H', client.getInputStream().read());
          }
        }
        serve();
        String told = log().substring(before.length());
        assertTrue(!told.contains("no answer for") || !inTime, told);
      }
    }
  }

  @Test
  void readsTheRulesAgainOnSighupAndKeepsTheGoodOnes() throws Exception {
    Path file = folder.resolve("weir.yaml");
    String settings =
        "upstream: http://127.0.0.1:"
            + service.getLocalPort()
            + "\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\nevent-loops: 1\ntable: {keys: 1000}\n";
    Files.writeString(file, settings + "rules: [{id: a, limit: 1/1m}]\n");
    start("-c", file.toString());
    signal("HUP");
    awaitLog("rules reloaded");
    Files.writeString(file, settings + "rules: [{id: a, limit: 0/1m}]\n");
    signal("HUP");
    awaitLog("rules not reloaded");
    awaitLog("rules[0].limit: 0/1m (expected: ");
    assertTrue(weir.isAlive());
    String rejected = metrics();
    assertTrue(rejected.contains("\nweir_rules_last_reload_successful 0.0\n"), rejected);
    assertTrue(
        rejected.contains("\nweir_rules_reloads_total{outcome=\"rejected\"} 1.0\n"), rejected);
    assertTrue(rejected.contains("\nweir_rules_reloads_total{outcome=\"taken\"} 1.0\n"), rejected);
    Files.writeString(file, settings + "rules: [{id: a, limit: 2/1m}]\n");
    signal("HUP");
    awaitLog("1 in use; before that they were rejected once, for ");
    assertTrue(metrics().contains("\nweir_rules_last_reload_successful 1.0\n"));
    signal("TERM");
    assertTrue(weir.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, weir.exitValue(), log());
  }
}
