package dev.weir.bench.simulation;

import dev.weir.bench.simulation.SimulationSettings.Faults;
import dev.weir.bench.simulation.SimulationSettings.Network;
import dev.weir.bench.simulation.SimulationSettings.Traffic;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.wiring.Program;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir simulate}, the one command of this jar that is none of {@code weir bench}. */
@Command(
    name = "weir simulate",
    description =
        "Simulates a fleet that shares a limit by a store: what it lets pass, and what it asks of"
            + " the store. Starts nothing.",
    mixinStandardHelpOptions = true,
    versionProvider = SimulateCommand.Version.class,
    footer = {
      "",
      "The k-th busiest sidecar has a share of the requests proportional to 1/k; every",
      "2.5 s others become the busy ones. A line per mode and size of the fleet says:",
      "  over       by how many units the worst window was over the limit",
      "  net        fewer admitted than by a limiter without delay, of those that came",
      "  early      refused though what had been used left room, of those that came",
      "  room       what was free at refusals, on average, of the limit",
      "  undecided  had no answer of the store in time, of those that came",
      "  local      decided without waiting for the store",
      "  ops        operations of the store: checks, asks and give-backs; unbatched",
      "  peak       operations of the busiest shard in its busiest second"
    })
public final class SimulateCommand implements Callable<Integer> {
  private static final String COUNTS = "numbers from 1 to " + SimulationSettings.MAX_SIDECARS;
  private static final String LIFE = "1ms to 10s, and at most the window";
  private static final double MAX_LOAD = 100;
  private static final int MAX_SECONDS = 3_600;
  private static final String ON_OFF = "two times such as 250ms/750ms, each from 1ms to 1h";
  private static final long MAX_ON_NS = TimeUnit.HOURS.toNanos(1);
  private static final long MAX_DELAY_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_LOST_NS = TimeUnit.SECONDS.toNanos(10);

