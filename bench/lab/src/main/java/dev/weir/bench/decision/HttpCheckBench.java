package dev.weir.bench.decision;

import dev.weir.bench.nginx.NginxProcess;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.Spending;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Load;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Target;
import dev.weir.bench.scenario.TlsSettings;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What a check by HTTP adds to a request through nginx, beside nginx's own limit. */
final class HttpCheckBench {
  static final int CONNECTIONS = 64;
  private static final KeyChoice KEYS = KeyChoice.parse("uniform:100000");
  private static final int BODY_BYTES = 100;
  private static final int IDLE = 256;
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

  private static final String HTTP =
      """
      limit_req_zone $http_x_user_id zone=users:64m rate=1000000r/s;
      server {
        listen 127.0.0.1:<port> backlog=1024;
        location / {
          <limit>
          proxy_pass http://service;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
        }
        location = /weir {
          internal;
          proxy_pass http://weir/v1/check;
          proxy_http_version 1.1;
          proxy_pass_request_body off;
          proxy_set_header Connection "";
          proxy_set_header Content-Length "";
          proxy_set_header X-Original-URI $request_uri;
          proxy_set_header X-Original-Method $request_method;
          proxy_set_header X-Forwarded-Uri "";
          proxy_set_header X-Forwarded-Method "";
          proxy_set_header X-Forwarded-Host $host;
          proxy_set_header X-Forwarded-For $remote_addr;
        }
      }
      """;

  /** Who limits. */
  enum Limiter {
    NOBODY("nobody", ""),
    LIMIT_REQ("nginx, limit_req", "limit_req zone=users burst=1000000 nodelay;"),
    AUTH_REQUEST("Weir, auth_request", "auth_request /weir;");

    private final String text;
    private final String directive;

    Limiter(String text, String directive) {
      this.text = text;
      this.directive = directive;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * What one limiter was in one round.
   *
   * @param requestUs processor time of nginx and the sidecar per request.
   * @param addedUs the same, beyond that of the same round without a limit.
   */
  record Figures(double perSecond, double requestUs, double addedUs) {}

  private final int rounds;
  private final double seconds;
  private final double warmUpSeconds;
  private final Cores cores;
  private final Consumer<String> progress;
  private final RoundTable<String, Figures> table = new RoundTable<>();

  HttpCheckBench(
      int rounds, double seconds, double warmUpSeconds, Cores cores, Consumer<String> progress) {
    this.rounds = rounds;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.cores = cores;
    this.progress = progress;
  }

  /** By who limits; nginx and the sidecar have one core together. */
  RoundTable<String, Figures> run(Path nginx) throws IOException, InterruptedException {
    final Transport transport = Transport.of(TransportKind.AUTO);
    final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("weir-service", true), transport.handlerFactory());
    final Map<Limiter, ServerProcess> servers = new EnumMap<>(Limiter.class);
    final Map<Limiter, Integer> ports = new EnumMap<>(Limiter.class);
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-decisions");
        Http1Sink service = new Http1Sink(group, transport, answer())) {
      final int weirPort = ServerProcess.freePort();
      final WeirServer weir = new WeirServer(TransportKind.AUTO, null);
      try (ServerProcess sidecar = weir.start(folder.path(), weirPort, cores)) {
        for (Limiter limiter : Limiter.values()) {
          final int port = ServerProcess.freePort();
          final Path own = Files.createDirectory(folder.path().resolve(limiter.name()));
          final String http =
              NginxProcess.upstream("service", service.address().getPort(), IDLE)
                  + NginxProcess.upstream("weir", weirPort, IDLE)
                  + HTTP.replace("<limit>", limiter.directive)
                      .replace("<port>", Integer.toString(port));
          servers.put(
              limiter,
              ServerProcess.start(
                  "nginx",
                  cores.onServerCore(
                      NginxProcess.command(nginx, NginxProcess.configuration(http, own), own)),
                  own.resolve("log"),
                  port));
          ports.put(limiter, port);
          progress.accept("warm-up: requests through nginx, limited by " + limiter);
          CallAnswers.of(scenario(port, warmUpSeconds));
        }
        for (int round = 1; round <= rounds; round++) {
          double withoutUs = 0;
          for (Limiter limiter : Limiter.values()) {
            final long pid = servers.get(limiter).pid();
            final Figures figures = measure(ports.get(limiter), withoutUs, pid, sidecar.pid());
            withoutUs = limiter == Limiter.NOBODY ? figures.requestUs() : withoutUs;
            table.add("", limiter.toString(), figures);
            progress.accept(line(round, limiter, figures));
          }
        }
      }
    } finally {
      servers.values().forEach(ServerProcess::close);
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
    return table;
  }

  private static byte[] answer() {
    final String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ";
    return (head + BODY_BYTES + "\r\n\r\n" + "x".repeat(BODY_BYTES))
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static Scenario scenario(int port, double seconds) {
    final Target target = new Target(false, "127.0.0.1", port, "127.0.0.1:" + port);
    final Field user = new Field("X-User-Id", RequestSpec.KEY);
    final long durationNs = (long) (seconds * 1e9);
    return new Scenario(
        "checks by HTTP",
        List.of(new RequestSpec(target, "GET", "/orders/17", List.of(user), null, 1)),
        KEYS,
        new Load(null, durationNs, 0),
        new ClientSettings(
            Protocol.HTTP1,
            CONNECTIONS,
            1,
            ClientSettings.NO_END,
            1,
            ClientSettings.usualTransport(),
            TIMEOUT_NS,
            new TlsSettings(null, true, true, List.of())),
        List.of());
  }

  private Figures measure(int port, double withoutUs, Long... pids)
      throws IOException, InterruptedException {
    final Spending spending = new Spending(cores, pids);
    final CallAnswers answers = CallAnswers.of(scenario(port, seconds));
    final double spentUs = spending.end().spentUs();
    if (answers.count() == 0 || answers.failed() > 0) {
      throw new IOException(answers.failed() + " requests failed (expected: none)");
    }
    final double requestUs = spentUs / answers.count();
    return new Figures(
        answers.count() / answers.seconds(),
        requestUs,
        withoutUs == 0 ? Double.NaN : requestUs - withoutUs);
  }

  private static String line(int round, Limiter limiter, Figures figures) {
    return String.format(
        Locale.ROOT,
        "requests through nginx, round %d: limited by %-18s %7.0f/s %6.2f us/req",
        round,
        limiter,
        figures.perSecond(),
        figures.requestUs());
  }
}
