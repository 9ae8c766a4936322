package dev.weir.bench.fleet;

import dev.weir.bench.process.Cores;
import dev.weir.bench.rounds.RoundTimes;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** The flags of {@code weir bench fleet}. */
final class FleetOptions extends RoundTimes {
  private static final String ALL = "all";
  private static final int MOST_SIDECARS = 64;
  private static final int MOST_SHARDS = 16;
  private static final int MOST_KEYS = 1_000;
  private static final double MOST_LOAD = 100;
  private static final int MOST_AT_ONCE = 10_000;
  private static final double LEAST_SECONDS = 0.5;
  private static final double MOST_SECONDS = 600;
  private static final long MOST_DEADLINE_MS = 1_000;

  /** Beyond it the load is what is measured, on any machine that this is started on. */
  private static final double MOST_PER_SECOND = 200_000;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "load,faults,at-once,proxied",
      description = {
        "load: modes beside each other. faults: while things go wrong. at-once: many requests at",
        "one moment. proxied: what a request costs (default: all)."
      })
  private List<String> parts;

  @Option(
      names = "--modes",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "local,exact,leased",
      description = "Beside each other (default: ${DEFAULT-VALUE}); faults leaves local out.")
  private List<String> modes;

  @Option(
      names = "--faults",
      paramLabel = "FAULT",
      split = ",",
      defaultValue = ALL,
      description = "Which of those listed below (default: ${DEFAULT-VALUE}).")
  private List<String> faults;

  @Option(
      names = "--algorithm",
      paramLabel = "NAME",
      description = "Of the limit, as in a rule (default: gcra; at-once takes each).")
  private String algorithm;

  @Option(
      names = "--limit",
      paramLabel = "RATE",
      description =
          "Of each key (default: 10000/1s, faults 1000/1s, at-once 10/1m, proxied 5000/1s).")
  private String limit;

  @Option(
      names = "--sidecars",
      paramLabel = "N",
      description = "Processes that share the limit (default: 8, faults and at-once 4).")
  private Integer sidecars;

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "1",
      description = "Servers of the store, for load (default: ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--load",
      paramLabel = "X",
      description = {
        "Requests that come, as a multiple of what the limits of all keys let pass",
        "(default: 0.95, faults 1.3, proxied 0.2)."
      })
  private Double load;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = {
        "Each with the limit; the k-th busiest has a share proportional to 1/k^1.1",
        "(default: 1, faults 2, proxied 8)."
      })
  private Integer keys;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "50",
      description = "At one moment, for at-once (default: ${DEFAULT-VALUE}).")
  int requests;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      defaultValue = "50ms",
      description = {
        "redis.deadline of the sidecars (default: ${DEFAULT-VALUE}; shipped are 5 ms, which processes",
        "that share few cores miss)."
      })
  private String deadline;

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description = "Where the report is written as a page of HTML.")
  Path page;

  private long deadlineMs;

  FleetOptions() {
    super(5, "15s", LEAST_SECONDS, MOST_SECONDS);
  }

  @Override
  public void check() {
    super.check();
    expectEach("--parts", parts, Arrays.stream(Part.values()).map(Part::toString).toList());
    expectEach("--modes", modes, Arrays.stream(Mode.values()).map(Mode::toString).toList());
    final List<String> knownFaults =
        new ArrayList<>(Arrays.stream(Fault.values()).map(Fault::toString).toList());
    knownFaults.add(ALL);
    expectEach("--faults", faults, knownFaults);
    expectFile("--page", page);
    expectBetween("--sidecars", sidecars, 1, MOST_SIDECARS);
    expectBetween("--shards", shards, 1, MOST_SHARDS);
    expectBetween("--keys", keys, 1, MOST_KEYS);
    expectBetween("--requests", requests, 1, MOST_AT_ONCE);
    // Written so that NaN fails.
    expect(
        "--load",
        load,
        load == null || load > 0 && load <= MOST_LOAD,
        "more than 0, at most " + MOST_LOAD);
    deadlineMs = TimeUnit.NANOSECONDS.toMillis(durationNs("--deadline", deadline));
    expect(
        "--deadline",
        deadline,
        deadlineMs >= 1 && deadlineMs <= MOST_DEADLINE_MS,
        "from 1ms to 1s");
    if (includes(Part.FAULTS) || includes(Part.AT_ONCE)) {
      expect(
          "--modes",
          String.join(",", modes),
          modes().stream().anyMatch(Mode::needsStore),
          "exact or leased among them, as faults and at-once need the store");
    }
    for (Part part : Part.values()) {
      if (includes(part)) {
        checkRate(part, settings(part));
      }
    }
  }

  private void checkRate(Part part, FleetSettings settings) {
    if (part != Part.AT_ONCE) {
      expect(
          "--load",
          settings.load(),
          settings.perSecond() * settings.rounds().seconds() >= 1
              && settings.perSecond() <= MOST_PER_SECOND,
          String.format(
              Locale.ROOT,
              "1 to %.0f requests/s of a mode, not %.1f, in part %s",
              MOST_PER_SECOND,
              settings.perSecond(),
              part));
    }
  }

  boolean includes(Part part) {
    return parts.contains(part.toString());
  }

  List<Fault> faults() {
    return Arrays.stream(Fault.values())
        .filter(fault -> faults.contains(ALL) || faults.contains(fault.toString()))
        .toList();
  }

  List<Algorithm> algorithms() {
    return algorithm == null ? List.of(Algorithm.values()) : List.of(algorithm().orElseThrow());
  }

  private List<Mode> modes() {
    return modes.stream().map(Mode::parse).distinct().toList();
  }

  private Optional<Algorithm> algorithm() {
    return Arrays.stream(Algorithm.values())
        .filter(any -> any.toString().equals(algorithm == null ? "gcra" : algorithm))
        .findFirst();
  }

  FleetSettings settings(Part part) {
    return new FleetSettings(
        modes(),
        limit(part),
        sidecars == null || part == Part.PROXIED ? part.sidecars : sidecars,
        shards,
        load == null ? part.load : load,
        keys == null ? part.keys : keys,
        deadlineMs,
        rounds(Cores.UNPINNED));
  }

  private LimitSpec limit(Part part) {
    expect(
        "--algorithm",
        algorithm,
        algorithm().isPresent(),
        "any of "
            + String.join(
                ", ", Arrays.stream(Algorithm.values()).map(Algorithm::toString).toList()));
    final Algorithm chosen = algorithm().orElseThrow();
    final String text = limit == null ? part.limit : limit;
    try {
      final Rate rate = Rate.parseWhole(text);
      expect("--limit", text, !rate.isMonthly(), "a window of one length such as 30d");
      (part == Part.AT_ONCE ? algorithms() : List.of(chosen))
          .forEach(each -> check(limit(each, rate)));
      return limit(chosen, rate);
    } catch (BadValueException e) {
      throw wrong("--limit", e.value(), e.expected());
    }
  }

  private void check(LimitSpec limit) {
    final RuleSpec.FaultSink refusing =
        (field, fault) -> {
          throw wrong("--limit", limit.rate(), fault.expected());
        };
    limit.check(refusing);
    limit.checkForStore(Mode.LEASED, refusing);
  }

  /** A limit of that algorithm, without anything of its own. */
  static LimitSpec limit(Algorithm algorithm, Rate rate) {
    return new LimitSpec(algorithm, rate, 0, null, 0, null, null, 0);
  }

  /** A part of {@code weir bench fleet}, with its defaults. */
  enum Part {
    /** The modes beside each other, under a load that the limit bears. */
    LOAD(8, "10000/1s", 0.95, 1),
    /** Modes that need the store, under more load than the limit bears, while things go wrong. */
    FAULTS(4, "1000/1s", 1.3, 2),
    /** Many requests at one moment. */
    AT_ONCE(4, "10/1m", 1, 1),
    /** The cost of a proxied request for one sidecar. */
    PROXIED(1, "5000/1s", 0.2, 8);

    private final int sidecars;
    private final String limit;
    private final double load;
    private final int keys;

    Part(int sidecars, String limit, double load, int keys) {
      this.sidecars = sidecars;
      this.limit = limit;
      this.load = load;
      this.keys = keys;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
