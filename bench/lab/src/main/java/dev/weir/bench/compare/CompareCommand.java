package dev.weir.bench.compare;

import dev.weir.bench.process.Programs;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.report.Machine;
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
    options.check();
    options.cores().pinClient();
    final CompareReport text = new CompareReport(options.command());
    final Instant started = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    final double loadBefore = loadAverage();
    if (options.comparesProxies()) {
      compareProxies(text);
    }
    if (options.comparesStore()) {
      compareStore(text);
    }
    text.fact(
        "Started %s, load average %.1f before and %.1f after", started, loadBefore, loadAverage());
    options.report().print(text.markdown());
    return 0;
  }

  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private void compareProxies(CompareReport text) throws IOException, InterruptedException {
    final ProxySettings settings = options.proxies();
    options
        .report()
        .progress(
            String.format(
                Locale.ROOT,
                "proxies: about %.0f minutes",
                Math.ceil(settings.estimatedSeconds() / 60)));
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-upstream");
        Services services = Services.start(folder.path(), options.cores())) {
      final List<String> direct = new ArrayList<>();
      for (Wire wire : List.of(Wire.HTTP1, Wire.GRPC)) {
        if (settings.wires().stream().anyMatch(each -> services.of(each) == services.of(wire))) {
          direct.add(direct(services.of(wire), wire, settings));
        }
      }
      final Comparison comparison =
          new ProxyBench(settings, options.report()::progress).run(services);
      text.fact(options.cores().text("Server", "load and upstream"));
      text.fact(
          "Versions: "
              + comparison.versions().values().stream().distinct().collect(Collectors.joining("; "))
              + "; the load's JDK "
              + Machine.jdk()
              + " "
              + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
      text.fact(
          "Medians of %d rounds of %s s, after a warm-up of %s of each server and case",
          options.report().rounds(), options.times().seconds(), options.times().warmUp());
      direct.forEach(each -> text.fact(each));
      text.proxies(comparison);
    }
  }

  private String direct(Upstream upstream, Wire wire, ProxySettings settings)
      throws IOException, InterruptedException {
    final Shape shape = settings.usualShape();
    return String.format(
        Locale.ROOT,
        "The service of %s is %s; load and service alone make %.0f requests/s at %s at once",
        wire,
        upstream.text(),
        upstream.perSecond(wire, shape, options.times().seconds(), options.times().warmUpSeconds()),
        shape.text(wire.protocol()));
  }

  private void compareStore(CompareReport text) throws IOException, InterruptedException {
    final Optional<Path> program = Programs.find("redis-server");
    if (program.isEmpty()) {
      text.leftOut("decisions against a store: redis-server is not installed");
      options
          .report()
          .progress("left out: decisions against a store: redis-server is not installed");
      return;
    }
    try (RedisServer server = new RedisServer(program.get(), options.cores())) {
      text.fact("Redis " + server.version() + ", no persistence, one thread");
      text.store(
          StoreComparison.run(
              server,
              options.keys(),
              options.report().rounds(),
              options.times().seconds(),
              options.times().warmUpSeconds(),
              options.report()::progress));
    }
  }
}
