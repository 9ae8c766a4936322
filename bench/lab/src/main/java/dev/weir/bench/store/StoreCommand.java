package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
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
  @Mixin private BenchOptions options;

  @Option(
      names = "--only",
      paramLabel = "ID",
      split = ",",
      description = "These variants alone; a wrong one lists all.")
  private List<String> only = List.of();

  @Override
  public Integer call() throws IOException {
    final List<String> ids = ids();
    for (String id : only) {
      options.expect("--only", id, ids.contains(id), "any of " + String.join(", ", ids));
    }
    final Settings settings = options.settings(only);
    settings.cores().pinClient();
    options.print(report(settings));
    return 0;
  }

  private String report(Settings settings) throws IOException {
    try (RedisServer server = new RedisServer(settings.redisServer(), settings.cores())) {
      final String command =
          options.command("store") + (only.isEmpty() ? "" : " --only " + String.join(",", only));
      final Report report = new Report(command);
      settings.describe(report, server.version());
      report.variants(new StoreBench(settings, options::progress).run(server));
      return report.markdown();
    }
  }

  private static List<String> ids() {
    // The keys are only named here, not used.
    return Variants.all(1).stream().map(Variant::id).toList();
  }
}
