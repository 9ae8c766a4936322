package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.rounds.Spread;
import dev.weir.bench.store.ExactBench.Figures;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
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
  private static final String TEXT =
      """
      # Decisions of mode exact: one event loop against one Redis server

      Question: how many decisions does one core of a sidecar get from one core of Redis, and how long
      does a request wait for its own? What is measured is the sidecar's own link (`LoopStore`, Lettuce,
      the script), from the question to the decision, without HTTP. GCRA over %,d keys, and one hot key.

      %s

      %s
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
      final String origin =
          Origin.text(options.command("exact"), settings, server.version())
              + "\n- Transport "
              + bench.transport();
      final String report =
          String.format(
              TEXT,
              settings.keys(),
              origin,
              table(bench.run(settings.rounds(), settings.seconds(), settings.keys())),
              ExactBench.SATURATING,
              DEADLINE_MS);
      options.print(report);
    }
    return 0;
  }

  private static String table(Map<String, List<Figures>> all) {
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
    all.forEach(
        (label, rounds) ->
            table.add(
                label,
                text(rounds, Figures::perSecond, 0),
                text(rounds, Figures::serverUs, 2),
                text(rounds, Figures::loopUs, 2),
                text(rounds, Figures::batch, 0),
                text(rounds, Figures::p50Us, 0),
                text(rounds, Figures::p99Us, 0),
                text(rounds, Figures::p999Us, 0),
                text(rounds, Figures::bytes, 0),
                Long.toString(rounds.stream().mapToLong(Figures::undecided).sum())));
    return table.toString();
  }

  private static String text(List<Figures> rounds, ToDoubleFunction<Figures> figure, int decimals) {
    return Spread.of(rounds.stream().mapToDouble(figure).toArray()).text(decimals);
  }
}
