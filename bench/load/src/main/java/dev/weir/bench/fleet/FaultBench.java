package dev.weir.bench.fleet;

import dev.weir.bench.fleet.Fault.Site;
import dev.weir.bench.fleet.Fleet.FleetPrograms;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.MarkdownTable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Measures a fleet while something goes wrong: the modes that need the store side by side, on the
 * same sidecars, so that both meet the same fault. A store is made anew for each fault.
 */
final class FaultBench {
  private static final long LASTS_NS = 1_000_000_000L;

  /** When a fault happens, of a measurement. */
  private static final double AFTER = 0.35;

  private static final String FAULTS =
      """
      %d sidecars, %s, %.0f requests/s in each mode (%s of what the limits of %d keys let pass), of which
      every 1.5 s others get most; both modes are asked side by side, for budgets of their own, so that they meet the
      same fault. It happens after a third of %s s, and lasts 1 s if it does. What the store has not decided in %d ms
      (redis.deadline) is refused (on-store-failure: closed). *by hand* is the share of units in hand in the decisions of
      mode leased, *died* what was dropped of them.
      """;

  private final FleetSettings settings;
  private final List<Fault> faults;
  private final FleetPrograms programs;
  private final Map<String, String> meanings = new LinkedHashMap<>();
  private final MarkdownTable table =
      new MarkdownTable(
          "fault",
          "mode",
          "admitted",
          "ideal",
          "over",
          "less %",
          "early %",
          "undecided %",
          "by hand %",
          "died");

  FaultBench(FleetSettings settings, List<Fault> faults, FleetPrograms programs) {
    this.settings = settings;
    this.faults = faults;
    this.programs = programs;
  }

  void run(FleetReport report) throws IOException, InterruptedException {
    settings.rounds().tell("starting %d sidecars", settings.sidecars());
    RedisServer store = RedisServer.logged(programs.redisServer(), Cores.UNPINNED);
    try (StoreRelay relay = new StoreRelay(store.address());
        Fleet fleet =
            new Fleet(
                programs.launcher(),
                settings.rules().settings(List.of(relay.port())),
                settings.sidecars(),
                Cores.UNPINNED)) {
      fleet.awaitDecisions(settings.storeRules());
      settings.rounds().tell("warm-up");
      fleet.load.run(settings.plan(settings.storeRules(), 0, settings.rounds().warmUpSeconds()));
      int firstKey = 0;
      for (Fault fault : faults) {
        final RedisServer before = store;
        store = RedisServer.logged(programs.redisServer(), Cores.UNPINNED);
        relay.moveTo(store.address());
        before.close();
        fleet.awaitDecisions(settings.storeRules());
        firstKey += settings.keys();
        measure(fleet, relay, store, fault, firstKey, report);
      }
    } finally {
      store.close();
    }
    report.section(
        "Faults",
        table,
        FAULTS,
        settings.sidecars(),
        settings.limitText(),
        settings.perSecond(),
        settings.load(),
        settings.keys(),
        settings.secondsText(),
        settings.deadlineMs());
    report.section("What happens", meanings);
  }

  private void measure(
      Fleet fleet,
      StoreRelay relay,
      RedisServer store,
      Fault fault,
      int firstKey,
      FleetReport report)
      throws IOException, InterruptedException {
    if (!fault.needsReplica()) {
      measure(new Site(fleet, relay, store, null), fault, firstKey, report);
      return;
    }
    try (RedisServer replica =
        RedisServer.replicaOf(store, programs.redisServer(), Cores.UNPINNED)) {
      measure(new Site(fleet, relay, store, replica), fault, firstKey, report);
      // The next store takes over from one that is alive.
      relay.moveTo(replica.address());
    }
  }

  private void measure(Site site, Fault fault, int firstKey, FleetReport report)
      throws IOException, InterruptedException {
    final Fleet fleet = site.fleet();
    final List<String> rules = settings.storeRules();
    final SidecarFigures before = fleet.figures();
    final CompletableFuture<FleetTrace> loading =
        fleet.load.start(settings.plan(rules, firstKey, settings.rounds().seconds()));
    TimeUnit.NANOSECONDS.sleep((long) (AFTER * settings.rounds().seconds() * 1e9));
    fault.happening.happen(site, LASTS_NS);
    final FleetTrace trace = FleetLoad.end(loading);
    final SidecarFigures counted = fleet.figures().minus(before);
    meanings.put(
        fault.toString(),
        fault.description + (fault.losesWrites ? "; may be over by what was forgotten" : ""));
    for (String mode : rules) {
      final ModeFigures figures =
          ModeFigures.of(trace, mode, settings.limit(), settings.rounds().seconds());
      final boolean isLeased = mode.equals("leased");
      final double byHandPercent = 100 * counted.byHand() / figures.came();
      table.add(
          fault.toString(),
          mode,
          Long.toString(figures.admitted()),
          Long.toString(figures.ideal()),
          Long.toString(figures.over()),
          FleetReport.decimals(figures.lessPercent(), 2),
          FleetReport.decimals(figures.earlyPercent(), 2),
          FleetReport.decimals(figures.undecidedPercent(), 2),
          isLeased ? FleetReport.decimals(byHandPercent, 1) : "-",
          isLeased ? Long.toString(counted.died()) : "-");
      report.over(fault + ", " + mode, figures.over(), fault.losesWrites);
      settings
          .rounds()
          .tell(
              "%-22s %-6s %6d admitted, over %d, %.1f %% less than ideal, %.1f %% undecided",
              fault,
              mode,
              figures.admitted(),
              figures.over(),
              figures.lessPercent(),
              figures.undecidedPercent());
    }
  }
}
