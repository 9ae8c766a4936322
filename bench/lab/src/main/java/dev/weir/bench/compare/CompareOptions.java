package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.rounds.RoundOptions;
import dev.weir.bench.rounds.RoundTimes;
import dev.weir.proxy.rule.spec.BadValueException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The flags of {@code weir bench compare}. */
final class CompareOptions {
  private static final String PROXY = "proxy";
  private static final String STORE = "store";
  private static final List<String> PARTS = List.of(PROXY, STORE);
  private static final int MOST_KEYS = 1_000_000;

  @Mixin private RoundOptions report;
  @Mixin private final RoundTimes times = new RoundTimes(2, "20s");

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

  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "nginx,haproxy,weir-io_uring,weir-epoll",
      description = "Proxies (default: ${DEFAULT-VALUE}).")
  private List<String> contenders;

  @Option(
      names = "--earlier",
      paramLabel = "FOLDER",
      description = "Of another version of Weir: takes part beside this one, as earlier-*.")
  private Path earlier;

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

  private final List<Shape> shapes = new ArrayList<>();
  private Cores cores;

  /**
   * Checks these flags.
   *
   * @throws ParameterException that names the value and what was expected.
   */
  void check() {
    report.check();
    report.expectEach("--parts", parts, PARTS);
    report.expectEach("--cases", cases, name -> outcome(name).isPresent(), "any of pass, refuse");
    report.expectEach("--keys", keys, n -> n >= 1 && n <= MOST_KEYS, "from 1 to " + MOST_KEYS);
    report.expectEach(
        "--protocols",
        protocols,
        name -> Wire.parse(name).isPresent(),
        "any of " + String.join(", ", Wire.names()));
    report.expectEach("--contenders", contenders, Contenders.names());
    report.expect(
        "--earlier",
        earlier,
        earlier == null || Files.isExecutable(earlier.resolve("weir")),
        "a folder with the launcher, weir");
    for (String shape : connections) {
      try {
        shapes.add(Shape.parse(shape));
      } catch (BadValueException e) {
        report.expect("--connections", shape, false, e.expected());
      }
    }
    shapes.sort(null);
    times.check(report);
    cores = chosenCores();
  }

  private Cores chosenCores() {
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

  RoundOptions report() {
    return report;
  }

  boolean comparesProxies() {
    return parts.contains(PROXY);
  }

  boolean comparesStore() {
    return parts.contains(STORE);
  }

  List<Integer> keys() {
    return keys;
  }

  RoundTimes times() {
    return times;
  }

  /** Where servers and load run; after {@link #check}. */
  Cores cores() {
    return cores;
  }

  /** The settings of the comparison of proxies; after {@link #check}. */
  ProxySettings proxies() {
    return new ProxySettings(
        cases.stream().map(name -> outcome(name).orElseThrow()).toList(),
        keys,
        protocols.stream().map(name -> Wire.parse(name).orElseThrow()).toList(),
        Contenders.of(contenders, earlier),
        List.copyOf(shapes),
        report.rounds(),
        times.seconds(),
        times.warmUpSeconds(),
        !closedOnly,
        cores);
  }

  /** The command line that makes the report again. */
  String command() {
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
        + (earlier == null ? "" : " --earlier FOLDER")
        + " --connections "
        + String.join(",", connections)
        + (closedOnly ? " --closed-only" : "")
        + times.command()
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
