package dev.weir.proxy.decision.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.decision.DecisionRig;
import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.FlagSettings;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.proxy.wiring.StartException;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.Dimension;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The decision API of a sidecar that has no service behind it, over sockets. */
@Timeout(180)
class DecisionApiTest {
  /** Of a round, each with many calls. */
  private static final int ASKS = 20;

  /** Of a call of many. */
  private static final int CHECKS = 32;

  private static Settings settings(String... flags) {
    return FlagSettings.of(
        Map.of(
            "--decision", "127.0.0.1:0",
            "--admin", "off",
            "--event-loops", "1",
            "--transport", "nio",
            "--limit", "1000000000/1s",
            "--key", "header:x-user-id"),
        flags);
  }

  /** The same call of gRPC, as often in one write as it is asked for. */
  private static final class Client implements AutoCloseable {
    private final FramePeer frames;
    private final String path;
    private final byte[] content;
    private int stream = -1;
    private byte[] message;

    Client(Sidecar sidecar, String method, byte[] request) throws IOException {
      frames = new FramePeer(sidecar.decisionAddresses().get(0));
      frames.windowUpdate(0, 1 << 30); // no number of answers uses it up
      path = "/weir.v1.RateLimiter/" + method;
      content = DecisionRig.message(request);
    }

    void ask(int calls) {
      for (int i = 0; i < calls; i++) {
        stream += 2;
        frames.request(
            stream,
            false,
            "POST",
            path,
            "content-type: application/grpc",
            "te: trailers",
            "grpc-timeout: 10S");
        frames.data(stream, true, content);
      }
      frames.send();
      for (int ended = 0; ended < calls; ) {
        String frame = frames.next();
        assertTrue(frame.startsWith("HEADERS ") || frame.startsWith("DATA "), frame);
        if (frame.startsWith("DATA ")) {
          byte[] answer =
              frame.substring(frame.indexOf(' ', 5) + 1).getBytes(StandardCharsets.ISO_8859_1);
          message = Arrays.copyOfRange(answer, 5, answer.length);
        }
        ended += frame.endsWith(" end") ? 1 : 0;
      }
    }

    @Override
    public void close() throws IOException {
      frames.close();
    }
  }

  private static byte[] check() {
    return CheckRateLimitRequest.newBuilder()
        .setIdentifier("user-7")
        .setDimension(Dimension.USER)
        .setEndpoint("/orders/7")
        .setMethod("POST")
        .build()
        .toByteArray();
  }

  @Test
  void answersBothVersionsOfHttpOnOnePortAndListensNowhereElse() throws Exception {
    try (Sidecar sidecar = Sidecar.start(settings("--limit", "10/365d"));
        Client client = new Client(sidecar, "CheckRateLimit", check());
        RawClient http = new RawClient(sidecar.decisionAddresses().get(0))) {
      assertTrue(sidecar.listenAddresses().isEmpty());
      client.ask(11);
      CheckRateLimitResponse refused = CheckRateLimitResponse.parseFrom(client.message);
      assertEquals(10, refused.getLimit());
      assertEquals("default", refused.getRuleId());
      assertTrue(!refused.getAllowed() && refused.getRetryAfterSeconds() > 0);
      assertEquals(404, http.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").read().status());
      String figures = new String(sidecar.metrics().expose(null).body(), StandardCharsets.UTF_8);
      assertTrue(
          figures.contains("weir_decision_calls_total{call=\"check_rate_limit\"} 11.0"), figures);
      assertTrue(figures.contains("weir_decision_statuses_total{status=\"ok\"} 11.0"));
      assertTrue(
          figures.contains("weir_decision_checks_total{outcome=\"refused\",rule=\"default\"} 1.0"));
      sidecar.drain(1_000_000_000L);
    }
  }

  private static byte[] checks() {
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < CHECKS; i++) {
      many.addChecks(
          CheckRateLimitRequest.newBuilder()
              .setIdentifier("user-" + i)
              .setDimension(Dimension.USER)
              .setEndpoint("/orders/./7") // not as it counts
              .setRequireRule(true));
    }
    return many.build().toByteArray();
  }

  @Test
  void allocatesNothingForACheck() throws Exception {
    Client client = assertAllocatesNothing("CheckRateLimit", check(), 100, 1);
    assertTrue(CheckRateLimitResponse.parseFrom(client.message).getAllowed());
  }

  @Test
  void allocatesNothingForACallOfManyChecks() throws Exception {
    Client client = assertAllocatesNothing("CheckRateLimits", checks(), 20, CHECKS);
    CheckRateLimitsResponse response = CheckRateLimitsResponse.parseFrom(client.message);
    assertEquals(CHECKS, response.getResultsCount());
    assertTrue(
        response.getResultsList().stream().allMatch(result -> result.getResponse().getAllowed()));
  }

  /**
   * What is allowed for is the transport's own, for a read and a write of many calls.
   *
   * @param calls at once.
   * @param checks of each call.
   */
  private static Client assertAllocatesNothing(String method, byte[] message, int calls, int checks)
      throws Exception {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    try (Sidecar sidecar = Sidecar.start(settings());
        Client client = new Client(sidecar, method, message)) {
      client.ask(calls);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long loop = eventLoopThread();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 8; round++) { // the first ones also load and compile
        long before = threads.getThreadAllocatedBytes(loop);
        for (int i = 0; i < ASKS; i++) {
          client.ask(calls);
        }
        least = Math.min(least, threads.getThreadAllocatedBytes(loop) - before);
      }
      double perCheck = least / ((double) ASKS * calls * checks);
      assertTrue(perCheck < 8, perCheck + " bytes per check");
      return client;
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  private static long eventLoopThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weir-loop") && thread.isAlive())
        .mapToLong(Thread::getId)
        .max()
        .orElseThrow();
  }

  @Test
  void tokensThatCannotBeUsedStopTheStart(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("tokens");
    assertFault(file, "decision-tokens: " + file + ": not found (expected: a file)");
    Files.writeString(file, "# nobody\n\n");
    assertFault(file, "decision-tokens: " + file + ": 0 tokens (expected: 1 to 100, one a line)");
    Files.writeString(file, "0123456789abcdef\nshort\n");
    assertFault(
        file,
        "decision-tokens: "
            + file
            + ":2: not a token (expected: 16 or more characters of ASCII without blanks)");
  }

  private static void assertFault(Path file, String message) {
    Settings settings = settings("--decision-tokens", file.toString());
    StartException fault = assertThrows(StartException.class, () -> Sidecar.start(settings));
    assertEquals(message, fault.getMessage());
  }

  @Test
  void saysWhatDoesNotGoTogether() {
    assertFaults(
        "--listen: 127.0.0.1:8000 (expected: upstream too, or decision alone)",
        Map.of("--decision", "on", "--listen", "127.0.0.1:8000"));
    assertFaults(
        "--decision: 127.0.0.1:8000 (expected: each address only once)",
        Map.of("--decision", "127.0.0.1:8000", "--upstream", "http://127.0.0.1:8080"));
    assertFaults(
        "--decision-tokens-for: all (expected: decision-tokens too)",
        Map.of("--decision", "on", "--decision-tokens-for", "all"));
    assertFaults(
        "--decision: 8081 (expected: host:port, https://host:port or unix:/path)",
        Map.of("--decision", "8081"));
  }

  private static void assertFaults(String expected, Map<String, String> flags) {
    Faults faults = Faults.ofFlags();
    SettingsFlags.read(flags, faults);
    assertEquals(expected, faults.toString());
  }
}
