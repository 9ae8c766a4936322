package dev.weir.bench.accuracy;

import dev.weir.bench.accuracy.MeterTally.Meter;
import dev.weir.bench.accuracy.Results.EdgeRow;
import dev.weir.bench.accuracy.Results.Row;
import dev.weir.bench.accuracy.Results.SweepPoint;
import dev.weir.bench.accuracy.TraceComparison.Limiter;
import dev.weir.bench.accuracy.Traffic.Arrivals;
import dev.weir.bench.keys.ZipfKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs everything once. One thread; the result depends on the settings alone. */
final class Measurement {
  /** The sweep looks for shares of some in 100,000, so it takes more requests. */
  private static final int SWEEP_FACTOR = 40;

  private static final double NEAR = 0.25;

  private final Settings settings;
  private final Consumer<String> progress;

  /**
   * @param progress is told what is measured next.
   */
  Measurement(Settings settings, Consumer<String> progress) {
    this.settings = settings;
    this.progress = progress;
  }

  Results run() {
    final List<Row> rows = new ArrayList<>();
    for (Scenario scenario : Scenario.all()) {
      progress.accept(scenario.label());
      rows.addAll(rows(scenario));
    }
    progress.accept("edges");
    final List<EdgeRow> edges = edges();
    progress.accept("sliding counter near the limit");
    final List<SweepPoint> sweep = new ArrayList<>();
    for (double load : Scenario.SWEEP) {
      progress.accept("sliding counter over many keys, load " + Numbers.plain(load));
      sweep.add(sweepPoint(load));
    }
    return new Results(settings, rows, edges, sweep);
  }

  List<Row> rows(Scenario scenario) {
    final Trace trace = trace(scenario, settings.requests());
    final TraceComparison comparison =
        new TraceComparison(trace, scenario.limit(), scenario.windowNs());
    final List<Row> rows = new ArrayList<>();
    for (Algorithm algorithm : Algorithm.values()) {
      final Tally tally = tally(comparison, algorithm, scenario, trace.keyCount());
      rows.add(
          new Row(
              scenario,
              algorithm,
              tally,
              scenario.limit() == Scenario.LIMIT ? meter(trace, algorithm, scenario) : null));
    }
    return rows;
  }

  List<EdgeRow> edges() {
    final int limit = Scenario.LIMIT;
    final long windowNs = Scenario.SHORT_NS;
    final Scenario scenario = new Scenario(Traffic.UNIFORM, limit, windowNs, 1);
    final TraceComparison bursts =
        new TraceComparison(Trace.bursts(limit, windowNs), limit, windowNs);
    final TraceComparison flood =
        new TraceComparison(Trace.flood(limit, windowNs), limit, windowNs);
    final List<EdgeRow> rows = new ArrayList<>();
    for (Algorithm algorithm : Algorithm.values()) {
      rows.add(
          new EdgeRow(
              algorithm,
              tally(bursts, algorithm, scenario, 1),
              tally(flood, algorithm, scenario, 1)));
    }
    return rows;
  }

  private SweepPoint sweepPoint(double load) {
    final Scenario scenario = new Scenario(Traffic.ZIPF, Scenario.LIMIT, Scenario.LONG_NS, load);
    final Trace trace = trace(scenario, sweepRequests(settings));
    final TraceComparison comparison =
        new TraceComparison(trace, scenario.limit(), scenario.windowNs());
    return new SweepPoint(
        load,
        nearShare(load),
        tally(comparison, Algorithm.SLIDING_COUNTER, scenario, trace.keyCount()),
        meter(trace, Algorithm.SLIDING_COUNTER, scenario));
  }

  static int sweepRequests(Settings settings) {
    return Math.min(SWEEP_FACTOR * settings.requests(), Settings.MAX_REQUESTS);
  }

  private double nearShare(double load) {
    final ZipfKeys zipf =
        new ZipfKeys(settings.population().keys(), settings.population().exponent());
    double near = 0;
    for (int key = 0; key < settings.population().keys(); key++) {
      final double keyLoad = load * zipf.share(key) / zipf.share(0);
      near += Math.abs(keyLoad - 1) <= NEAR ? zipf.share(key) : 0;
    }
    return near;
  }

  private Trace trace(Scenario scenario, int requests) {
    return scenario
        .traffic()
        .generate(scenario, settings.population(), requests, scenario.random(settings.seed()));
  }

  private static Tally tally(
      TraceComparison comparison, Algorithm algorithm, Scenario scenario, int keyCount) {
    try (Limiter limiter =
        new BudgetTable(algorithm.limit(scenario.limit(), scenario.windowNs()), keyCount)) {
      return comparison.with(limiter);
    }
  }

  private static MeterTally meter(Trace trace, Algorithm algorithm, Scenario scenario) {
    if (!algorithm.approximateCount) {
      return null;
    }
    try (Meter meter =
        new Meter(algorithm, most(scenario), scenario.windowNs(), trace.keyCount())) {
      return MeterTally.of(trace, meter, scenario.limit(), scenario.windowNs());
    }
  }

  /** Requests of the busiest key that a window may hold: some bursts' worth, or many deviations. */
  private static int most(Scenario scenario) {
    final double mean = scenario.limit() * scenario.load();
    final double peak = scenario.traffic() == Traffic.BURSTY ? mean / Arrivals.ON_SHARE : mean;
    return (int) (2 * peak + 20 * Math.sqrt(peak) + 20);
  }
}
