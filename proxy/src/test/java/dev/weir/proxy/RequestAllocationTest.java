package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the event loop allocates for a request that goes all the way, system calls included. What
 * Weir itself does allocates nothing; what is allowed for here is the transport's own.
 */
@Timeout(180)
class RequestAllocationTest {
  private static final int REQUESTS = 2_000;
  private static final int ROUNDS = 6;

  /** Two reads and two writes with their descriptors and buffers' views; measured: 190 to 300. */
  private static final int TRANSPORT_BYTES = 400;

  private static final byte[] ANSWER =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] REQUEST =
      ("GET /a/b HTTP/1.1\r\nHost: a\r\nUser-Agent: test\r\nConnection: keep-alive\r\n"
              + "X-User-Id: 7\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII);

  @ParameterizedTest
  @CsvSource({"nio, 1000000000/1s, 200", "nio, 1/1d, 429", "auto, 1000000000/1s, 200"})
  void allocatesNoMoreThanTheTransportDoes(String transport, String limit, int status)
      throws Exception {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    try {
      measure(transport, limit, status);
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  private static void measure(String transport, String limit, int status) throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Sidecar sidecar =
            Sidecar.start(
                SettingsFlags.read(
                    Map.of(
                        "--upstream", "http://127.0.0.1:" + origin.getLocalPort(),
                        "--listen", "127.0.0.1:0",
                        "--admin", "off",
                        "--event-loops", "1",
                        "--transport", transport,
                        "--limit", limit,
                        "--key", "header:x-user-id"),
                    Faults.ofFlags()));
        Socket client = new Socket()) {
      serve(origin);
      client.connect((InetSocketAddress) sidecar.listenAddress());
      client.setTcpNoDelay(true);
      ask(client); // spends what a limit of one has
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long loop = eventLoopThread();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) { // the first ones also load and compile
        long before = threads.getThreadAllocatedBytes(loop);
        for (int i = 0; i < REQUESTS; i++) {
          assertEquals(status, ask(client));
        }
        least = Math.min(least, threads.getThreadAllocatedBytes(loop) - before);
      }
      double perRequest = least / (double) REQUESTS;
      assertTrue(perRequest < TRANSPORT_BYTES, perRequest + " bytes per request");
    }
  }

  private static long eventLoopThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weir-loop") && thread.isAlive())
        .mapToLong(Thread::getId)
        .max()
        .orElseThrow();
  }

  private static int ask(Socket client) throws IOException {
    client.getOutputStream().write(REQUEST);
    return readMessage(client.getInputStream());
  }

  private static void serve(ServerSocket origin) {
    Thread thread =
        new Thread(
            () -> {
              try (Socket weir = origin.accept()) {
                weir.setTcpNoDelay(true);
                OutputStream out = weir.getOutputStream();
                while (readMessage(weir.getInputStream()) != 0) {
                  out.write(ANSWER);
                }
              } catch (IOException closed) {
                // The test is over.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** Reads one message with a body as long as its Content-Length says; its status, or -1. */
  private static int readMessage(InputStream in) throws IOException {
    byte[] bytes = new byte[4096];
    int length = 0;
    while (true) {
      int read = in.read(bytes, length, bytes.length - length);
      if (read < 0) {
        return 0;
      }
      length += read;
      String text = new String(bytes, 0, length, StandardCharsets.US_ASCII);
      int end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        int bodyLength =
            Arrays.stream(text.split("\r\n"))
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToInt(line -> Integer.parseInt(line.substring(16)))
                .findFirst()
                .orElse(0);
        if (length >= end + 4 + bodyLength) {
          return text.startsWith("HTTP/1.1 ") ? Integer.parseInt(text.substring(9, 12)) : -1;
        }
      }
    }
  }
}
