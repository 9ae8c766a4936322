package dev.weir.bench.accuracy;

import dev.weir.bench.report.Machine;
import dev.weir.bench.report.MarkdownReport;

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

  /**
   * The whole report.
   *
   * @param command that makes it again.
   */
  Report(Results results, String command) {
    super("Accuracy: each algorithm beside an exact log", command);
    fact("JDK " + Machine.jdk());
    paragraph(
        "Simulated time, one thread, the real implementations: the figures depend on the"
            + " arguments,\nnot on the machine.");
    final ReportTables tables = new ReportTables(results);
    final Settings settings = results.settings();
    paragraph(
        DEFINITIONS,
        settings.population().keys(),
        Numbers.plain(settings.population().exponent()),
        settings.requests(),
        Measurement.sweepRequests(settings));
    section("Wrong beside its own log, 100 per 1 s: % allowed / % refused");
    for (Traffic traffic : Traffic.values()) {
      paragraph(tables.byLoad(traffic, ReportTables::own));
    }
    paragraph("The same for other limits and windows:");
    paragraph(tables.byLimit());
    section("Otherwise than the log that ran alone, 100 per 1 s: % allowed / % refused");
    for (Traffic traffic : Traffic.values()) {
      paragraph(tables.byLoad(traffic, ReportTables::alone));
    }
    paragraph("What was refused at all, in %; the sliding log is what is right:");
    paragraph(tables.byLoad(Traffic.POISSON, ReportTables::refused));
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
    paragraph(tables.worst());
    section("As meters of what is offered: % allowed / % refused");
    paragraph(tables.meters());
    section("Sliding counter over many keys, 100 per 60 s each: % allowed / % refused");
    paragraph(
        """
        Keys near the limit: their load is from 0.75 to 1.25; the share of requests is in %. With
        the exponent 1 the next keys' loads are a half, a third and so on of the busiest one's: at
        1.5 it is far above the limit and the others are below, which explains the dip.
        """);
    paragraph(tables.sweep());
  }
}
