package dev.weir.bench.accuracy;

import dev.weir.bench.accuracy.Results.EdgeRow;
import dev.weir.bench.accuracy.Results.Row;
import dev.weir.bench.accuracy.Results.SweepPoint;
import dev.weir.bench.report.Machine;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.report.MarkdownTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The report of {@code weir bench accuracy}. */
final class Report extends MarkdownReport {
  private static final String DEFINITIONS =
      """
      ## What is counted

      The exact log remembers every admission: a request passes if fewer than the limit were
      admitted to its key during (now - window, now]. "Wrong" is always "otherwise than that log",
      in percent of all requests, and as the log can be asked in three ways there are three
      figures. All are written *allowed / refused*: wrongly allowed, then wrongly refused.

      - **Beside its own log**: the log is fed with what this limiter admitted. Would an exact log
        over what was really let through have decided otherwise? Every single decision is judged
        on the facts that the limiter itself has made. So one that settles just below the limit
        is charged with nearly every refusal (the sliding counter, above the limit), and one that
        settles just above it with nearly every admission (GCRA, at the limit), though both let
        through about as much as they should.
      - **Beside the log alone**: limiter and log run side by side on the same requests and each
        lives with its own decisions. Above the limit both admit the same number at different
        moments, which counts twice: once allowed, once refused.
      - **As a meter**: nothing is refused, every request offered is counted, and a request is
        over the limit if the window that ends with it holds more than the limit. This asks how
        well a count is known; the mean difference of the count is of this kind. It is how we read
        Cloudflare's figures. The first two windows are not tallied.

      GCRA, token bucket and leaky bucket mean something else by "100 per second": a burst, and a
      rate. They may let nearly twice the limit pass within a window and are right to; for them
      "wrong" says "differs". Token bucket and leaky bucket (as a meter) are the same rule as GCRA
      with the same burst and show the same figures.

      "Load" is the offered rate over the limit, for Zipf traffic that of the busiest key. Bursty
      traffic is on for half a window and off for one and a half, on average, and comes at four
      times its mean rate while on. Zipf: %d keys, exponent %s. %d requests per cell, %d in the
      last table. Evenly spaced traffic exactly at the limit stands on a knife's edge: a fraction
      of a request more in an estimate refuses it.
      """;

  private final Results results;

  /**
   * The whole report.
   *
   * @param command that makes it again.
   */
  Report(Results results, String command) {
    super("Accuracy: each algorithm beside an exact log", command);
    this.results = results;
    fact("JDK " + Machine.jdk());
    paragraph(
        "Simulated time, one thread, the real implementations: the figures depend on the"
            + " arguments,\nnot on the machine.");
    final Settings settings = results.settings();
    paragraph(
        DEFINITIONS,
        settings.population().keys(),
        Numbers.plain(settings.population().exponent()),
        settings.requests(),
        Measurement.sweepRequests(settings));
    section("Wrong beside its own log, 100 per 1 s: % allowed / % refused");
    for (Traffic traffic : Traffic.values()) {
      table(byLoad(traffic, Report::own));
    }
    paragraph("The same for other limits and windows:");
    table(byLimit());
    section("Otherwise than the log that ran alone, 100 per 1 s: % allowed / % refused");
    for (Traffic traffic : Traffic.values()) {
      table(byLoad(traffic, Report::alone));
    }
    paragraph("What was refused at all, in %; the sliding log is what is right:");
    table(byLoad(Traffic.POISSON, Report::refused));
    section("The worst window, and how early");
    paragraph(
        """
        The most that was admitted within one window, wherever it starts, as a multiple of the
        limit. *Edge bursts*: the limit in the last nanosecond of a window and again in the first
        of the next. *Edge flood*: the limit in that nanosecond, then a thousand times the rate of
        the limit. *Early*: how long before its own log would have, a wrongly allowed request
        passed, in percent of the window: on average for Poisson traffic at the limit, and the
        most in any of the four.
        """);
    table(worst());
    section("As meters of what is offered: % allowed / % refused");
    table(meters());
    section("Sliding counter over many keys, 100 per 60 s each: % allowed / % refused");
    paragraph(
        """
        Keys near the limit: their load is from 0.75 to 1.25; the share of requests is in %. With
        the exponent 1 the next keys' loads are a half, a third and so on of the busiest one's: at
        1.5 it is far above the limit and the others are below, which explains the dip.
        """);
    table(sweep());
  }

