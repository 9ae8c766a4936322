package dev.weir.bench.accuracy;

import dev.weir.bench.accuracy.Results.EdgeRow;
import dev.weir.bench.accuracy.Results.Row;
import dev.weir.bench.accuracy.Results.SweepPoint;
import dev.weir.bench.report.MarkdownTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The tables of the report. Shares are in percent. */
final class ReportTables {
  private final Results results;

  ReportTables(Results results) {
    this.results = results;
  }

  /** "allowed / refused" beside the limiter's own log. */
  static String own(Row row) {
    final Tally tally = row.tally();
    return Numbers.percent(tally.ownWronglyAllowed(), tally.requests())
        + " / "
        + Numbers.percent(tally.ownWronglyRefused(), tally.requests());
  }

  /** "allowed / refused" beside the log that ran alone. */
  static String alone(Row row) {
    final Tally tally = row.tally();
    return Numbers.percent(tally.aloneWronglyAllowed(), tally.requests())
        + " / "
        + Numbers.percent(tally.aloneWronglyRefused(), tally.requests());
  }

  /** How much was refused at all. */
  static String refused(Row row) {
    return Numbers.percent(row.tally().refused(), row.tally().requests());
  }

  /** One traffic at every load, 100 per second. */
  String byLoad(Traffic traffic, Function<Row, String> cell) {
    final List<String> heads = new ArrayList<>(List.of(traffic.label()));
    Scenario.LOADS.forEach(load -> heads.add("load " + Numbers.plain(load)));
    final MarkdownTable table = new MarkdownTable(heads);
    for (Algorithm algorithm : Algorithm.values()) {
      final List<String> cells = new ArrayList<>(List.of(algorithm.label()));
      for (double load : Scenario.LOADS) {
        cells.add(
            cell.apply(results.row(traffic, Scenario.LIMIT, Scenario.SHORT_NS, load, algorithm)));
      }
      table.add(cells);
    }
    return table.toString();
  }

  /** Every limit and window, Poisson at the limit. */
  String byLimit() {
    final List<String> heads = new ArrayList<>(List.of("poisson, load 1"));
    Scenario.LIMITS.forEach(limit -> heads.add(limit + " per 1 s"));
    heads.add(Scenario.LIMIT + " per 60 s");
    final MarkdownTable table = new MarkdownTable(heads);
    for (Algorithm algorithm : Algorithm.values()) {
      final List<String> cells = new ArrayList<>(List.of(algorithm.label()));
      for (int limit : Scenario.LIMITS) {
        cells.add(own(results.row(Traffic.POISSON, limit, Scenario.SHORT_NS, 1, algorithm)));
      }
      cells.add(own(results.row(Traffic.POISSON, Scenario.LIMIT, Scenario.LONG_NS, 1, algorithm)));
      table.add(cells);
    }
    return table.toString();
  }

  /** The worst window, and how early, against who knows the edges and against chance. */
  String worst() {
    final MarkdownTable table =
        new MarkdownTable(
            "limit 100 per 1 s",
            "edge bursts",
            "edge flood",
            "poisson, load 1",
            "bursty, load 1",
            "early, mean",
            "early, most");
    for (Algorithm algorithm : Algorithm.values()) {
      final EdgeRow edge = results.edge(algorithm);
      final Tally poisson = atLimit(Traffic.POISSON, algorithm);
      final Tally bursty = atLimit(Traffic.BURSTY, algorithm);
      final long most =
          Math.max(
              Math.max(edge.bursts().earlyMaxNs(), edge.flood().earlyMaxNs()),
              Math.max(poisson.earlyMaxNs(), bursty.earlyMaxNs()));
      table.add(
          algorithm.label(),
          times(edge.bursts()),
          times(edge.flood()),
          times(poisson),
          times(bursty),
          Numbers.significant(100 * poisson.earlyMeanNs() / Scenario.SHORT_NS, 2) + " %",
          Numbers.significant(100.0 * most / Scenario.SHORT_NS, 3) + " %");
    }
    return table.toString();
  }

  private Tally atLimit(Traffic traffic, Algorithm algorithm) {
    return results.row(traffic, Scenario.LIMIT, Scenario.SHORT_NS, 1, algorithm).tally();
  }

  private static String times(Tally tally) {
    return Numbers.significant((double) tally.worst() / Scenario.LIMIT, 3) + "x";
  }

  /** The algorithms as meters of what is offered, Poisson around the limit. */
  String meters() {
    final MarkdownTable table =
        new MarkdownTable(
            "poisson, 100 per 1 s",
            "load 0.9",
            "load 1",
            "load 1.1",
            "load 2",
            "count off by",
            "bias");
    for (Algorithm algorithm : Algorithm.values()) {
      final Row row = meterRow(algorithm, 1);
      if (row.meter() != null) {
        table.add(
            algorithm.label(),
            wrong(meterRow(algorithm, 0.9).meter()),
            wrong(row.meter()),
            wrong(meterRow(algorithm, 1.1).meter()),
            wrong(meterRow(algorithm, 2).meter()),
            Numbers.significant(100 * row.meter().meanDifference(), 3) + " %",
            Numbers.significant(100 * row.meter().meanSigned(), 3) + " %");
      }
    }
    return table.toString();
  }

  private Row meterRow(Algorithm algorithm, double load) {
    return results.row(Traffic.POISSON, Scenario.LIMIT, Scenario.SHORT_NS, load, algorithm);
  }

  private static String wrong(MeterTally meter) {
    return Numbers.percent(meter.wronglyAllowed(), meter.requests())
        + " / "
        + Numbers.percent(meter.wronglyRefused(), meter.requests());
  }

  /** The sliding counter over many keys. */
  String sweep() {
    final MarkdownTable table =
        new MarkdownTable(
            "busiest key's load",
            "requests of keys near the limit",
            "wrong as a meter",
            "beside its own log",
            "beside the log alone",
            "count off by");
    for (SweepPoint point : results.sweep()) {
      final Tally tally = point.tally();
      table.add(
          Numbers.plain(point.load()),
          Numbers.significant(100 * point.nearShare(), 2),
          wrong(point.meter()),
          Numbers.percent(tally.ownWronglyAllowed(), tally.requests())
              + " / "
              + Numbers.percent(tally.ownWronglyRefused(), tally.requests()),
          Numbers.percent(tally.aloneWronglyAllowed(), tally.requests())
              + " / "
              + Numbers.percent(tally.aloneWronglyRefused(), tally.requests()),
          Numbers.significant(100 * point.meter().meanDifference(), 2) + " %");
    }
    return table.toString();
  }
}
