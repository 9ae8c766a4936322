package dev.weir.bench.fleet;

import dev.weir.bench.fleet.Fleet.FleetPrograms;
import dev.weir.bench.fleet.FleetOptions.Part;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.WeirLauncher;
import dev.weir.bench.report.Commit;
import dev.weir.bench.report.Machine;
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

  @Mixin private FleetOptions options;

  @Override
  public Integer call() throws Exception {
    options.check();
    final Optional<Path> launcher = WeirLauncher.find();
    final Optional<Path> redisServer = Programs.find("redis-server");
    if (launcher.isEmpty() || redisServer.isEmpty()) {
      options.progress(
          "weir bench fleet: "
              + (launcher.isEmpty() ? "no launcher beside these classes" : "no redis-server")
              + " (expected: it to be installed)");
      return FAILED;
    }
    try {
      return run(new FleetPrograms(launcher.get(), redisServer.get()));
    } catch (IOException e) {
      options.progress("weir bench fleet: " + e.getMessage());
      return FAILED;
    }
  }

  private int run(FleetPrograms programs) throws IOException, InterruptedException {
    final FleetReport report = new FleetReport();
    facts(report, programs);
    if (options.includes(Part.LOAD)) {
      new ModeBench(options.settings(Part.LOAD), programs).run(report);
    }
    if (options.includes(Part.FAULTS)) {
      new FaultBench(options.settings(Part.FAULTS), options.faults(), programs).run(report);
    }
    if (options.includes(Part.AT_ONCE)) {
      new AtOnceBench(
              options.settings(Part.AT_ONCE),
              options.algorithms(),
              options.requests,
              ROUNDS_AT_ONCE,
              programs)
          .run(report);
    }
    if (options.includes(Part.PROXIED)) {
      // The last one, as this process stays on its core.
      final Cores cores = Cores.find();
      cores.pinClient();
      new ProxiedBench(options.settings(Part.PROXIED), programs, cores).run(report);
    }
    options.print(report.markdown(options.command()));
    if (options.page != null) {
      report.writePage(options.page, options.command());
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
