package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.rounds.Rounds;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench store}: starts a server, measures, prints the report. */
@Command(
    name = "store",
    description = "What does a decision cost in Redis?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. Starts a server of its own on",
      "127.0.0.1 and, with taskset and two cores, gives it one of them and itself another."
    })
public final class StoreCommand implements Callable<Integer> {
  @Mixin private StoreOptions options;

  @Option(
      names = "--only",
      paramLabel = "ID",
      split = ",",
      description = "These variants alone; a wrong one lists all.")
  private List<String> only = List.of();

  @Override
  public Integer call() throws IOException {
    // The keys are only named here, not used.
    options.expectEach("--only", only, Variants.all(1).stream().map(Variants.Variant::id).toList());
    final Rounds rounds = options.checked();
    try (RedisServer server = options.start(rounds)) {
      final Report report = new Report(options.command());
      StoreOptions.describe(report, rounds, server);
      report.variants(new StoreBench(rounds, StoreBench.KEYS).run(server, only));
      options.print(report.markdown());
    }
    return 0;
  }
}
