package dev.weir.proxy.cli;

import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.traffic.TextClient;
import dev.weir.proxy.traffic.Traffic;
import dev.weir.proxy.wiring.Program;
import dev.weir.proxy.wiring.Run;
import dev.weir.proxy.wiring.RunArguments;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.proxy.wiring.StartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * {@code weir train}: what the JVM watches while it makes its cache for quick starts: which classes
 * there are, and what is called how often and with what. A sidecar starts from a file, on the
 * transport that is taken by itself, and one from flags, on that of containers, whose seccomp has
 * no io_uring; each warms up, is asked what programs and clients ask, and ends. No command of the
 * command line's reader, which a start does not load either: every class of the cache is loaded by
 * every start.
 */
public final class Train {
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

  /**
   * How often all clients ask what they ask at a time. So many that what is called often has been
   * compiled by the JVM's second compiler, from what has been seen of all that is asked: a sidecar
   * compiles by what was seen here, and never looks again.
   */
  private static final int EXCHANGES = 1_000;

  /** The longest that a sidecar is asked, on a slow machine. */
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(20);

  private static final int HTTP1_CLIENTS = 16;
  private static final int HTTP2_CLIENTS = 2;

  /** The programs: how many calls each makes at a time, and about how many users. */
  private static final int[][] PROGRAMS = {{32, 20_000}, {32, 1}, {8, 1_000}, {1, 100}};

  private static final String RATE_LIMITS =
      """
      domain: warm-up
      descriptors:
        - key: user
          rate_limit: {unit: second, requests_per_unit: 1000000}
        - key: path
          value: /orders
          descriptors:
            - key: user
              rate_limit: {unit: minute, requests_per_unit: 1000}
      """;

  private static final String FLAGS =
      "run --upstream <service> --listen 127.0.0.1:0 --admin 127.0.0.1:0 --decision 127.0.0.1:0"
          + " --ratelimit-config <folder> --limit 1000000/1s --key header:x-user-id --transport ";

  private static final String FILE =
      """
      upstream: <service>
      listen: 127.0.0.1:0
      admin: 127.0.0.1:0
      decision: 127.0.0.1:0
      ratelimit-config: <folder>
      trusted-proxies: [127.0.0.1/32]
      rules:
        - id: orders
          match: {path: /orders/**, methods: [GET, POST]}
          key: header:x-user-id
          limit: 1000000/1s
        - id: login
          match: {path: /login, methods: [POST]}
          key: header:x-user-id
          limit: 10/1m
        - id: all
          match: {path: /**}
          key: header:x-user-id
          limit: 100/1s
          burst: 3
      """;

  private static final int STOPPED = 130;

  private final PrintWriter out;
  private final PrintWriter err;

  public Train(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /**
   * Both starts, unless it is told to stop.
   *
   * @return the exit code.
   */
  public int run() throws IOException, InterruptedException, StartException {
    Path folder = Files.createTempDirectory("weir-train");
    Path file = folder.resolve("weir.yaml");
    Path rateLimits = folder.resolve("ratelimit");
    Path rateLimit = rateLimits.resolve("warm-up.yaml");
    try {
      Files.createDirectory(rateLimits);
      Files.writeString(rateLimit, RATE_LIMITS);
      try (Traffic traffic = new Traffic(false)) {
        Files.writeString(file, with(FILE, traffic, rateLimits));
        if (!start(traffic, "run", "-c", file.toString())) {
          return STOPPED;
        }
      }
      try (Traffic traffic = new Traffic(false)) {
        String flags = FLAGS + (hasEpoll() ? TransportKind.EPOLL : TransportKind.NIO);
        return start(traffic, with(flags, traffic, rateLimits).split(" ")) ? Program.OK : STOPPED;
      }
    } finally {
      for (Path made : new Path[] {rateLimit, rateLimits, file, folder}) {
        Files.deleteIfExists(made);
      }
    }
  }

  private static String with(String settings, Traffic traffic, Path rateLimits) throws IOException {
    return settings
        .replace("<service>", Run.text(traffic.service()))
        .replace("<folder>", rateLimits.toString());
  }

  private static boolean hasEpoll() {
    try {
      return Transport.of(TransportKind.EPOLL) == Transport.EPOLL;
    } catch (IllegalStateException missing) {
      return false;
    }
  }

  /**
   * One start as {@code weir run} does it, and what is asked of it.
   *
   * @return false if it was told to stop before it was done.
   */
  private boolean start(Traffic traffic, String... line)
      throws StartException, IOException, InterruptedException {
    RunArguments arguments = PlainArguments.read(line);
    Settings settings = new Run(out, err).settings(arguments);
    try (Sidecar sidecar = Sidecar.startWarm(settings)) {
      RuleReload reload =
          arguments.file() == null
              ? null
              : new RuleReload(
                  arguments.file(), settings, sidecar.ruleReloads(), sidecar.ruleChoice());
      if (reload != null) {
        reload.start();
      }
      CountDownLatch stop = Run.stopSignals(() -> {});
      out.println(Run.startLine(sidecar, settings));
      out.flush();
      ask(sidecar, traffic, stop);
      sidecar.awaitWarmUp();
      askAdmin(sidecar, traffic);
      if (reload != null) {
        reload.close();
      }
      sidecar.drain(settings.process().drainTimeoutNs());
      return stop.getCount() > 0;
    }
  }

  private static void ask(Sidecar sidecar, Traffic traffic, CountDownLatch stop)
      throws IOException {
    traffic.connectHttp1(sidecar.listenAddress(), HTTP1_CLIENTS);
    traffic.connectHttp2(sidecar.listenAddress(), HTTP2_CLIENTS);
    for (int[] program : PROGRAMS) {
      traffic.connectCalls(sidecar.decisionAddresses().get(0), program[0], program[1]);
    }
    long untilNs = System.nanoTime() + LONGEST_NS;
    int count = 0;
    while (count < EXCHANGES && stop.getCount() > 0 && traffic.exchange(untilNs)) {
      count++;
    }
  }

  /** Asks for the pages that probes and Prometheus ask for. */
  private static void askAdmin(Sidecar sidecar, Traffic traffic) throws IOException {
    TextClient client = traffic.connect(sidecar.adminAddress());
    for (String page : new String[] {"/readyz", "/healthz", "/metrics"}) {
      client.ask(page, null);
      traffic.exchange(System.nanoTime() + TIMEOUT_NS);
    }
  }
}
