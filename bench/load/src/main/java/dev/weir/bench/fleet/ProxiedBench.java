package dev.weir.bench.fleet;

import dev.weir.bench.fleet.Fleet.FleetPrograms;
import dev.weir.bench.fleet.FleetLoad.LoadPlan;
import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Protocol;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.spec.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The cost of a proxied request in each mode, at one rate. The sidecar has a core; load, service
 * and store share the other.
 */
final class ProxiedBench {
  private static final String PROXIED =
      """
      Requests of HTTP/1.1 on 32 connections through one sidecar to a service, %s for each of %d keys,
      %.0f requests/s, below every limit. %s. *us/req* is processor time of the
      sidecar's process per request. Median (least..most) of %d rounds of %s s, modes by turns; a ratio is of one round.
      Latencies are from when requests were due, in ms.
      """;

  private static final int CONNECTIONS = 32;

  private final FleetSettings settings;
  private final FleetPrograms programs;
  private final Cores cores;
  private final RoundTable<String, LoadFigures> table = new RoundTable<>();

  ProxiedBench(FleetSettings settings, FleetPrograms programs, Cores cores) {
    this.settings = settings;
    this.programs = programs;
    this.cores = cores;
  }

  void run(FleetReport report) throws IOException, InterruptedException {
    // The store is on the core of the load.
    final Cores ofStore = new Cores(cores.client(), cores.server());
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-fleet");
        LocalLoop loop = new LocalLoop("weir-service", TransportKind.AUTO);
        Http1Sink service = loop.http1(Http1Sink.answer("200 OK"));
        RedisServer store = new RedisServer(programs.redisServer(), ofStore)) {
      final int port = ServerProcess.freePort();
      final Path file =
          Files.writeString(
              folder.path().resolve("weir.yaml"),
              "listen: 127.0.0.1:"
                  + port
                  + "\nupstream: http://127.0.0.1:"
                  + service.address().getPort()
                  + "\nadmin: 'off'\n"
                  + settings.rules().settings(List.of(store.address().getPort())));
      try (ServerProcess sidecar =
          ServerProcess.start(
              "weir",
              cores.onServerCore(
                  List.of(programs.launcher().toString(), "run", "-c", file.toString())),
              folder.path().resolve("log"),
              port)) {
        measure(port, sidecar.pid());
      }
    }
    final String first = settings.modes().get(0).toString();
    report.section(
        "Proxied",
        new RoundColumns<>(table)
            .name("mode")
            .spread("answered/s", LoadFigures::perSecond, 0)
            .spread("us/req", LoadFigures::requestUs, 2)
            .ratio("us/req to " + first, first, LoadFigures::requestUs)
            .spread("p50", LoadFigures::p50Ms, 3)
            .spread("p99", LoadFigures::p99Ms, 3)
            .ratio("p99 to " + first, first, LoadFigures::p99Ms)
            .spread("refused %", LoadFigures::wrongPercent, 2)
            .table(),
        PROXIED,
        settings.limitText(),
        settings.keys(),
        settings.perSecond(),
        cores.text("Sidecar", "load, service and store"),
        settings.rounds().count(),
        settings.secondsText());
  }

  private void measure(int port, long pid) throws IOException, InterruptedException {
    final Rounds rounds = settings.rounds();
    for (Mode mode : settings.modes()) {
      rounds.tell("warm-up: proxied, mode %s", mode);
      load(mode).run(port, rounds.warmUpSeconds() / settings.modes().size());
    }
    for (int round = 1; round <= rounds.count(); round++) {
      for (Mode mode : settings.modes()) {
        final LoadFigures figures =
            LoadFigures.measure(
                load(mode), port, rounds.seconds(), LoadAnswers::notPassedShare, cores, pid);
        if (figures.wrongPercent() == 100 || figures.count() == 0) {
          throw new IOException("no proxied request passed (expected: most)");
        }
        table.add("", mode.toString(), figures);
        rounds.tell(
            "round %d: proxied, %-6s %7.0f/s %6.2f us/req, p99 %.2f ms",
            round, mode, figures.perSecond(), figures.requestUs(), figures.p99Ms());
      }
    }
  }

  private LocalLoad load(Mode mode) {
    return new LocalLoad(
        LocalLoad.clients(Protocol.HTTP1, CONNECTIONS, 1, FleetLoad.TIMEOUT_NS),
        false,
        "/" + mode,
        LocalLoad.USER,
        null,
        KeyChoice.parse("zipf:" + settings.keys() + ":" + LoadPlan.KEY_EXPONENT),
        settings.perSecond());
  }
}
