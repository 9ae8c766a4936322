package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.ExactBench.Figures;
import java.io.IOException;
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

  @Mixin private StoreOptions options;

  @Override
  public Integer call() throws IOException, InterruptedException {
    final Rounds rounds = options.checked();
    try (RedisServer server = options.start(rounds);
        ExactBench bench = new ExactBench(server, TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS))) {
      final MarkdownReport report =
          new MarkdownReport(
              "Decisions of mode exact: one event loop against one Redis server",
              options.command());
      StoreOptions.describe(report, rounds, server);
      report.fact("Transport " + bench.transport());
      report.paragraph(QUESTION, StoreBench.KEYS);
      final RoundTable<String, Figures> figures = bench.run(rounds, StoreBench.KEYS);
      report.table(
          new RoundColumns<>(figures)
              .name("load")
              .spread("decisions/s", Figures::perSecond, 0)
              .spread("us/decision, Redis", Figures::serverUs, 2)
              .spread("us/decision, loop", Figures::loopUs, 2)
              .spread("decisions per batch", Figures::batch, 0)
              .spread("p50 us", Figures::p50Us, 0)
              .spread("p99 us", Figures::p99Us, 0)
              .spread("p99.9 us", Figures::p999Us, 0)
              .spread("bytes", Figures::bytes, 0)
              .text("undecided", (cell, load) -> figures.sum(cell, load, Figures::undecided))
              .table());
      report.paragraph(COLUMNS, ExactBench.SATURATING, DEADLINE_MS);
      options.print(report.markdown());
    }
    return 0;
  }
}
