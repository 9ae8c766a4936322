package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.ProxyBench.ProxySettings;
import dev.weir.bench.compare.Upstream.Services;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.report.Machine;
import dev.weir.bench.rounds.RoundTimes;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.StoreComparison;
import dev.weir.proxy.rule.spec.BadValueException;
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
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
  private static final String PROXY = "proxy";
  private static final String STORE = "store";
  private static final int MOST_KEYS = 1_000_000;

  @Mixin private final RoundTimes report = new RoundTimes(2, "20s");

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "proxy,store",
      description = "Proxies, decisions against a store (default: ${DEFAULT-VALUE}).")
  private List<String> parts;

  @Option(
      names = "--cases",
      paramLabel = "CASE",
      split = ",",
      defaultValue = "pass,refuse",
      description = "What becomes of the requests to proxies (default: ${DEFAULT-VALUE}).")
  private List<String> cases;

  @Option(
      names = "--keys",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,100000",
      description = "Identities that ask, all alike (default: ${DEFAULT-VALUE}).")
  private List<Integer> keys;

  @Option(
      names = "--protocols",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "http/1.1,h2",
      description = {
        "Between clients, proxies and the service (default: ${DEFAULT-VALUE}).",
        "Others: grpc, https, h2-tls, handshakes, resumed."
      })
  private List<String> protocols;

  @Mixin private Contenders contenders;

  @Option(
      names = "--connections",
      paramLabel = "N",
      split = ",",
      defaultValue = "16,64,256",
      description = {
        "Requests at once, each on a connection; of h2, 16 on one (default: ${DEFAULT-VALUE}).",
        "8x64 has 64 streams on each of 8. The middle one is that of the fixed rate."
      })
  private List<String> connections;

  @Option(names = "--closed-only", description = "Leaves out what is measured at a fixed rate.")
  private boolean closedOnly;

  @Override
  public Integer call() throws IOException, InterruptedException {
    final ProxySettings settings = checked();
    final Rounds rounds = settings.rounds();
    rounds.cores().pinClient();
    final CompareReport text = new CompareReport(report.command());
    final Instant started = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    final double loadBefore = Machine.loadAverage();
    if (parts.contains(PROXY)) {
      compareProxies(settings, text);
    }
    if (parts.contains(STORE)) {
      compareStore(rounds, text);
    }
    text.fact(
        "Started %s, load average %.1f before and %.1f after",
        started, loadBefore, Machine.loadAverage());
    report.print(text.markdown());
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
              + comparison.attendance.versions().values().stream()
                  .distinct()
                  .collect(Collectors.joining("; "))
              + "; the load's JDK "
              + Machine.jdk()
              + " "
              + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
      text.fact(report.text("case"));
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
        upstream.text,
        upstream.perSecond(wire, shape, rounds.seconds(), rounds.warmUpSeconds()),
        shape.text(wire.protocol));
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
      text.store(StoreComparison.run(server, keys, rounds));
    }
  }

  private ProxySettings checked() {
    report.check();
    report.expectEach("--parts", parts, List.of(PROXY, STORE));
    report.expectEach(
        "--cases", cases, Stream.of(Outcome.values()).map(Outcome::toString).toList());
    report.expectEach("--keys", keys, n -> n >= 1 && n <= MOST_KEYS, "from 1 to " + MOST_KEYS);
    report.expectEach("--protocols", protocols, Wire.names());
    final List<Contender> chosen = contenders.checked(report);
    return new ProxySettings(
        Stream.of(Outcome.values()).filter(each -> cases.contains(each.toString())).toList(),
        keys,
        protocols.stream().map(name -> Wire.parse(name).orElseThrow()).toList(),
        chosen,
        connections.stream().map(this::shape).sorted().toList(),
        !closedOnly,
        report.rounds(Cores.find()));
  }

  private Shape shape(String text) {
    try {
      return Shape.parse(text);
    } catch (BadValueException e) {
      throw report.wrong("--connections", text, e.expected());
    }
  }
}
