package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.EchoService;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
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

  private static final int MAX_ROUNDS = 200;

  /** Two reads and two writes with their descriptors and buffers' views; measured: 190 to 300. */
  private static final int TRANSPORT_BYTES = 400;

  /** An admin port, which shows the keys that are counted. */
  private static final String COUNTING_KEYS = "admin: 127.0.0.1:0\n";

  private static final String OWN_ANSWER = "own answer";

  /** A rule that passes one request, with an answer of its own to all others. */
  private static final String REFUSING =
      """
      rules:
        - id: r
          limit: 1/1d
          refusal:
            status: 503
            headers: {x-docs: "https://example.com/${rule}", x-id: "${request-id}"}
            bodies:
              text/html: "<p>${rule}"
              application/json: '{"wait": ${retry-after}, "limit": ${limit}, "id": "${request-id}"}'
            grpc-status: UNAVAILABLE
            grpc-message: "wait ${retry-after} s"
      """;

  private static final String HELD = "held";

  /** A rule whose requests hold units, and whose costs are read in all ways. */
  private static final String HOLDING =
      """
      rules:
        - id: r
          key: header:x-user-id
          limits:
            - {name: head, limit: 1000M/1s, cost: {response: {header: x-cost}, reserve: 1}}
            - {name: tail, limit: 1000M/1s, cost: {response: {trailer: x-cost}, reserve: 1}}
            - {name: number, limit: 1000M/1s, cost: {response: {body-number: a.b}, reserve: 1}}
            - {name: bytes, limit: 1000M/1s, cost: {response: {bytes: 1KiB}, reserve: 1}}
            - {name: failed, limit: 1000M/1s, cost: {response: {status: [401, UNAUTHENTICATED]}}}
            - {name: running, concurrency: 10}
      """;

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1, HTTP/1.1, nio, held, text/plain, 200",
    "HTTP/2, HTTP/1.1, nio, held, text/plain, 200",
    "HTTP/2, HTTP/2, nio, held, application/grpc, 200",
    "HTTP/1.1, HTTP/1.1, nio, 1000000000/1s, text/plain, 200",
    "HTTP/1.1, HTTP/1.1, nio, 1/1d, text/plain, 429",
    "HTTP/1.1, HTTP/1.1, nio, own answer, text/plain, 503",
    "HTTP/1.1, HTTP/1.1, auto, 1000000000/1s, text/plain, 200",
    "HTTP/1.1, HTTP/2, nio, 1000000000/1s, text/plain, 200",
    "HTTP/2, HTTP/1.1, nio, 1000000000/1s, text/plain, 200",
    "HTTP/2, HTTP/1.1, nio, 1/1d, text/plain, 429",
    "HTTP/2, HTTP/1.1, nio, 1/1d, application/grpc, 200",
    "HTTP/2, HTTP/1.1, nio, own answer, text/plain, 503",
    "HTTP/2, HTTP/1.1, nio, own answer, application/grpc, 200",
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
    try (EchoService http2 = new EchoService();
        Rig rig = rig(transport, limit, isHttp2(service) ? http2.url() : null);
        RawClient raw = rig.connect();
        FramePeer frames = new FramePeer(rig.sidecar.listenAddress())) {
      Callable<Integer> ask = isHttp2(client) ? asking(frames, type) : asking(raw, type);
      ask.call(); // spends what a limit of one has
      long perRequest = leastBytes(ask, status) / REQUESTS;
      assertTrue(perRequest < TRANSPORT_BYTES, perRequest + " bytes per request");
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  /** In front of a service of HTTP/1.1 of its own if there is no other. */
  private static Rig rig(String transport, String limit, String upstream) throws Exception {
    if (limit.equals(OWN_ANSWER)) {
      return Rig.ofFile(transport, COUNTING_KEYS + REFUSING);
    }
    if (limit.equals(HELD)) {
      String service = upstream == null ? "" : "upstream: " + upstream + "\n";
      return Rig.ofFile(transport, COUNTING_KEYS + service + HOLDING);
    }
    List<String> flags =
        new ArrayList<>(
            List.of("--limit", limit, "--key", "header:x-user-id", "--admin", "127.0.0.1:0"));
    if (upstream != null) {
      flags.addAll(List.of("--upstream", upstream));
    }
    return new Rig(transport, flags.toArray(String[]::new));
  }

  private static Callable<Integer> asking(RawClient client, String type) {
    String request =
        "GET /a/b HTTP/1.1\r\nHost: a\r\nUser-Agent: test\r\nConnection: keep-alive\r\n"
            + "Content-Type: "
            + type
            + "\r\nX-User-Id: 7\r\nAccept: text/html;q=0.3, application/json\r\n\r\n";
    return () -> client.send(request).read().status();
  }

  /** One stream after the other. */
  private static Callable<Integer> asking(FramePeer client, String type) {
    client.windowUpdate(0, 1 << 30); // no number of answers uses it up
    String[] fields = {
      "user-agent: test",
      "content-type: " + type,
      "x-user-id: 7",
      "accept: text/html;q=0.3, application/json"
    };
    AtomicInteger stream = new AtomicInteger(-1);
    return () -> {
      int id = stream.addAndGet(2);
      client.request(id, true, "GET", "/a/b", fields).send();
      String head = client.next();
      String frame = head;
      while (!frame.endsWith(" end")) {
        frame = client.next();
      }
      String status = head.substring(("HEADERS " + id + " :status: ").length());
      return Integer.valueOf(status.substring(0, 3));
    };
  }

  private static boolean isHttp2(String protocol) {
    return protocol.equals("HTTP/2");
  }

  /** What the cheapest round takes; the first ones also load and compile. */
  private static long leastBytes(Callable<Integer> ask, int status) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long loop = eventLoopThread();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < MAX_ROUNDS && least / REQUESTS >= TRANSPORT_BYTES; round++) {
      long before = threads.getThreadAllocatedBytes(loop);
      for (int i = 0; i < REQUESTS; i++) {
        assertEquals(status, ask.call());
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
