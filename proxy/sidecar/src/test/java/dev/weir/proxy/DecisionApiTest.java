package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.proxy.wiring.StartException;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.Dimension;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
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
  private static final int HEADERS = 1;
  private static final int DATA = 0;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  /** Of a call of many. */
  private static final int CHECKS = 32;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

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

  /** Calls of gRPC, as many in one write as there is asked for. */
  private static final class Client {
    private final DataInputStream in;
    private final OutputStream out;
    private final byte[] call;
    private int streamId = 1;
    private byte[] message;

    Client(Socket socket, String path, byte[] request) throws IOException {
      in = new DataInputStream(socket.getInputStream());
      out = socket.getOutputStream();
      out.write(PREFACE);
      out.write(frame(4, 0, new byte[0]));
      out.write(frame(4, 1, new byte[0])); // takes those of the other side
      // A window that no number of answers uses up.
      out.write(frame(8, 0, ByteBuffer.allocate(4).putInt(1 << 30).array()));
      byte[] block =
          new HpackEncoder()
              .add(":method", "POST")
              .add(":scheme", "http")
              .add(":path", path)
              .add(":authority", "a")
              .add("content-type", "application/grpc")
              .add("te", "trailers")
              .add("grpc-timeout", "10S")
              .bytes();
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(frame(HEADERS, END_HEADERS, block));
      byte[] prefixed =
          ByteBuffer.allocate(5 + request.length)
              .put((byte) 0)
              .putInt(request.length)
              .put(request)
              .array();
      all.writeBytes(frame(DATA, END_STREAM, prefixed));
      call = all.toByteArray();
    }

    private static byte[] frame(int type, int flags, byte[] payload) {
      return ByteBuffer.allocate(9 + payload.length)
          .put((byte) 0)
          .putShort((short) payload.length)
          .put((byte) type)
          .put((byte) flags)
          .putInt(0)
          .put(payload)
          .array();
    }

    void ask(int calls) throws IOException {
      byte[] all = new byte[calls * call.length];
      int head = (call[1] & 0xff) << 8 | call[2] & 0xff;
      for (int i = 0; i < calls; i++, streamId += 2) {
        System.arraycopy(call, 0, all, i * call.length, call.length);
        ByteBuffer.wrap(all).putInt(i * call.length + 5, streamId);
        ByteBuffer.wrap(all).putInt(i * call.length + 9 + head + 5, streamId);
      }
      out.write(all);
      for (int ended = 0; ended < calls; ) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        in.readInt();
        byte[] payload = in.readNBytes(length);
        assertTrue(type != 7 && type != 3, "the connection lives");
        if (type == DATA) {
          message = Arrays.copyOfRange(payload, 5, payload.length);
        }
        ended += type == HEADERS && (flags & END_STREAM) != 0 ? 1 : 0;
      }
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

  private static Socket connect(Sidecar sidecar) throws IOException {
    InetSocketAddress address = (InetSocketAddress) sidecar.decisionAddresses().get(0);
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setTcpNoDelay(true);
    return socket;
  }

  @Test
  void answersBothVersionsOfHttpOnOnePortAndListensNowhereElse() throws Exception {
    try (Sidecar sidecar = Sidecar.start(settings("--limit", "10/365d"));
        Socket grpc = connect(sidecar);
        Socket http = connect(sidecar)) {
      assertTrue(sidecar.listenAddresses().isEmpty());
      Client client = new Client(grpc, "/weir.v1.RateLimiter/CheckRateLimit", check());
      client.ask(11);
      CheckRateLimitResponse refused = CheckRateLimitResponse.parseFrom(client.message);
      assertEquals(10, refused.getLimit());
      assertEquals("default", refused.getRuleId());
      assertTrue(!refused.getAllowed() && refused.getRetryAfterSeconds() > 0);
      http.getOutputStream()
          .write(
              "GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(http.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertTrue(answer.startsWith("HTTP/1.1 404 "), answer);
      String figures = new String(sidecar.metrics().expose(null).body(), StandardCharsets.UTF_8);
      assertTrue(
          figures.contains("weir_decision_calls_total{call=\"check_rate_limit\"} 11.0"), figures);
      assertTrue(figures.contains("weir_decision_statuses_total{status=\"ok\"} 11.0"));
      assertTrue(
          figures.contains("weir_decision_checks_total{outcome=\"refused\",rule=\"default\"} 1.0"));
      assertTrue(sidecar.drain(1_000_000_000L) || grpc.isConnected());
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
        Socket socket = connect(sidecar)) {
      Client client = new Client(socket, "/weir.v1.RateLimiter/" + method, message);
      client.ask(calls);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long loop = eventLoopThread();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 8; round++) { // the first ones also load and compile
        long before = threads.getThreadAllocatedBytes(loop);
        for (int i = 0; i < 100; i++) {
          client.ask(calls);
        }
        least = Math.min(least, threads.getThreadAllocatedBytes(loop) - before);
      }
      double perCheck = least / (100.0 * calls * checks);
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
