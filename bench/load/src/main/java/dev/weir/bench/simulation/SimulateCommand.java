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
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
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
    modelTransformer = SimulateCommand.Flags.class,
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

  /** Name, parameter, default or a dash, and meaning of each flag. */
  private static final String FLAGS =
      """
      --algorithm   | NAME     | gcra         | Of the limit, as in a rule
      --limit       | RATE     | 10000/1s     | Of each key
      --burst       | N        | -            | At once, for limits that pace (default as many as \
      the limit)
      --lease-life  | TIME     | -            | Of a unit that is kept, at most (default by the \
      limit, as in a rule)
      --mode        | MODE,... | leased,exact | leased, exact or local; each is simulated
      --sidecars    | N,...    | 50           | That share the limit; each number is simulated
      --load        | X        | 0.95         | Units that requests ask for, as a multiple of what \
      all limits let pass
      --cost        | N        | 1            | Units that each request takes
      --bursts      | ON/OFF   | -            | Requests come for so long, then none for so long; \
      --load is the mean of both (default they come all the time)
      --keys        | N        | 1            | Each with the limit; the k-th busiest has a share \
      proportional to 1/k^1.1
      --shards      | N        | 1            | Redis servers among which the keys are spread
      --seconds     | N        | 20           | Of simulated time
      --delay       | TIME     | 500us        | The median of a round trip to the store
      --slow        | SHARE    | 0.01         | Of answers, that take 5 ms more
      --deadline    | TIME     | 5ms          | For a decision of the store
      --loss        | SHARE    | 0            | Of answers, that never come
      --crash-every | TIME     | -            | Between two crashes of a sidecar, on average \
      (default none crashes)
      --failover    | TIME     | -            | In the middle of the run another server takes over \
      that has not seen what was written for so long (default none does)
      --drift       | PPM      | 0            | How many millionths a sidecar's clock is fast or \
      slow, at most; leases bear 1950 between two clocks
      --seed        | N        | 1            | The same seed gives the same figures
      """;

  /** Makes each flag a text until it is read, so that all faults are told at once. */
  static final class Flags implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
      for (String row : FLAGS.split("\n")) {
        final String[] cells = row.split(" *[|] ");
        final boolean hasDefault = !cells[2].equals("-");
        spec.addOption(
            OptionSpec.builder(cells[0])
                .paramLabel(cells[1])
                .type(String.class)
                .defaultValue(hasDefault ? cells[2] : null)
                .description(cells[3] + (hasDefault ? " (default ${DEFAULT-VALUE})." : "."))
                .build());
      }
      return spec;
    }
  }

  private FlagReader flags;

  @Override
  public Integer call() {
    flags = new FlagReader(spec);
    final List<Mode> eachMode = flags.list("--mode", Mode::parse);
    final List<Integer> eachSize =
        flags.list(
            "--sidecars",
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
        flags.text("--seconds"),
        flags.text("--limit"),
        flags.text("--algorithm"));
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
    return new SimulationSettings(
        Mode.LEASED,
        limitSpec,
        flags.timeNs("--lease-life", 1_000_000, longestNs, LIFE),
        1,
        (int) flags.count("--keys", 1, SimulationSettings.MAX_PAIRS),
        (int) flags.count("--shards", 1, SimulationSettings.MAX_SHARDS),
        TimeUnit.SECONDS.toNanos(flags.count("--seconds", 1, MAX_SECONDS)),
        traffic(isLimited ? limitSpec.capacity() : Long.MAX_VALUE),
        new Network(
            flags.timeNs("--delay", 1_000, MAX_DELAY_NS, "1us to 1s"),
            flags.number("--slow", 0, 1),
            flags.timeNs("--deadline", 1_000_000, MAX_DELAY_NS, "1ms to 1s")),
        new Faults(
            flags.number("--loss", 0, 1),
            flags.timeNs("--crash-every", 10_000_000, Long.MAX_VALUE, "10ms or more"),
            (int) flags.count("--drift", 0, SimulationSettings.MAX_DRIFT_PPM),
            flags.text("--failover") == null
                ? Faults.NONE.lostWritesNs()
                : flags.timeNs("--failover", 0, MAX_LOST_NS, "0us to 10s")),
        flags.count("--seed", 0, Long.MAX_VALUE));
  }

  private Traffic traffic(long mostCost) {
    final double ofLoad = flags.number("--load", 0.001, MAX_LOAD);
    final long ofCost = flags.count("--cost", 1, mostCost);
    final List<Long> onOff = flags.read("--bursts", List.of(1L, 0L), SimulateCommand::onOff);
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
          .map(time -> FlagReader.timeIn(time, ON_OFF, 1_000_000, MAX_ON_NS))
          .toList();
    } catch (BadValueException one) {
      throw new BadValueException(text, ON_OFF);
    }
  }

  /** Null, with a fault, if there is none. */
  private LimitSpec limitSpec() {
    final Algorithm ofLimit = flags.read("--algorithm", null, SimulateCommand::algorithm);
    final Rate rate = flags.read("--limit", null, Rate::parseWhole);
    final long depth = flags.count("--burst", 1, Rate.MAX_COUNT);
    if (ofLimit == null || rate == null) {
      return null;
    }
    final LimitSpec read = new LimitSpec(ofLimit, rate, depth, null, 0, null, null, 0);
    final int before = flags.faults.size();
    if (rate.isMonthly()) {
      flags.fault("--limit", "a window of one length such as 30d");
    } else {
      read.check((field, fault) -> flags.faults.add("--" + field + ": " + fault.getMessage()));
    }
    if (flags.faults.size() == before) {
      try {
        read.compileForStore();
      } catch (IllegalArgumentException tooMuch) {
        flags.fault("--limit", "what the store can count: " + tooMuch.getMessage());
      }
    }
    return read;
  }

  private void checkSize(SimulationSettings settings, List<Integer> sizes) {
    final int most = Collections.max(sizes);
    final int mostKeys = SimulationSettings.MAX_PAIRS / most;
    if (settings.keys() > mostKeys) {
      flags.fault("--keys", "at most " + mostKeys + " with " + most + " sidecars");
    }
    final double requests = settings.requestsPerSecond() * settings.lengthNs() / 1e9;
    if (requests > SimulationSettings.MAX_REQUESTS) {
      flags.fault(
          "--seconds",
          String.format(
              Locale.ROOT,
              "at most %d requests in all, not %.0f",
              SimulationSettings.MAX_REQUESTS,
              requests));
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
