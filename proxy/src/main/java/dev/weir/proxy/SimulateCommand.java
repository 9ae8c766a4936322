package dev.weir.proxy;

import dev.weir.proxy.rule.Algorithm;
import dev.weir.proxy.rule.BadValueException;
import dev.weir.proxy.rule.DurationText;
import dev.weir.proxy.rule.LimitSpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.Rate;
import dev.weir.proxy.simulation.Simulation;
import dev.weir.proxy.simulation.SimulationFigures;
import dev.weir.proxy.simulation.SimulationSettings;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir simulate}. */
@Command(
    name = "simulate",
    description =
        "Simulates a fleet that shares a limit by a store: what it lets pass, and what it asks of"
            + " the store. Starts nothing.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
    footer = {
      "",
      "The k-th busiest sidecar has a share of the requests proportional to 1/k; every",
      "2.5 s others become the busy ones. A line per mode and size of the fleet says:",
      "  over       by how many requests the worst window was over the limit",
      "  net        fewer admitted than by a limiter without delay, of those that came",
      "  early      refused though what had been used left room, of those that came",
      "  room       what was free at refusals, on average, of the limit",
      "  undecided  had no answer of the store in time, of those that came",
      "  local      decided without waiting for the store",
      "  ops        operations of the store: checks, asks and give-backs; unbatched",
      "  peak       operations of the busiest shard in its busiest second"
    })
final class SimulateCommand implements Callable<Integer> {
  private static final String COUNTS = "numbers from 1 to " + SimulationSettings.MAX_SIDECARS;
  private static final double MAX_LOAD = 100;
  private static final long MAX_LENGTH_NS = TimeUnit.HOURS.toNanos(1);
  private static final long MAX_DELAY_NS = TimeUnit.SECONDS.toNanos(1);

