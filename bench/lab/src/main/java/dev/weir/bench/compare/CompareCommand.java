package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.report.Machine;
import dev.weir.bench.rounds.RoundOptions;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.store.RedisServer;
import dev.weir.bench.store.StoreComparison;
import dev.weir.proxy.rule.BadValueException;
import dev.weir.proxy.rule.DurationText;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
  private static final List<String> PARTS = List.of(PROXY, STORE);
  private static final List<Protocol> PROTOCOLS = List.of(Protocol.HTTP1, Protocol.HTTP2);
  private static final int MOST_KEYS = 1_000_000;
  private static final int MOST_CONNECTIONS = 256;
  private static final double MIN_SECONDS = 0.1;
  private static final double MAX_SECONDS = 60;
  private static final long MAX_WARM_UP_NS = 600_000_000_000L;

  @Mixin private RoundOptions report;

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
      description = "Of the clients of proxies (default: ${DEFAULT-VALUE}).")
  private List<String> protocols;

  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "nginx,haproxy,weir-io_uring,weir-epoll",
      description = "Proxies (default: ${DEFAULT-VALUE}).")
  private List<String> contenders;

  @Option(
      names = "--connections",
      paramLabel = "N",
      split = ",",
      defaultValue = "16,64,256",
      description = {
        "Requests at once, each on a connection; of h2, 16 on one (default: ${DEFAULT-VALUE}).",
        "The middle one is that of the fixed rate."
      })
  private List<Integer> connections;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "2",
      description = "Of each measurement (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      defaultValue = "20s",
      description = {
        "Of each server, before what it is measured at (default: ${DEFAULT-VALUE}).",
        "A JVM on one core compiles for most of that."
      })
  private String warmUp;

  @Option(
      names = "--server-core",
      paramLabel = "N",
      description = "Of the servers that are compared (default: the first of this process's).")
  private Integer serverCore;

  @Option(
      names = "--load-core",
      paramLabel = "N",
      description = "Of the load and the service (default: the second of this process's).")
  private Integer loadCore;

  private long warmUpNs;
  private Cores cores;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    cores.pinClient();
    final CompareReport text = new CompareReport(command());
    final Instant started = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    final double loadBefore = loadAverage();
    if (parts.contains(PROXY)) {
      compareProxies(text);
    }
    if (parts.contains(STORE)) {
      compareStore(text);
    }
    text.fact(
        String.format(
            Locale.ROOT,
            "Started %s, load average %.1f before and %.1f after",
            started,
            loadBefore,
            loadAverage()));
    report.print(text.markdown());
    return 0;
  }

  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private void check() {
    report.check();
    expectEach("--parts", parts, PARTS::contains, "any of " + String.join(", ", PARTS));
    expectEach("--cases", cases, name -> outcome(name).isPresent(), "any of pass, refuse");
    expectEach("--keys", keys, n -> n >= 1 && n <= MOST_KEYS, "from 1 to " + MOST_KEYS);
    expectEach("--protocols", protocols, name -> protocol(name).isPresent(), "any of http/1.1, h2");
    expectEach(
        "--contenders",
        contenders,
        Contenders.names()::contains,
        "any of " + String.join(", ", Contenders.names()));
    expectEach(
        "--connections",
        connections,
        n -> n >= 1 && n <= MOST_CONNECTIONS,
        "from 1 to " + MOST_CONNECTIONS);
    // Written so that NaN fails.
    report.expect(
        "--seconds",
        seconds,
        seconds >= MIN_SECONDS && seconds <= MAX_SECONDS,
        "from " + MIN_SECONDS + " to " + MAX_SECONDS);
    try {
      warmUpNs = DurationText.parseNs(warmUp);
    } catch (BadValueException e) {
      report.expect("--warm-up", warmUp, false, e.expected());
    }
    report.expect("--warm-up", warmUp, warmUpNs <= MAX_WARM_UP_NS, "at most 10m");
    cores = cores();
  }

  private <T> void expectEach(String name, List<T> values, Predicate<T> right, String expected) {
    for (T value : values) {
      report.expect(name, value, right.test(value), expected);
    }
  }

  private Cores cores() {
    final Cores found = Cores.find();
    if (serverCore == null && loadCore == null) {
      return found;
    }
    final List<Integer> allowed = Cores.allowed();
    final int server = serverCore == null ? found.server() : serverCore;
    final int load = loadCore == null ? found.client() : loadCore;
    final String expected = "one of " + allowed + ", with taskset";
    report.expect(
        "--server-core", server, allowed.contains(server) && found.server() != Cores.ANY, expected);
    report.expect("--load-core", load, allowed.contains(load), expected);
    report.expect("--load-core", load, load != server, "another than --server-core");
    return new Cores(server, load);
  }

  private static Optional<Outcome> outcome(String name) {
    return List.of(Outcome.values()).stream()
        .filter(outcome -> outcome.toString().equals(name))
        .findFirst();
  }

  private static Optional<Protocol> protocol(String name) {
    return PROTOCOLS.stream().filter(protocol -> protocol.toString().equals(name)).findFirst();
  }

  private void compareProxies(CompareReport text) throws IOException, InterruptedException {
    final ProxySettings settings =
        new ProxySettings(
            cases.stream().map(name -> outcome(name).orElseThrow()).toList(),
            keys,
            protocols.stream().map(name -> protocol(name).orElseThrow()).toList(),
            Contenders.of(contenders),
            connections.stream().sorted().toList(),
            report.rounds(),
            seconds,
            warmUpNs / 1e9,
            cores);
    report.progress(
        String.format(
            Locale.ROOT,
            "proxies: about %.0f minutes",
            Math.ceil(settings.estimatedSeconds() / 60)));
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-upstream");
        Upstream upstream = Upstream.start(folder.path(), cores)) {
      final double direct = upstream.perSecond(settings.usualInFlight(), seconds, warmUpNs / 1e9);
      final Comparison comparison = new ProxyBench(settings, report::progress).run(upstream.port());
      text.fact(cores.text("Server", "load and upstream"));
      text.fact(
          "Versions: "
              + comparison.versions().values().stream().distinct().collect(Collectors.joining("; "))
              + "; the load's JDK "
              + Machine.jdk()
              + " "
              + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
      text.fact(
          String.format(
              Locale.ROOT,
              "Medians of %d rounds of %s s, after a warm-up of %s of each server and case",
              report.rounds(),
              seconds,
              warmUp));
      text.fact(
          String.format(
              Locale.ROOT,
              "The service behind is %s; load and service alone make %.0f requests/s at %d at once",
              upstream.text(),
              direct,
              settings.usualInFlight()));
      text.proxies(comparison);
    }
  }

  private void compareStore(CompareReport text) throws IOException, InterruptedException {
    final Optional<Path> program = Programs.find("redis-server");
    if (program.isEmpty()) {
      text.leftOut("decisions against a store: redis-server is not installed");
      report.progress("left out: decisions against a store: redis-server is not installed");
      return;
    }
    try (RedisServer server = new RedisServer(program.get(), cores)) {
      text.fact("Redis " + server.version() + ", no persistence, one thread");
      text.store(
          StoreTable.of(
              StoreComparison.run(
                  server, keys, report.rounds(), seconds, warmUpNs / 1e9, report::progress)));
    }
  }

  private String command() {
    return "./weir bench compare --parts "
        + String.join(",", parts)
        + " --cases "
        + String.join(",", cases)
        + " --keys "
        + joined(keys)
        + " --protocols "
        + String.join(",", protocols)
        + " --contenders "
        + String.join(",", contenders)
        + " --connections "
        + joined(connections)
        + " --seconds "
        + seconds
        + " --warm-up "
        + warmUp
        + (serverCore == null ? "" : " --server-core " + serverCore)
        + (loadCore == null ? "" : " --load-core " + loadCore)
        + report.command();
  }

  private static String joined(List<Integer> numbers) {
    final List<String> texts = new ArrayList<>();
    numbers.forEach(number -> texts.add(number.toString()));
    return String.join(",", texts);
  }
}
