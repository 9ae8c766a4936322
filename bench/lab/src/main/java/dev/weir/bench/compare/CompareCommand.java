package dev.weir.bench.compare;

import dev.weir.bench.process.Programs;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.report.Machine;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.StoreComparison;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench compare}: starts what is compared, measures, prints the report. */
@Command(
    name = "compare",
    description = "What does a request cost in Weir, and what in nginx, HAProxy and Bucket4j?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. What is not installed is left out, and",
      "said. Starts all servers itself, on 127.0.0.1, on a core of their own where there are two and",
      "taskset; Weir by its launcher, so WEIR_JAVA_HOME and WEIR_JAVA_OPTS count.",
      "The defaults take about a quarter of an hour."
    })
public final class CompareCommand implements Callable<Integer> {
  @Mixin private CompareOptions options;

  @Override
  public Integer call() throws IOException, InterruptedException {
    final ProxySettings settings = options.checked();
    final Rounds rounds = settings.rounds();
    rounds.cores().pinClient();
    final CompareReport text = new CompareReport(options.report().command());
    final Instant started = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    final double loadBefore = Machine.loadAverage();
    if (options.comparesProxies()) {
      compareProxies(settings, text);
    }
    if (options.comparesStore()) {
      compareStore(rounds, text);
    }
    text.fact(
        "Started %s, load average %.1f before and %.1f after",
        started, loadBefore, Machine.loadAverage());
    options.report().print(text.markdown());
    return 0;
  }

  private void compareProxies(ProxySettings settings, CompareReport text)
      throws IOException, InterruptedException {
    final Rounds rounds = settings.rounds();
    rounds.tell("proxies: about %.0f minutes", Math.ceil(settings.estimatedSeconds() / 60));
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-upstream");
        Services services = Services.start(folder.path(), rounds.cores())) {
      final List<String> direct = new ArrayList<>();
      for (Wire wire : List.of(Wire.HTTP1, Wire.GRPC)) {
        if (settings.wires().stream().anyMatch(each -> services.of(each) == services.of(wire))) {
          direct.add(direct(services.of(wire), wire, settings));
        }
      }
      final Comparison comparison = new ProxyBench(settings).run(services);
      text.fact(rounds.cores().text("Server", "load and upstream"));
      text.fact(
          "Versions: "
              + comparison.attendance().versions().values().stream()
                  .distinct()
                  .collect(Collectors.joining("; "))
              + "; the load's JDK "
              + Machine.jdk()
              + " "
              + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
      text.fact(options.times().text(options.report(), "case"));
      direct.forEach(each -> text.fact(each));
      text.proxies(comparison);
    }
  }

  private static String direct(Upstream upstream, Wire wire, ProxySettings settings)
      throws IOException, InterruptedException {
    final Shape shape = settings.usualShape();
    final Rounds rounds = settings.rounds();
    return String.format(
        Locale.ROOT,
        "The service of %s is %s; load and service alone make %.0f requests/s at %s at once",
        wire,
        upstream.text(),
        upstream.perSecond(wire, shape, rounds.seconds(), rounds.warmUpSeconds()),
        shape.text(wire.protocol()));
  }

  private void compareStore(Rounds rounds, CompareReport text)
      throws IOException, InterruptedException {
    final Optional<Path> program = Programs.find("redis-server");
    if (program.isEmpty()) {
      text.leftOut("decisions against a store: redis-server is not installed");
      rounds.tell("left out: decisions against a store: redis-server is not installed");
      return;
    }
    try (RedisServer server = new RedisServer(program.get(), rounds.cores())) {
      text.fact("Redis " + server.version() + ", no persistence, one thread");
      text.store(StoreComparison.run(server, options.keys(), rounds));
    }
  }
}