  /** "allowed / refused" beside the limiter's own log. */
  private static String own(Row row) {
    return own(row.tally());
  }

  private static String own(Tally tally) {
    return wrong(tally.ownWronglyAllowed, tally.ownWronglyRefused, tally.requests);
  }

  private static String wrong(int allowed, int refused, int requests) {
    return Numbers.percent(allowed, requests) + " / " + Numbers.percent(refused, requests);
  }

  /** "allowed / refused" beside the log that ran alone. */
  private static String alone(Row row) {
    return alone(row.tally());
  }

  private static String alone(Tally tally) {
    return wrong(tally.aloneWronglyAllowed, tally.aloneWronglyRefused, tally.requests);
  }

  private static String refused(Row row) {
    return Numbers.percent(row.tally().refused, row.tally().requests);
  }

  private MarkdownTable byLoad(Traffic traffic, Function<Row, String> cell) {
    final List<String> heads = new ArrayList<>(List.of(traffic.label()));
    Scenario.LOADS.forEach(load -> heads.add("load " + Numbers.plain(load)));
    final MarkdownTable table = new MarkdownTable(heads);
    for (Algorithm algorithm : Algorithm.values()) {
      final List<String> cells = new ArrayList<>(List.of(algorithm.label));
      for (double load : Scenario.LOADS) {
        cells.add(
            cell.apply(results.row(traffic, Scenario.LIMIT, Scenario.SHORT_NS, load, algorithm)));
      }
      table.add(cells);
    }
    return table;
  }

  private MarkdownTable byLimit() {
    final List<String> heads = new ArrayList<>(List.of("poisson, load 1"));
    Scenario.LIMITS.forEach(limit -> heads.add(limit + " per 1 s"));
    heads.add(Scenario.LIMIT + " per 60 s");
    final MarkdownTable table = new MarkdownTable(heads);
    for (Algorithm algorithm : Algorithm.values()) {
      final List<String> cells = new ArrayList<>(List.of(algorithm.label));
      for (int limit : Scenario.LIMITS) {
        cells.add(own(results.row(Traffic.POISSON, limit, Scenario.SHORT_NS, 1, algorithm)));
      }
      cells.add(own(results.row(Traffic.POISSON, Scenario.LIMIT, Scenario.LONG_NS, 1, algorithm)));
      table.add(cells);
    }
    return table;
  }

  /** The worst window, and how early, against who knows the edges and against chance. */
  private MarkdownTable worst() {
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
              Math.max(edge.bursts().earlyMaxNs, edge.flood().earlyMaxNs),
              Math.max(poisson.earlyMaxNs, bursty.earlyMaxNs));
      table.add(
          algorithm.label,
          times(edge.bursts()),
          times(edge.flood()),
          times(poisson),
          times(bursty),
          Numbers.significant(100 * poisson.earlyMeanNs() / Scenario.SHORT_NS, 2) + " %",
          Numbers.significant(100.0 * most / Scenario.SHORT_NS, 3) + " %");
    }
    return table;
  }

  private Tally atLimit(Traffic traffic, Algorithm algorithm) {
    return results.row(traffic, Scenario.LIMIT, Scenario.SHORT_NS, 1, algorithm).tally();
  }

  private static String times(Tally tally) {
    return Numbers.significant((double) tally.worst / Scenario.LIMIT, 3) + "x";
  }

  /** The algorithms as meters of what is offered, Poisson around the limit. */
  private MarkdownTable meters() {
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
            algorithm.label,
            wrong(meterRow(algorithm, 0.9).meter()),
            wrong(row.meter()),
            wrong(meterRow(algorithm, 1.1).meter()),
            wrong(meterRow(algorithm, 2).meter()),
            Numbers.significant(100 * row.meter().meanDifference(), 3) + " %",
            Numbers.significant(100 * row.meter().meanSigned(), 3) + " %");
      }
    }
    return table;
  }

  private Row meterRow(Algorithm algorithm, double load) {
    return results.row(Traffic.POISSON, Scenario.LIMIT, Scenario.SHORT_NS, load, algorithm);
  }

  private static String wrong(MeterTally meter) {
    return wrong(meter.wronglyAllowed, meter.wronglyRefused, meter.requests);
  }

  private MarkdownTable sweep() {
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
          own(tally),
          alone(tally),
          Numbers.significant(100 * point.meter().meanDifference(), 2) + " %");
    }
    return table;
  }
}
