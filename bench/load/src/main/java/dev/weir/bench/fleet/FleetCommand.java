package dev.weir.bench.fleet;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.WeirLauncher;
import dev.weir.bench.report.Commit;
import dev.weir.bench.report.Machine;
import dev.weir.bench.rounds.RoundOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench fleet}: starts sidecars and stores, measures, prints the report. */
@Command(
    name = "fleet",
    description = "What does a fleet let pass, at what price, and while things go wrong?",
    footer = {
      "",
      "Faults: none, reply-lost, store-slow, store-late, store-hung, store-cut-off, store-killed,",
      "failover, failover-losing-writes, store-emptied, sidecar-killed, sidecar-hung.",
      "",
      "Starts all it needs itself, on 127.0.0.1, and ends it; redis-server must be installed. Weir by its",
      "launcher, so WEIR_JAVA_HOME and WEIR_JAVA_OPTS count. The defaults take about five minutes.",
      "Prints the report; progress goes to standard error.",
      "",
      "Exit codes: 0 done, 1 something cannot be started, 2 wrong arguments, 3 more passed than may: in mode",
      "exact or leased, but for faults that make the store forget."
    })
public final class FleetCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int OVER = 3;
  private static final int ROUNDS_AT_ONCE = 20;

  /**
   * Microseconds by which the machine's time may be adjusted in a measurement without a warning.
   */
  private static final long STEP_US = 1_000;

  @Mixin private FleetOptions options;

  @Override
  public Integer call() throws Exception {
    options.check();
    final RoundOptions report = options.report();
    final Optional<Path> launcher = WeirLauncher.find();
    final Optional<Path> redisServer = Programs.find("redis-server");
    if (launcher.isEmpty() || redisServer.isEmpty()) {
      report.progress(
          "weir bench fleet: "
              + (launcher.isEmpty() ? "no launcher beside these classes" : "no redis-server")
              + " (expected: it to be installed)");
      return FAILED;
    }
    try {
      return run(new FleetPrograms(launcher.get(), redisServer.get()));
    } catch (IOException e) {
      report.progress("weir bench fleet: " + e.getMessage());
      return FAILED;
    }
  }

  private int run(FleetPrograms programs) throws IOException, InterruptedException {
    final FleetReport report = new FleetReport();
    facts(report, programs);
    if (options.includes(Part.LOAD)) {
      final ModeBench bench = new ModeBench(options.settings(Part.LOAD), programs);
      bench.run();
      report.fact("A sidecar", bench.commandLine());
      if (bench.clockStepUs() > STEP_US) {
        report.fact(
            "Warning",
            "the machine's time was set by "
                + bench.clockStepUs()
                + " us meanwhile: windows of the clock are judged wrongly");
      }
      report.modes(bench);
    }
    if (options.includes(Part.FAULTS)) {
      final FaultBench bench =
          new FaultBench(options.settings(Part.FAULTS), options.faults(), programs);
      bench.run();
      report.faults(bench);
    }
    if (options.includes(Part.AT_ONCE)) {
      final AtOnceBench bench =
          new AtOnceBench(
              options.settings(Part.AT_ONCE),
              options.algorithms(),
              options.requests(),
              ROUNDS_AT_ONCE,
              programs);
      bench.run();
      report.atOnce(bench);
    }
    if (options.includes(Part.PROXIED)) {
      // The last one, as this process stays on its core.
      final Cores cores = Cores.find();
      cores.pinClient();
      final ProxiedBench bench = new ProxiedBench(options.settings(Part.PROXIED), programs, cores);
      bench.run();
      report.proxied(bench);
    }
    final String command = options.report().command();
    options.report().print(report.markdown(command));
    if (options.page() != null) {
      report.writePage(options.page(), command);
    }
    return report.passed() ? OK : OVER;
  }

  private static void facts(FleetReport report, FleetPrograms programs) throws IOException {
    report.fact("Machine", Machine.processor() + ", " + Machine.system());
    report.fact("Weir", WeirLauncher.version(programs.launcher()));
    try (RedisServer redis = new RedisServer(programs.redisServer(), Cores.UNPINNED)) {
      report.fact("Store", "Redis " + redis.version());
    }
    report.fact("The load", "JDK " + Machine.jdk() + ", commit " + Commit.head());
  }
}
