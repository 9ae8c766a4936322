package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.store.ExactBench.Figures;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench exact}: starts a server, measures, prints the report. */
@Command(
    name = "exact",
    description = "How many decisions of mode exact does an event loop get, and how soon?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. Starts a server of its own on",
      "127.0.0.1 and, with taskset and two cores, gives it one of them and itself another."
    })
public final class ExactCommand implements Callable<Integer> {
  private static final String QUESTION =
      """
      Question: how many decisions does one core of a sidecar get from one core of Redis, and how long
      does a request wait for its own? What is measured is the sidecar's own link (`LoopStore`, Lettuce,
      the script), from the question to the decision, without HTTP. GCRA over %,d keys, and one hot key.
      """;

  private static final String COLUMNS =
      """
      *us/decision* is processor time of the server's main thread, and of the event loop's thread; the loop
      makes the load too, every 20 us.
      Latency is counted from when a decision was due; at saturation %,d are awaited at any time, so it is
      mostly that queue. *bytes* are allocated by the loop per decision: what Lettuce makes per batch.
      *undecided* are requests without a decision within %d ms.
      """;

  private static final long DEADLINE_MS = 1_000;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() throws IOException, InterruptedException {
    final Settings settings = options.settings(List.of());
    settings.cores().pinClient();
    try (RedisServer server = new RedisServer(settings.redisServer(), settings.cores());
        ExactBench bench =
            new ExactBench(server, TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS), options::progress)) {
      final MarkdownReport report =
          new MarkdownReport(
              "Decisions of mode exact: one event loop against one Redis server",
              options.command("exact"));
      settings.describe(report, server.version());
      report.fact("Transport " + bench.transport());
      report.paragraph(QUESTION, settings.keys());
      report.table(table(bench.run(settings.rounds(), settings.seconds(), settings.keys())));
      report.paragraph(COLUMNS, ExactBench.SATURATING, DEADLINE_MS);
      options.print(report.markdown());
    }
    return 0;
  }

  private static MarkdownTable table(RoundTable<String, Figures> figures) {
    final MarkdownTable table =
        new MarkdownTable(
            "load",
            "decisions/s",
            "us/decision, Redis",
            "us/decision, loop",
            "decisions per batch",
            "p50 us",
            "p99 us",
            "p99.9 us",
            "bytes",
            "undecided");
    for (String load : figures.names("")) {
      table.add(
          load,
          figures.spread("", load, Figures::perSecond).text(0),
          figures.spread("", load, Figures::serverUs).text(2),
          figures.spread("", load, Figures::loopUs).text(2),
          figures.spread("", load, Figures::batch).text(0),
          figures.spread("", load, Figures::p50Us).text(0),
          figures.spread("", load, Figures::p99Us).text(0),
          figures.spread("", load, Figures::p999Us).text(0),
          figures.spread("", load, Figures::bytes).text(0),
          figures.sum("", load, Figures::undecided));
    }
    return table;
  }
}
