package dev.weir.bench.compare;

import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.rounds.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

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

  /** An empty report; the command is the one that makes it again. */
  ColdReport(String command) {
    super("What the first clients get", command);
  }

  void starts(ColdBench bench) {
    bench.versions().forEach((name, version) -> fact(name + ": " + version));
    bench
        .commands()
        .forEach(
            (name, runs) -> {
              if (!runs.isEmpty()) {
                fact(name + " runs as: `" + runs + "`");
              }
            });
    bench.leftOut().forEach(this::leftOut);
    section("Start and memory");
    paragraph(STARTS);
    table(startTable(bench));
    section("The first seconds");
    paragraph(LOAD);
    table(load(bench));
  }

  private static MarkdownTable startTable(ColdBench bench) {
    final MarkdownTable table =
        new MarkdownTable(
            "server",
            "ready ms",
            "processor ms",
            "first ms",
            "second ms",
            "RSS start MiB",
            "loaded",
            "filled");
    final ColdBench.Case most =
        new ColdBench.Case(ColdBench.SHAPES.get(ColdBench.SHAPES.size() - 1), true);
    for (String name : bench.starts().names(most)) {
      table.add(
          name,
          start(bench, most, name, ColdStart.Figures::readyMs, 0),
          start(bench, most, name, ColdStart.Figures::readySpentMs, 0),
          start(bench, most, name, ColdStart.Figures::firstMs, 1),
          start(bench, most, name, ColdStart.Figures::secondMs, 1),
          start(bench, most, name, ColdStart.Figures::startMib, 0),
          start(bench, most, name, ColdStart.Figures::loadedMib, 0),
          start(bench, most, name, ColdStart.Figures::filledMib, 0));
    }
    return table;
  }

  private static String start(
      ColdBench bench,
      ColdBench.Case when,
      String name,
      ToDoubleFunction<ColdStart.Figures> figure,
      int decimals) {
    return bench.starts().spread(when, name, figure).text(decimals);
  }

  private static MarkdownTable load(ColdBench bench) {
    final MarkdownTable table =
        new MarkdownTable(
            "connections",
            "clients come",
            "server",
            "1st s, us/req",
            "p99 ms",
            "2nd s, us/req",
            "p99 ms",
            "3rd s, us/req",
            "p99 ms",
            "steady us/req",
            "p99 ms",
            "1st to steady");
    for (ColdBench.Case when : bench.starts().cells()) {
      for (String name : bench.starts().names(when)) {
        table.add(row(bench, when, name));
      }
    }
    return table;
  }

  private static List<String> row(ColdBench bench, ColdBench.Case when, String name) {
    final List<String> row = new ArrayList<>();
    row.add(Integer.toString(when.shape().inFlight()));
    row.add(when.isAtOnce() ? "at once" : "later");
    row.add(name);
    for (int i = 0; i < 3; i++) {
      final int second = i;
      row.add(start(bench, when, name, start -> start.seconds().get(second).requestUs(), 1));
      row.add(start(bench, when, name, start -> start.seconds().get(second).p99Ms(), 1));
    }
    final Spread steady = bench.steady().spread(when.shape(), name, ColdStart.Second::requestUs);
    row.add(steady.text(1));
    row.add(bench.steady().spread(when.shape(), name, ColdStart.Second::p99Ms).text(1));
    final double first =
        bench.starts().spread(when, name, start -> start.seconds().get(0).requestUs()).median();
    final double toSteady = first / steady.median(); // which may be less than a tick of the clock
    row.add(Double.isFinite(toSteady) ? String.format(Locale.ROOT, "%.2f", toSteady) : "-");
    return row;
  }
}
