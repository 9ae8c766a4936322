package dev.weir.bench.compare;

import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.Spread;
import java.util.List;
import java.util.Locale;

/** The report of cold starts, as Markdown. */
final class ColdReport extends MarkdownReport {
  private static final String STARTS =
      """
      *Ready* is from the start of the launcher until the port is listened on, which is looked for without
      connecting; *processor* is what the process had spent by then. The *first* request comes then, on one
      connection that is made for it, and the *second* behind it. *RSS* is of the process: when it is ready,
      after three seconds of load by one identity on 32 connections, and after three more by 400,000
      identities and two looks at /metrics.
      """;

  private static final String LOAD =
      """
      Load follows the first two requests at once: each second on connections of its own, each request behind
      the one before it on its connection. *us/req* is processor time of the server over requests answered.
      *At once* is in the moment in which the server is ready; *later* is 2.5 s after, when a sidecar has
      warmed up by itself. *Steady* is after 15 s of load.
      """;

  private static final List<String> SECONDS = List.of("1st", "2nd", "3rd");

  ColdReport(String command) {
    super("What the first clients get", command);
  }

  void starts(ColdBench bench) {
    bench.attendance.tell(this);
    bench.commands.forEach(
        (name, runs) -> {
          if (!runs.isEmpty()) {
            fact(name + " runs as: `" + runs + "`");
          }
        });
    section("Start and memory");
    paragraph(STARTS);
    table(startTable(bench));
    section("The first seconds");
    paragraph(LOAD);
    table(load(bench));
  }

  private static MarkdownTable startTable(ColdBench bench) {
    final ColdBench.Case most =
        new ColdBench.Case(ColdBench.SHAPES.get(ColdBench.SHAPES.size() - 1), true);
    return new RoundColumns<>(bench.starts)
        .name("server")
        .spread("ready ms", ColdStart.Figures::readyMs, 0)
        .spread("processor ms", ColdStart.Figures::readySpentMs, 0)
        .spread("first ms", ColdStart.Figures::firstMs, 1)
        .spread("second ms", ColdStart.Figures::secondMs, 1)
        .spread("RSS start MiB", ColdStart.Figures::startMib, 0)
        .spread("loaded", ColdStart.Figures::loadedMib, 0)
        .spread("filled", ColdStart.Figures::filledMib, 0)
        .table(most::equals);
  }

  private static MarkdownTable load(ColdBench bench) {
    final RoundColumns<ColdBench.Case, ColdStart.Figures> columns =
        new RoundColumns<>(bench.starts)
            .cell("connections", when -> when.shape().inFlight())
            .cell("clients come", when -> when.isAtOnce() ? "at once" : "later")
            .name("server");
    for (int i = 0; i < SECONDS.size(); i++) {
      final int second = i;
      columns
          .spread(SECONDS.get(i) + " s, us/req", start -> start.second(second).requestUs(), 1)
          .spread("p99 ms", start -> start.second(second).p99Ms(), 1);
    }
    return columns
        .text("steady us/req", (when, name) -> steadyUs(bench, when, name).text(1))
        .text(
            "p99 ms",
            (when, name) -> bench.steady.spread(when.shape(), name, LoadFigures::p99Ms).text(1))
        .text("1st to steady", (when, name) -> toSteady(bench, when, name))
        .table();
  }

  private static Spread steadyUs(ColdBench bench, ColdBench.Case when, String name) {
    return bench.steady.spread(when.shape(), name, LoadFigures::requestUs);
  }

  private static String toSteady(ColdBench bench, ColdBench.Case when, String name) {
    final double first =
        bench.starts.spread(when, name, start -> start.second(0).requestUs()).median();
    // Which may be less than a tick of the clock.
    final double toSteady = first / steadyUs(bench, when, name).median();
    return Double.isFinite(toSteady) ? String.format(Locale.ROOT, "%.2f", toSteady) : "-";
  }
}
