package dev.weir.bench.fleet;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

  private final FleetSettings settings;
  private final List<Fault> faults;
  private final FleetPrograms programs;
  private final List<Row> rows = new ArrayList<>();

  /**
   * One mode under one fault.
   *
   * @param byHandPercent of all decisions of mode leased, by what was in hand; NaN for others.
   * @param died units that were dropped.
   */
  record Row(Fault fault, String mode, ModeFigures figures, double byHandPercent, long died) {
    /** Whether more passed than may. */
    boolean isOver() {
      return figures.over() > 0 && !fault.losesWrites();
    }
  }

  FaultBench(FleetSettings settings, List<Fault> faults, FleetPrograms programs) {
    this.settings = settings;
    this.faults = faults;
    this.programs = programs;
  }

  /** Measures; the figures are in {@link #rows}. */
  void run() throws IOException, InterruptedException {
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
      fleet.load().run(settings.plan(settings.storeRules(), 0, settings.rounds().warmUpSeconds()));
      int firstKey = 0;
      for (Fault fault : faults) {
        final RedisServer before = store;
        store = RedisServer.logged(programs.redisServer(), Cores.UNPINNED);
        relay.moveTo(store.address());
        before.close();
        fleet.awaitDecisions(settings.storeRules());
        firstKey += settings.keys();
        measure(fleet, relay, store, fault, firstKey);
      }
    } finally {
      store.close();
    }
  }

  private void measure(Fleet fleet, StoreRelay relay, RedisServer store, Fault fault, int firstKey)
      throws IOException, InterruptedException {
    if (!fault.needsReplica()) {
      measure(new FaultSite(fleet, relay, store, null), fault, firstKey);
      return;
    }
    try (RedisServer replica =
        RedisServer.replicaOf(store, programs.redisServer(), Cores.UNPINNED)) {
      measure(new FaultSite(fleet, relay, store, replica), fault, firstKey);
      // The next store takes over from one that is alive.
      relay.moveTo(replica.address());
    }
  }

  private void measure(FaultSite site, Fault fault, int firstKey)
      throws IOException, InterruptedException {
    final Fleet fleet = site.fleet();
    final List<String> rules = settings.storeRules();
    final SidecarFigures before = fleet.figures();
    final CompletableFuture<FleetTrace> loading =
        fleet.load().start(settings.plan(rules, firstKey, settings.rounds().seconds()));
    TimeUnit.NANOSECONDS.sleep((long) (AFTER * settings.rounds().seconds() * 1e9));
    fault.happen(site, LASTS_NS);
    final FleetTrace trace = FleetLoad.end(loading);
    final SidecarFigures counted = fleet.figures().minus(before);
    for (String mode : rules) {
      final ModeFigures figures =
          ModeFigures.of(trace, mode, settings.limit(), settings.rounds().seconds());
      final boolean isLeased = mode.equals("leased");
      rows.add(
          new Row(
              fault,
              mode,
              figures,
              isLeased ? 100 * counted.byHand() / figures.came() : Double.NaN,
              isLeased ? counted.died() : 0));
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

  List<Row> rows() {
    return rows;
  }

  FleetSettings settings() {
    return settings;
  }
}