  @Spec private CommandSpec spec;

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {Program.version()};
    }
  }

  @Option(
      names = "--algorithm",
      paramLabel = "NAME",
      defaultValue = "gcra",
      description = "Of the limit, as in a rule (default ${DEFAULT-VALUE}).")
  private String algorithm;

  @Option(
      names = "--limit",
      paramLabel = "RATE",
      defaultValue = "10000/1s",
      description = "Of each key (default ${DEFAULT-VALUE}).")
  private String limit;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description = "At once, for limits that pace (default as many as the limit).")
  private String burst;

  @Option(
      names = "--lease-life",
      paramLabel = "TIME",
      description = "Of a unit that is kept, at most (default by the limit, as in a rule).")
  private String leaseLife;

  @Option(
      names = "--mode",
      paramLabel = "MODE,...",
      defaultValue = "leased,exact",
      description = "leased, exact or local; each is simulated (default ${DEFAULT-VALUE}).")
  private String modes;

  @Option(
      names = "--sidecars",
      paramLabel = "N,...",
      defaultValue = "50",
      description = "That share the limit; each number is simulated (default ${DEFAULT-VALUE}).")
  private String sidecars;

  @Option(
      names = "--load",
      paramLabel = "X",
      defaultValue = "0.95",
      description =
          "Units that requests ask for, as a multiple of what all limits let pass (default"
              + " ${DEFAULT-VALUE}).")
  private String load;

  @Option(
      names = "--cost",
      paramLabel = "N",
      defaultValue = "1",
      description = "Units that each request takes (default ${DEFAULT-VALUE}).")
  private String cost;

  @Option(
      names = "--bursts",
      paramLabel = "ON/OFF",
      description =
          "Requests come for so long, then none for so long; --load is the mean of both (default"
              + " they come all the time).")
  private String bursts;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Each with the limit; the k-th busiest has a share proportional to 1/k^1.1 (default"
              + " ${DEFAULT-VALUE}).")
  private String keys;

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "1",
      description = "Redis servers among which the keys are spread (default ${DEFAULT-VALUE}).")
  private String shards;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "Of simulated time (default ${DEFAULT-VALUE}).")
  private String seconds;

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      defaultValue = "500us",
      description = "The median of a round trip to the store (default ${DEFAULT-VALUE}).")
  private String delay;

  @Option(
      names = "--slow",
      paramLabel = "SHARE",
      defaultValue = "0.01",
      description = "Of answers, that take 5 ms more (default ${DEFAULT-VALUE}).")
  private String slow;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      defaultValue = "5ms",
      description = "For a decision of the store (default ${DEFAULT-VALUE}).")
  private String deadline;

  @Option(
      names = "--loss",
      paramLabel = "SHARE",
      defaultValue = "0",
      description = "Of answers, that never come (default ${DEFAULT-VALUE}).")
  private String loss;

  @Option(
      names = "--crash-every",
      paramLabel = "TIME",
      description = "Between two crashes of a sidecar, on average (default none crashes).")
  private String crashEvery;

  @Option(
      names = "--failover",
      paramLabel = "TIME",
      description =
          "In the middle of the run another server takes over that has not seen what was written"
              + " for so long (default none does).")
  private String failover;

  @Option(
      names = "--drift",
      paramLabel = "PPM",
      defaultValue = "0",
      description =
          "How many millionths a sidecar's clock is fast or slow, at most (default"
              + " ${DEFAULT-VALUE}); leases bear 1950 between two clocks.")
  private String drift;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed gives the same figures (default ${DEFAULT-VALUE}).")
  private String seed;

  private final FlagReader flags = new FlagReader();

  @Override
  public Integer call() {
    final List<Mode> eachMode = flags.list("--mode", modes, Mode::parse);
    final List<Integer> eachSize =
        flags.list(
            "--sidecars",
            sidecars,
            text -> (int) FlagReader.countIn(text, COUNTS, 1, SimulationSettings.MAX_SIDECARS));
    final SimulationSettings settings = settings();
    if (flags.faults.isEmpty()) {
      checkSize(settings, eachSize);
    }
    if (!flags.faults.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), String.join(System.lineSeparator(), flags.faults));
    }
    final PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%.0f requests/s for %s s, limit %s, %s%n%n",
        settings.requestsPerSecond(),
        seconds,
        limit,
        algorithm);
    out.println(
        "mode   sidecars    admitted  over    net %  early %   room %  undecided %  local %"
            + "     ops/s  ops/admitted     peak");
    for (int size : eachSize) {
      for (Mode mode : eachMode) {
        try (Simulation simulation = new Simulation(settings.with(mode, size))) {
          print(out, mode, size, simulation.run());
        }
        out.flush();
      }
    }
    return Program.OK;
  }

  private static void print(PrintWriter out, Mode mode, int size, SimulationFigures figures) {
    out.printf(
        Locale.ROOT,
        "%-6s %8d %11d %5d %8.2f %8.2f %8.2f %12.2f %8.1f %9.0f %13.3f %8d%n",
        mode,
        size,
        figures.admitted,
        figures.over,
        100 * figures.net(),
        100 * figures.early(),
        100 * figures.room(),
        100 * figures.undecided(),
        100 * figures.local(),
        figures.opsPerSecond(),
        figures.opsPerAdmitted(),
        figures.mostOpsOfShard());
  }

  /** The settings that all lines have in common; they say nothing once there are faults. */
  private SimulationSettings settings() {
    final LimitSpec limitSpec = limitSpec();
    final boolean isLimited = limitSpec != null;
    final long longestNs =
        isLimited
            ? Math.min(BudgetSpec.MAX_LEASE_LIFE_NS, limitSpec.rate().windowNs())
            : BudgetSpec.MAX_LEASE_LIFE_NS;
    final long lifeNs =
        leaseLife == null ? 0 : flags.timeNs("--lease-life", leaseLife, 1_000_000, longestNs, LIFE);
    return new SimulationSettings(
        Mode.LEASED,
        limitSpec,
        lifeNs,
        1,
        (int) flags.count("--keys", keys, 1, SimulationSettings.MAX_PAIRS),
        (int) flags.count("--shards", shards, 1, SimulationSettings.MAX_SHARDS),
        TimeUnit.SECONDS.toNanos(flags.count("--seconds", seconds, 1, MAX_SECONDS)),
        traffic(isLimited ? limitSpec.capacity() : Long.MAX_VALUE),
        new Network(
            flags.timeNs("--delay", delay, 1_000, MAX_DELAY_NS, "1us to 1s"),
            flags.number("--slow", slow, 0, 1),
            flags.timeNs("--deadline", deadline, 1_000_000, MAX_DELAY_NS, "1ms to 1s")),
        new Faults(
            flags.number("--loss", loss, 0, 1),
            crashEvery == null
                ? 0
                : flags.timeNs(
                    "--crash-every", crashEvery, 10_000_000, Long.MAX_VALUE, "10ms or more"),
            (int) flags.count("--drift", drift, 0, SimulationSettings.MAX_DRIFT_PPM),
            failover == null
                ? Faults.NONE.lostWritesNs()
                : flags.timeNs("--failover", failover, 0, MAX_LOST_NS, "0us to 10s")),
        flags.count("--seed", seed, 0, Long.MAX_VALUE));
  }

  private Traffic traffic(long mostCost) {
    final double ofLoad = flags.number("--load", load, 0.001, MAX_LOAD);
    final long ofCost = flags.count("--cost", cost, 1, mostCost);
    final List<Long> onOff =
        bursts == null
            ? List.of(1L, 0L)
            : flags.read("--bursts", bursts, List.of(1L, 0L), SimulateCommand::onOff);
    return new Traffic(ofLoad, ofCost, onOff.get(0), onOff.get(1));
  }

  /** How long requests come at a time, and how long none does. */
  private static List<Long> onOff(String text) {
    final String[] times = text.split("/", -1);
    if (times.length != 2) {
      throw new BadValueException(text, ON_OFF);
    }
    try {
      return Arrays.stream(times)
          .map(time -> FlagReader.timeNs(time, 1_000_000, MAX_ON_NS, ON_OFF))
          .toList();
    } catch (BadValueException one) {
      throw new BadValueException(text, ON_OFF);
    }
  }

  /** Null, with a fault, if there is none. */
  private LimitSpec limitSpec() {
    final Algorithm ofLimit =
        flags.read("--algorithm", algorithm, null, SimulateCommand::algorithm);
    final Rate rate = flags.read("--limit", limit, null, Rate::parse);
    final long depth = burst == null ? 0 : flags.count("--burst", burst, 1, Rate.MAX_COUNT);
    if (ofLimit == null || rate == null) {
      return null;
    }
    final LimitSpec read = new LimitSpec(ofLimit, rate, depth, null, 0, null, null, 0);
    final int before = flags.faults.size();
    if (rate.isMonthly()) {
      flags.fault("--limit", new BadValueException(limit, "a window of one length such as 30d"));
    } else {
      read.check((field, fault) -> flags.fault("--" + field, fault));
    }
    if (flags.faults.size() == before) {
      try {
        read.compileForStore();
      } catch (IllegalArgumentException tooMuch) {
        flags.fault(
            "--limit",
            new BadValueException(limit, "what the store can count: " + tooMuch.getMessage()));
      }
    }
    return read;
  }

  private void checkSize(SimulationSettings settings, List<Integer> sizes) {
    final int most = Collections.max(sizes);
    final int mostKeys = SimulationSettings.MAX_PAIRS / most;
    if (settings.keys() > mostKeys) {
      flags.fault(
          "--keys",
          new BadValueException(keys, "at most " + mostKeys + " with " + most + " sidecars"));
    }
    final double requests = settings.requestsPerSecond() * settings.lengthNs() / 1e9;
    if (requests > SimulationSettings.MAX_REQUESTS) {
      flags.fault(
          "--seconds",
          new BadValueException(
              seconds,
              String.format(
                  Locale.ROOT,
                  "at most %d requests in all, not %.0f",
                  SimulationSettings.MAX_REQUESTS,
                  requests)));
    }
  }

  /** The algorithm of that name, as in a rule. */
  public static Algorithm algorithm(String text) {
    final List<String> names = Arrays.stream(Algorithm.values()).map(Algorithm::toString).toList();
    if (!names.contains(text)) {
      throw new BadValueException(text, String.join(", ", names));
    }
    return Algorithm.values()[names.indexOf(text)];
  }
}
