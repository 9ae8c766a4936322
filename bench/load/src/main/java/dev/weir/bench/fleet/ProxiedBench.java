package dev.weir.bench.fleet;

import dev.weir.bench.load.LoadAnswers;
import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.LoadFigures;
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

  /** Measures; by mode. */
  RoundTable<String, LoadFigures> run() throws IOException, InterruptedException {
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
    return table;
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

  RoundTable<String, LoadFigures> table() {
    return table;
  }

  FleetSettings settings() {
    return settings;
  }

  Cores cores() {
    return cores;
  }
}
