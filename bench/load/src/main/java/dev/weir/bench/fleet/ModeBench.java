package dev.weir.bench.fleet;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.LatencySeries.TimedHistogram;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.Slice;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.proxy.rule.spec.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Measures what each mode lets pass of a load that moves between sidecars, and what it costs. */
final class ModeBench {
  private final FleetSettings settings;
  private final FleetPrograms programs;
  private final RoundTable<String, ModeFigures> table = new RoundTable<>();
  private final Map<Mode, List<Slice>> slices = new EnumMap<>(Mode.class);
  private final Map<Mode, List<TimedHistogram>> latencies = new EnumMap<>(Mode.class);
  private String commandLine = "";
  private long clockStepUs;

  ModeBench(FleetSettings settings, FleetPrograms programs) {
    this.settings = settings;
    this.programs = programs;
  }

  /** Measures; the figures are in {@link #table} and {@link #runs}. */
  void run() throws IOException {
    final List<RedisServer> stores = new ArrayList<>();
    try {
      for (int i = 0; i < settings.shards(); i++) {
        stores.add(new RedisServer(programs.redisServer(), Cores.UNPINNED));
      }
      settings.rounds().tell("starting %d sidecars", settings.sidecars());
      final List<Integer> ports = stores.stream().map(store -> store.address().getPort()).toList();
      final String rules = settings.rules().settings(ports);
      try (Fleet fleet =
          new Fleet(programs.launcher(), rules, settings.sidecars(), Cores.UNPINNED)) {
        commandLine = fleet.sidecars().get(0).commandLine();
        fleet.awaitDecisions(settings.storeRules());
        warmUp(fleet);
        for (int round = 1; round <= settings.rounds().count(); round++) {
          for (Mode mode : settings.modes()) {
            measure(fleet, stores, mode, round);
          }
        }
      }
    } finally {
      for (RedisServer store : stores) {
        store.close();
      }
    }
  }

  private void warmUp(Fleet fleet) throws IOException {
    for (Mode mode : settings.modes()) {
      settings.rounds().tell("warm-up: mode %s", mode);
      fleet
          .load()
          .run(
              settings.plan(
                  List.of(mode.toString()),
                  0,
                  settings.rounds().warmUpSeconds() / settings.modes().size()));
    }
  }

  private void measure(Fleet fleet, List<RedisServer> stores, Mode mode, int round)
      throws IOException {
    // What the round before did to the store's breakers is over.
    fleet.awaitDecisions(settings.storeRules());
    final SidecarFigures before = fleet.figures();
    final long callsBefore = calls(stores);
    final double storeBeforeUs = storeUs(stores);
    final String rule = mode.toString();
    // Budgets of their own: what was used before a round is not known to its judge.
    final FleetTrace trace =
        fleet
            .load()
            .run(
                settings.plan(List.of(rule), round * settings.keys(), settings.rounds().seconds()));
    final SidecarFigures counted = fleet.figures().minus(before);
    final ModeFigures decided =
        ModeFigures.of(trace, rule, settings.limit(), settings.rounds().seconds());
    final ModeFigures figures =
        decided.with(
            mode.needsStore() ? counted.local() : decided.came(),
            counted,
            calls(stores) - callsBefore,
            storeUs(stores) - storeBeforeUs);
    clockStepUs = Math.max(clockStepUs, Math.abs(trace.clockStepUs()));
    table.add("", rule, figures);
    final List<Slice> timed = slices.computeIfAbsent(mode, any -> new ArrayList<>());
    final long fromMs = timed.isEmpty() ? 0 : timed.get(timed.size() - 1).endMs();
    timed.addAll(trace.slices(rule, fromMs));
    latencies
        .computeIfAbsent(mode, any -> new ArrayList<>())
        .addAll(trace.timedLatencies(rule, fromMs));
    settings
        .rounds()
        .tell(
            "round %d: %-6s %7.0f/s admitted, over %d, %.1f %% local, %.3f ops/admitted, p99"
                + " %.2f ms",
            round,
            mode,
            figures.admittedPerSecond(),
            figures.over(),
            figures.localPercent(),
            figures.operationsPerAdmitted(),
            figures.percentileMs(99));
  }

  private static long calls(List<RedisServer> stores) throws IOException {
    long calls = 0;
    for (RedisServer store : stores) {
      calls += store.calls("evalsha");
    }
    return calls;
  }

  private static double storeUs(List<RedisServer> stores) throws IOException {
    double sumUs = 0;
    for (RedisServer store : stores) {
      sumUs += store.cpuUs();
    }
    return sumUs;
  }

  /** Figures by mode. */
  RoundTable<String, ModeFigures> table() {
    return table;
  }

  FleetSettings settings() {
    return settings;
  }

  /** How a sidecar ran, with the JVM's flags. */
  String commandLine() {
    return commandLine;
  }

  /** The most microseconds by which the machine's time was set in a measurement. */
  long clockStepUs() {
    return clockStepUs;
  }

  /** The rounds of each mode behind each other, as a report shows runs. */
  List<RunResult> runs() {
    return settings.modes().stream()
        .map(
            mode ->
                new RunResult(
                    mode.toString(),
                    Map.of(),
                    List.of(),
                    List.of(),
                    slices.get(mode),
                    List.of(new LatencySeries("", "corrected", latencies.get(mode)))))
        .toList();
  }
}
