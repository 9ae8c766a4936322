package dev.weir.bench.decision;

import dev.weir.bench.compare.NginxProcess;
import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Protocol;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The cost that a check by HTTP adds to a request through nginx, beside nginx's own limit. */
final class HttpCheckBench {
  static final int CONNECTIONS = 64;
  private static final int BODY_BYTES = 100;
  private static final int IDLE = 256;

  private static final LocalLoad LOAD =
      new LocalLoad(
          LocalLoad.clients(Protocol.HTTP1, CONNECTIONS, 1, TimeUnit.SECONDS.toNanos(10)),
          false,
          "/orders/17",
          LocalLoad.USER,
          null,
          KeyChoice.parse("uniform:100000"),
          LocalLoad.CLOSED);

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
   * The figures of one limiter in one round.
   *
   * @param requestUs processor time of nginx and the sidecar per request.
   * @param addedUs the same, beyond that of the same round without a limit.
   */
  record Figures(double perSecond, double requestUs, double addedUs) {}

  private final Rounds rounds;
  private final RoundTable<String, Figures> table = new RoundTable<>();

  HttpCheckBench(Rounds rounds) {
    this.rounds = rounds;
  }

  /** Measures each limiter; nginx and the sidecar have one core together. */
  RoundTable<String, Figures> run(Path nginx) throws IOException, InterruptedException {
    final Map<Limiter, ServerProcess> servers = new EnumMap<>(Limiter.class);
    final Map<Limiter, Integer> ports = new EnumMap<>(Limiter.class);
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-decisions");
        LocalLoop loop = new LocalLoop("weir-service", TransportKind.AUTO);
        Http1Sink service = loop.http1(Http1Sink.answer(BODY_BYTES))) {
      final int weirPort = ServerProcess.freePort();
      final WeirServer weir = new WeirServer(TransportKind.AUTO, null);
      try (ServerProcess sidecar = weir.start(folder.path(), weirPort, rounds.cores())) {
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
                  rounds
                      .cores()
                      .onServerCore(
                          NginxProcess.command(nginx, NginxProcess.configuration(http, own), own)),
                  own.resolve("log"),
                  port));
          ports.put(limiter, port);
          rounds.tell("warm-up: requests through nginx, limited by %s", limiter);
          LOAD.run(port, rounds.warmUpSeconds());
        }
        for (int round = 1; round <= rounds.count(); round++) {
          double withoutUs = 0;
          for (Limiter limiter : Limiter.values()) {
            final long pid = servers.get(limiter).pid();
            final Figures figures = measure(ports.get(limiter), withoutUs, pid, sidecar.pid());
            withoutUs = limiter == Limiter.NOBODY ? figures.requestUs() : withoutUs;
            table.add("", limiter.toString(), figures);
            rounds.tell(
                "requests through nginx, round %d: limited by %-18s %7.0f/s %6.2f us/req",
                round, limiter, figures.perSecond(), figures.requestUs());
          }
        }
      }
    } finally {
      servers.values().forEach(ServerProcess::close);
    }
    return table;
  }

  private Figures measure(int port, double withoutUs, Long... pids)
      throws IOException, InterruptedException {
    final LoadFigures figures =
        LoadFigures.measure(
            LOAD, port, rounds.seconds(), LoadAnswers::notPassedShare, rounds.cores(), pids);
    if (figures.count() == 0 || figures.wrongPercent() > 0) {
      throw new IOException(figures.wrongPercent() + " % of the requests failed (expected: none)");
    }
    return new Figures(
        figures.perSecond(),
        figures.requestUs(),
        withoutUs == 0 ? Double.NaN : figures.requestUs() - withoutUs);
  }
}
