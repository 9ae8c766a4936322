package dev.weir.bench.fleet;

import dev.weir.bench.fleet.Fleet.FleetPrograms;
import dev.weir.bench.fleet.FleetLoad.LoadPlan;
import dev.weir.bench.fleet.FleetSettings.FleetRules;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How many of some requests pass that a fleet gets at one moment, under a limit of fewer. */
final class AtOnceBench {
  /** Before the end of a window of the clock no more rounds are begun. */
  private static final long ROUND_NS = 2_000_000_000L;

  /** Number of the first budget that no round of a measurement has. */
  private static final int WARM_UP_KEY = 1_000;

  private static final String AT_ONCE =
      """
      %d requests at one moment, spread over %d sidecars, under a limit of %s: how many passed in %d rounds, each with a
      budget of its own.
      """;

  private final FleetSettings settings;
  private final List<Algorithm> algorithms;
  private final int requests;
  private final int rounds;
  private final FleetPrograms programs;
  private final MarkdownTable table =
      new MarkdownTable("algorithm", "mode", "least", "most", "over", "undecided");

  /**
   * @param settings whose limit is taken in each algorithm.
   * @param requests at once.
   * @param rounds with a budget each.
   */
  AtOnceBench(
      FleetSettings settings,
      List<Algorithm> algorithms,
      int requests,
      int rounds,
      FleetPrograms programs) {
    this.settings = settings;
    this.algorithms = algorithms;
    this.requests = requests;
    this.rounds = rounds;
    this.programs = programs;
  }

  void run(FleetReport report) throws IOException, InterruptedException {
    final FleetRules rules = new FleetRules(settings.deadlineMs());
    final List<Mode> modes = settings.modes().stream().filter(Mode::needsStore).toList();
    final List<String> names = new ArrayList<>();
    for (Algorithm algorithm : algorithms) {
      for (Mode mode : modes) {
        rules.add(name(algorithm, mode), mode, limit(algorithm));
        names.add(name(algorithm, mode));
      }
    }
    settings.rounds().tell("starting %d sidecars", settings.sidecars());
    try (RedisServer store = new RedisServer(programs.redisServer(), Cores.UNPINNED);
        Fleet fleet =
            new Fleet(
                programs.launcher(),
                rules.settings(List.of(store.address().getPort())),
                settings.sidecars(),
                Cores.UNPINNED)) {
      fleet.awaitDecisions(names);
      warmUp(fleet, names);
      for (Algorithm algorithm : algorithms) {
        for (Mode mode : modes) {
          measure(fleet, algorithm, mode, report);
        }
      }
    }
    report.section(
        "Many at once",
        table,
        AT_ONCE,
        requests,
        settings.sidecars(),
        settings.limit().rate(),
        rounds);
  }

  private void warmUp(Fleet fleet, List<String> rules) throws IOException {
    settings.rounds().tell("warm-up: %d at once", requests);
    final long startNs = System.nanoTime();
    for (int round = 0;
        System.nanoTime() - startNs < settings.rounds().warmUpSeconds() * 1e9;
        round++) {
      fleet.load.run(plan(rules.get(round % rules.size()), WARM_UP_KEY + round));
    }
  }

  private LoadPlan plan(String rule, int key) {
    return new LoadPlan(List.of(rule), key, 1, 1e9 * requests, 1, Long.MAX_VALUE);
  }

  private static String name(Algorithm algorithm, Mode mode) {
    return algorithm + "-" + mode;
  }

  private LimitSpec limit(Algorithm algorithm) {
    return FleetOptions.limit(algorithm, settings.limit().rate());
  }

  private void measure(Fleet fleet, Algorithm algorithm, Mode mode, FleetReport report)
      throws IOException, InterruptedException {
    final LimitSpec limit = limit(algorithm);
    final String rule = name(algorithm, mode);
    long least = Long.MAX_VALUE;
    long most = 0;
    long over = 0;
    long undecided = 0;
    for (int round = 0; round < rounds; round++) {
      awaitWindow(limit.rate().windowNs());
      final FleetTrace trace = fleet.load.run(plan(rule, round));
      least = Math.min(least, trace.admitted(rule));
      most = Math.max(most, trace.admitted(rule));
      over = Math.max(over, trace.over(rule, limit));
      undecided += trace.undecided(rule);
    }
    table.add(
        algorithm.toString(),
        mode.toString(),
        Long.toString(least),
        Long.toString(most),
        Long.toString(over),
        Long.toString(undecided));
    report.over(algorithm + ", " + mode + ", at once", over, false);
    settings
        .rounds()
        .tell("%d at once: %-15s %-6s %d to %d admitted", requests, algorithm, mode, least, most);
  }

  /** A round across the edge of a window of the clock would rightly have twice the limit. */
  private static void awaitWindow(long windowNs) throws InterruptedException {
    if (windowNs < 2 * ROUND_NS) {
      return;
    }
    final long leftNs =
        windowNs - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) % windowNs;
    if (leftNs < ROUND_NS) {
      TimeUnit.NANOSECONDS.sleep(leftNs);
    }
  }
}
