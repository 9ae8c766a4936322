package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.rounds.RoundOptions;
import dev.weir.bench.rounds.RoundTimes;
import dev.weir.proxy.rule.spec.BadValueException;
import java.util.List;
import java.util.stream.Stream;
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

  @Mixin private ContenderOptions contenders;

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

  /** The report's flags. */
  RoundOptions report() {
    return report;
  }

  /** The times of measurements. */
  RoundTimes times() {
    return times;
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

  /**
   * Checks these flags.
   *
   * @throws ParameterException that names the value and what was expected.
   */
  ProxySettings checked() {
    report.check();
    report.expectEach("--parts", parts, PARTS);
    report.expectEach(
        "--cases", cases, Stream.of(Outcome.values()).map(Outcome::toString).toList());
    report.expectEach("--keys", keys, n -> n >= 1 && n <= MOST_KEYS, "from 1 to " + MOST_KEYS);
    report.expectEach("--protocols", protocols, Wire.names());
    final List<Contender> chosen = contenders.checked(report);
    times.check(report);
    return new ProxySettings(
        Stream.of(Outcome.values()).filter(each -> cases.contains(each.toString())).toList(),
        keys,
        protocols.stream().map(name -> Wire.parse(name).orElseThrow()).toList(),
        chosen,
        connections.stream().map(this::shape).sorted().toList(),
        !closedOnly,
        times.rounds(report, Cores.find()));
  }

  private Shape shape(String text) {
    try {
      return Shape.parse(text);
    } catch (BadValueException e) {
      throw report.wrong("--connections", text, e.expected());
    }
  }
}
