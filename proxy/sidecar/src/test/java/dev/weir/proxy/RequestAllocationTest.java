package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.wiring.Sidecar;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the event loop allocates for a request, or a stream, that goes all the way, system calls
 * included. What Weir itself does allocates nothing; what is allowed for here is the transport's
 * own.
 */
@Timeout(180)
@Tag("allocation")
class RequestAllocationTest {
  /**
   * Asked so often, one after the other, by the cheapest of many rounds. They are short, as on a
   * machine with other work the system cuts reads in two, for which the transport takes more.
   */
  private static final int REQUESTS = 200;

  private static final int MIN_ROUNDS = 20;
  private static final int MAX_ROUNDS = 200;

  /** Two reads and two writes with their descriptors and buffers' views; measured: 190 to 300. */
  private static final int TRANSPORT_BYTES = 400;

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1, HTTP/1.1, nio, 1000000000/1s, text/plain, 200",
    "HTTP/1.1, HTTP/1.1, nio, 1/1d, text/plain, 429",
    "HTTP/1.1, HTTP/1.1, auto, 1000000000/1s, text/plain, 200",
    "HTTP/1.1, HTTP/2, nio, 1000000000/1s, text/plain, 200",
    "HTTP/2, HTTP/1.1, nio, 1000000000/1s, text/plain, 200",
    "HTTP/2, HTTP/1.1, nio, 1/1d, text/plain, 429",
    "HTTP/2, HTTP/1.1, nio, 1/1d, application/grpc, 200",
    "HTTP/2, HTTP/1.1, auto, 1000000000/1s, text/plain, 200",
    "HTTP/2, HTTP/2, nio, 1000000000/1s, text/plain, 200",
    "HTTP/2, HTTP/2, nio, 1000000000/1s, application/grpc, 200",
    "HTTP/2, HTTP/2, auto, 1000000000/1s, text/plain, 200"
  })
  void allocatesNoMoreThanTheTransportDoes(
      String client, String service, String transport, String limit, String type, int status)
      throws Exception {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    try (AnsweringService origin = new AnsweringService(isHttp2(service));
        Sidecar sidecar = start(origin, transport, limit);
        Socket socket = new Socket()) {
      socket.connect((InetSocketAddress) sidecar.listenAddress());
      socket.setTcpNoDelay(true);
      AskingClient asking = AskingClient.of(socket, isHttp2(client), type);
      asking.ask(); // spends what a limit of one has
      long perRequest = leastBytes(asking, status) / REQUESTS;
      assertTrue(perRequest < TRANSPORT_BYTES, perRequest + " bytes per request");
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  private static boolean isHttp2(String protocol) {
    return protocol.equals("HTTP/2");
  }

  private static Sidecar start(AnsweringService origin, String transport, String limit)
      throws Exception {
    return Sidecar.start(
        SettingsFlags.read(
            Map.of(
                "--upstream", origin.url(),
                "--listen", "127.0.0.1:0",
                "--admin", "off",
                "--event-loops", "1",
                "--transport", transport,
                "--limit", limit,
                "--key", "header:x-user-id"),
            Faults.ofFlags()));
  }

  /** What the cheapest round takes; the first ones also load and compile. */
  private static long leastBytes(AskingClient client, int status) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long loop = eventLoopThread();
    long least = Long.MAX_VALUE;
    for (int round = 0;
        round < MIN_ROUNDS || round < MAX_ROUNDS && least / REQUESTS >= TRANSPORT_BYTES;
        round++) {
      long before = threads.getThreadAllocatedBytes(loop);
      for (int i = 0; i < REQUESTS; i++) {
        assertEquals(status, client.ask());
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(loop) - before);
    }
    return least;
  }

  private static long eventLoopThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weir-loop") && thread.isAlive())
        .mapToLong(Thread::getId)
        .max()
        .orElseThrow();
  }
}
