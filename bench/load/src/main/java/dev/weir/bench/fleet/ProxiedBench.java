package dev.weir.bench.fleet;

import dev.weir.bench.load.LoadException;
import dev.weir.bench.load.LoadRun;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.Spending;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.Slice;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Load;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Schedule;
import dev.weir.bench.scenario.Target;
import dev.weir.bench.scenario.TlsSettings;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.spec.Mode;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * What a proxied request costs one sidecar in each mode, at one rate. The sidecar has a core; load,
 * service and store share the other.
 */
final class ProxiedBench {
  private static final int CONNECTIONS = 32;
  private static final double NS_PER_MS = 1e6;

  private final FleetSettings settings;
  private final Path launcher;
  private final Path redisServer;
  private final Cores cores;
  private final Consumer<String> progress;
  private final RoundTable<String, Figures> table = new RoundTable<>();

  /**
   * What one mode was in one round.
   *
   * @param requestUs processor time of the sidecar per request.
   * @param refusedPercent of requests, of which none should be.
   */
  record Figures(
      double perSecond, double requestUs, double p50Ms, double p99Ms, double refusedPercent) {}

  ProxiedBench(
      FleetSettings settings,
      Path launcher,
      Path redisServer,
      Cores cores,
      Consumer<String> progress) {
    this.settings = settings;
    this.launcher = launcher;
    this.redisServer = redisServer;
    this.cores = cores;
    this.progress = progress;
  }

  /** Measures; by mode. */
  RoundTable<String, Figures> run() throws IOException, InterruptedException {
    final Transport transport = Transport.of(TransportKind.AUTO);
    final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("weir-service", true), transport.handlerFactory());
    // The store is on the core of the load.
    final Cores ofStore = new Cores(cores.client(), cores.server());
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-fleet");
        Http1Sink service = new Http1Sink(group, transport, Http1Sink.answer("200 OK"));
        RedisServer store = new RedisServer(redisServer, ofStore)) {
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
              cores.onServerCore(List.of(launcher.toString(), "run", "-c", file.toString())),
              folder.path().resolve("log"),
              port)) {
        measure(port, sidecar.pid());
      }
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
    return table;
  }

  private void measure(int port, long pid) throws IOException, InterruptedException {
    for (Mode mode : settings.modes()) {
      progress.accept("warm-up: proxied, mode " + mode);
      load(port, mode, settings.warmUpSeconds() / settings.modes().size());
    }
    for (int round = 1; round <= settings.rounds(); round++) {
      for (Mode mode : settings.modes()) {
        final Spending spending = new Spending(cores, pid);
        final RunResult result = load(port, mode, settings.seconds());
        final double spentUs = spending.end().spentUs();
        final Figures figures = figures(result, spentUs);
        table.add("", mode.toString(), figures);
        progress.accept(
            String.format(
                Locale.ROOT,
                "round %d: proxied, %-6s %7.0f/s %6.2f us/req, p99 %.2f ms",
                round,
                mode,
                figures.perSecond(),
                figures.requestUs(),
                figures.p99Ms()));
      }
    }
  }

  private static Figures figures(RunResult result, double spentUs) throws IOException {
    double passed = 0;
    double refused = 0;
    long failed = 0;
    long endMs = 1;
    for (Slice slice : result.slices()) {
      passed += slice.passed();
      refused += slice.refused();
      failed += slice.failed();
      endMs = Math.max(endMs, slice.endMs());
    }
    if (passed == 0) {
      throw new IOException(failed + " proxied requests failed, none passed (expected: most)");
    }
    final Histogram latencies = result.latencies().get(0).total();
    return new Figures(
        1e3 * passed / endMs,
        spentUs / (passed + refused + failed),
        latencies.getValueAtPercentile(50) / NS_PER_MS,
        latencies.getValueAtPercentile(99) / NS_PER_MS,
        100 * (refused + failed) / (passed + refused + failed));
  }

  private RunResult load(int port, Mode mode, double seconds)
      throws IOException, InterruptedException {
    final long durationNs = (long) (seconds * 1e9);
    final Target target = new Target(false, "127.0.0.1", port, "127.0.0.1:" + port);
    final Scenario scenario =
        new Scenario(
            "fleet",
            List.of(
                new RequestSpec(
                    target,
                    "GET",
                    "/" + mode,
                    List.of(new Field("X-User-Id", RequestSpec.KEY)),
                    null,
                    1)),
            KeyChoice.parse("zipf:" + settings.keys() + ":" + LoadPlan.KEY_EXPONENT),
            new Load(Schedule.constant(settings.perSecond(), durationNs), durationNs, 0),
            new ClientSettings(
                Protocol.HTTP1,
                CONNECTIONS,
                1,
                ClientSettings.NO_END,
                1,
                ClientSettings.usualTransport(),
                FleetLoad.TIMEOUT_NS,
                new TlsSettings(null, true, true, List.of())),
            List.of());
    try {
      return new LoadRun(scenario, LoadRun.Progress.SILENT).run();
    } catch (LoadException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  RoundTable<String, Figures> table() {
    return table;
  }

  FleetSettings settings() {
    return settings;
  }

  Cores cores() {
    return cores;
  }
}
