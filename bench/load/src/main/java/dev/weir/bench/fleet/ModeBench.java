package dev.weir.bench.fleet;

import dev.weir.bench.fleet.Fleet.FleetPrograms;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.LatencySeries.TimedHistogram;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.proxy.rule.spec.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Measures what each mode lets pass of a load that moves between sidecars, and what it costs. */
final class ModeBench {
  private static final String MODES =
      """
      Median (least..most) of %d rounds of %s s each, modes by turns, on the same %d sidecars over %s; %s,
      %.0f requests/s (%s of what the limit lets pass), of which the k-th busiest sidecar has a share proportional to 1/k,
      and every 1.5 s others become the busy ones. *local* was decided without waiting for the store, refusals that
      its last answer proved left out. *operations* are checks, asks and what was given back, *calls* those of the script
      that carried them, as the store counts them, *store us* its processor time; each per admitted request. Latencies
      are from when requests were due, in ms; load, sidecars and store share this machine.
      """;

  /**
   * Microseconds by which the machine's time may be adjusted in a measurement without a warning.
   */
  private static final long STEP_US = 1_000;

  private final FleetSettings settings;
  private final FleetPrograms programs;
  private final RoundTable<String, ModeFigures> table = new RoundTable<>();
  private final Map<Mode, List<Slice>> slices = new EnumMap<>(Mode.class);
  private final Map<Mode, List<TimedHistogram>> latencies = new EnumMap<>(Mode.class);
  private long clockStepUs;

  ModeBench(FleetSettings settings, FleetPrograms programs) {
    this.settings = settings;
    this.programs = programs;
  }

  void run(FleetReport report) throws IOException {
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
        report.fact("A sidecar", fleet.sidecars.get(0).commandLine());
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
    if (clockStepUs > STEP_US) {
      report.fact(
          "Warning",
          "the machine's time was set by "
              + clockStepUs
              + " us meanwhile: windows of the clock are judged wrongly");
    }
    report(report);
  }

  private void report(FleetReport report) {
    for (String name : settings.storeRules()) {
      report.over("mode " + name, mostOver(name), false);
    }
    report.section(
        "Modes beside each other",
        new RoundColumns<>(table)
            .name("mode")
            .spread("admitted/s", ModeFigures::admittedPerSecond, 0)
            .text("over", (cell, name) -> FleetReport.number(mostOver(name)))
            .spread("less %", ModeFigures::lessPercent, 2)
            .spread("early %", ModeFigures::earlyPercent, 2)
            .spread("undecided %", ModeFigures::undecidedPercent, 2)
            .spread("local %", ModeFigures::localPercent, 1)
            .spread("operations", ModeFigures::operationsPerAdmitted, 3)
            .spread("calls", ModeFigures::callsPerAdmitted, 3)
            .spread("store us", ModeFigures::storeUsPerAdmitted, 2)
            .spread("p50", figure -> figure.percentileMs(50), 2)
            .spread("p99", figure -> figure.percentileMs(99), 2)
            .spread("p99.9", figure -> figure.percentileMs(99.9), 2)
            .table(),
        MODES,
        settings.rounds().count(),
        settings.secondsText(),
        settings.sidecars(),
        settings.shards() == 1 ? "one store" : settings.shards() + " stores",
        settings.limitText(),
        settings.perSecond(),
        settings.load());
    report.runs(runs());
  }

  private double mostOver(String mode) {
    return table.spread("", mode, ModeFigures::over).most();
  }

  private void warmUp(Fleet fleet) throws IOException {
    for (Mode mode : settings.modes()) {
      settings.rounds().tell("warm-up: mode %s", mode);
      fleet.load.run(
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
        fleet.load.run(
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

  /** The rounds of each mode behind each other, as a report shows runs. */
  private List<RunResult> runs() {
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