  @Spec private CommandSpec spec;

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
          "Requests that come, as a multiple of what all limits let pass (default"
              + " ${DEFAULT-VALUE}).")
  private String load;

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

  private final List<String> faults = new ArrayList<>();

  @Override
  public Integer call() {
    List<Mode> eachMode = read("--mode", modes, list(SimulateCommand::mode));
    List<Integer> eachSize =
        read("--sidecars", sidecars, list(text -> (int) count(text, COUNTS, 1, 10_000)));
    SimulationSettings settings = settings();
    if (settings != null && eachSize != null) {
      checkSize(settings, eachSize);
    }
    if (!faults.isEmpty()) {
      throw new ParameterException(spec.commandLine(), String.join(System.lineSeparator(), faults));
    }
    PrintWriter out = spec.commandLine().getOut();
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
    return WeirMain.OK;
  }

  private static void print(PrintWriter out, Mode mode, int size, SimulationFigures figures) {
    out.printf(
        Locale.ROOT,
        "%-6s %8d %11d %5d %8.2f %8.2f %8.2f %12.2f %8.1f %9.0f %13.3f %8d%n",
        mode,
        size,
        figures.admitted(),
        figures.over(),
        100 * figures.net(),
        100 * figures.early(),
        100 * figures.room(),
        100 * figures.undecided(),
        100 * figures.local(),
        figures.opsPerSecond(),
        figures.opsPerAdmitted(),
        figures.mostOpsOfShard());
  }

  /** What all lines have in common; null if there are faults. */
  private SimulationSettings settings() {
    LimitSpec limitSpec = limitSpec();
    Double ofLoad = read("--load", load, text -> number(text, 0.001, MAX_LOAD));
    Long ofKeys = read("--keys", keys, text -> count(text, 1, SimulationSettings.MAX_PAIRS));
    Long ofShards = read("--shards", shards, text -> count(text, 1, SimulationSettings.MAX_SHARDS));
    Long lengthNs =
        read(
            "--seconds",
            seconds,
            text -> TimeUnit.SECONDS.toNanos(count(text, 1, MAX_LENGTH_NS / 1_000_000_000)));
    Long delayNs = read("--delay", delay, text -> time(text, 1_000, MAX_DELAY_NS, "1us to 1s"));
    Double slowShare = read("--slow", slow, text -> number(text, 0, 1));
    Long deadlineNs =
        read("--deadline", deadline, text -> time(text, 1_000_000, MAX_DELAY_NS, "1ms to 1s"));
    Double lossShare = read("--loss", loss, text -> number(text, 0, 1));
    Long crashNs =
        crashEvery == null
            ? Long.valueOf(0)
            : read(
                "--crash-every",
                crashEvery,
                text -> time(text, 10_000_000, Long.MAX_VALUE, "10ms or more"));
    Long driftPpm =
        read("--drift", drift, text -> count(text, 0, SimulationSettings.MAX_DRIFT_PPM));
    Long ofSeed = read("--seed", seed, text -> count(text, 0, Long.MAX_VALUE));
    return !faults.isEmpty()
        ? null
        : new SimulationSettings(
            Mode.LEASED,
            limitSpec,
            1,
            ofLoad,
            ofKeys.intValue(),
            ofShards.intValue(),
            lengthNs,
            delayNs,
            slowShare,
            deadlineNs,
            lossShare,
            crashNs,
            driftPpm.intValue(),
            ofSeed);
  }

  private LimitSpec limitSpec() {
    Algorithm ofLimit = read("--algorithm", algorithm, SimulateCommand::algorithm);
    Rate rate = read("--limit", limit, Rate::parse);
    Long depth =
        burst == null
            ? Long.valueOf(0)
            : read("--burst", burst, text -> count(text, 1, Rate.MAX_COUNT));
    if (ofLimit == null || rate == null || depth == null) {
      return null;
    }
    LimitSpec read = new LimitSpec(ofLimit, rate, depth, null, 0, null, null, 0);
    int before = faults.size();
    if (rate.isMonthly()) {
      fault("--limit", new BadValueException(limit, "a window of one length such as 30d"));
    } else {
      read.check((field, fault) -> fault("--" + field, fault));
    }
    if (faults.size() == before) {
      try {
        read.compileForStore();
      } catch (IllegalArgumentException tooMuch) {
        fault(
            "--limit",
            new BadValueException(limit, "what the store can count: " + tooMuch.getMessage()));
      }
    }
    return read;
  }

  private void checkSize(SimulationSettings settings, List<Integer> sizes) {
    int most = sizes.stream().mapToInt(Integer::intValue).max().orElse(1);
    if ((long) most * settings.keys() > SimulationSettings.MAX_PAIRS) {
      faults.add(
          "--keys: "
              + keys
              + " (expected: at most "
              + SimulationSettings.MAX_PAIRS / most
              + " with "
              + most
              + " sidecars)");
    }
    double requests = settings.requestsPerSecond() * settings.lengthNs() / 1e9;
    if (requests > SimulationSettings.MAX_REQUESTS) {
      faults.add(
          String.format(
              Locale.ROOT,
              "--seconds: %s (expected: at most %d requests in all, not %.0f)",
              seconds,
              SimulationSettings.MAX_REQUESTS,
              requests));
    }
  }

  /** Reads a flag; null if that cannot be, which is noted. */
  private <T> T read(String flag, String text, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (BadValueException fault) {
      fault(flag, fault);
      return null;
    }
  }

  private void fault(String flag, BadValueException fault) {
    faults.add(flag + ": " + fault.getMessage());
  }

  private static <T> Function<String, List<T>> list(Function<String, T> reader) {
    return text -> Arrays.stream(text.split(",", -1)).map(reader).toList();
  }

  private static Mode mode(String text) {
    return Mode.parse(text);
  }

  private static Algorithm algorithm(String text) {
    return Arrays.stream(Algorithm.values())
        .filter(any -> any.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new BadValueException(
                    text,
                    String.join(
                        ", ",
                        Arrays.stream(Algorithm.values()).map(Algorithm::toString).toList())));
  }

  private static long count(String text, long least, long most) {
    String expected = most == Long.MAX_VALUE ? least + " or more" : least + " to " + most;
    return count(text, "a number, " + expected, least, most);
  }

  private static long count(String text, String expected, long least, long most) {
    if (!text.matches("[0-9]{1,18}")) {
      throw new BadValueException(text, expected);
    }
    long count = Long.parseLong(text);
    if (count < least || count > most) {
      throw new BadValueException(text, expected);
    }
    return count;
  }

  private static double number(String text, double least, double most) {
    String expected = String.format(Locale.ROOT, "a number, %s to %s", plain(least), plain(most));
    if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      throw new BadValueException(text, expected);
    }
    double number = Double.parseDouble(text);
    if (number < least || number > most) {
      throw new BadValueException(text, expected);
    }
    return number;
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  /** A duration as rules have it, or in microseconds. */
  private static long time(String text, long leastNs, long mostNs, String expected) {
    long ns;
    if (text.matches("[0-9]{1,12}us")) {
      ns = TimeUnit.MICROSECONDS.toNanos(Long.parseLong(text.substring(0, text.length() - 2)));
    } else {
      try {
        ns = DurationText.parseNs(text);
      } catch (BadValueException notOne) {
        throw new BadValueException(text, expected);
      }
    }
    if (ns < leastNs || ns > mostNs) {
      throw new BadValueException(text, expected);
    }
    return ns;
  }
}
