package dev.weir.bench.store;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
  @Option(
      names = "--redis-server",
      paramLabel = "PATH",
      description = "The program to start (default: redis-server on PATH).")
  private Path redisServer;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Measurements of each variant, interleaved (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "4",
      description = "Of each measurement (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--only",
      paramLabel = "ID",
      split = ",",
      description = "These variants alone; a wrong one lists all.")
  private List<String> only = List.of();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where the report is written too, as Markdown.")
  private Path out;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    expect(
        "--rounds",
        rounds,
        rounds >= 1 && rounds <= Settings.MAX_ROUNDS,
        "from 1 to " + Settings.MAX_ROUNDS);
    // Written so that NaN fails.
    expect(
        "--seconds",
        seconds,
        seconds >= Settings.MIN_SECONDS && seconds <= Settings.MAX_SECONDS,
        "from " + Settings.MIN_SECONDS + " to " + Settings.MAX_SECONDS);
    final List<String> ids = ids();
    for (String id : only) {
      expect("--only", id, ids.contains(id), "any of " + String.join(", ", ids));
    }
    final Path folder = out == null ? null : out.toAbsolutePath().getParent();
    expect(
        "--out",
        out,
        out == null || (Files.isDirectory(folder) && !Files.isDirectory(out)),
        "a file in a folder that exists");
    final Settings settings =
        new Settings(binary(), rounds, seconds, only, Settings.KEYS, Cores.find());
    settings.cores().pinClient();
    final String report = report(settings);
    spec.commandLine().getOut().print(report);
    spec.commandLine().getOut().flush();
    if (out != null) {
      Files.writeString(out, report);
    }
    return 0;
  }

  private String report(Settings settings) throws IOException {
    try (RedisServer server = new RedisServer(settings.redisServer(), settings.cores())) {
      final String origin = Origin.text(command(), settings, server.version());
      final Results results =
          new StoreBench(settings, step -> spec.commandLine().getErr().println(step)).run(server);
      return new Report(results, origin).markdown();
    }
  }

  private String command() {
    return "./weir bench store --rounds "
        + rounds
        + " --seconds "
        + seconds
        + (only.isEmpty() ? "" : " --only " + String.join(",", only))
        + (redisServer == null ? "" : " --redis-server " + redisServer)
        + (out == null ? "" : " --out " + out);
  }

  private static List<String> ids() {
    // The keys are only named here, not used.
    return Stream.concat(Variants.all(1).stream().map(Variant::id), Stream.of(StoreBench.LATENCY))
        .toList();
  }

  private Path binary() {
    if (redisServer != null) {
      expect("--redis-server", redisServer, Files.isExecutable(redisServer), "a program");
      return redisServer;
    }
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      final Path program = Path.of(folder, "redis-server");
      if (Files.isExecutable(program)) {
        return program;
      }
    }
    throw new ParameterException(
        spec.commandLine(), "--redis-server: missing, and no redis-server on PATH (expected: one)");
  }

  private void expect(String name, Object value, boolean right, String expected) {
    if (!right) {
      throw new ParameterException(
          spec.commandLine(), name + ": " + value + " (expected: " + expected + ")");
    }
  }
}
