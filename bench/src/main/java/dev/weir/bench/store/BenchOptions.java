package dev.weir.bench.store;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The flags of the commands that start a server and measure it. */
final class BenchOptions {
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
      names = "--out",
      paramLabel = "FILE",
      description = "Where the report is written too, as Markdown.")
  private Path out;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  /**
   * What the flags say.
   *
   * @param only the ids of what is to be measured; none for all.
   */
  Settings settings(List<String> only) {
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
    final Path folder = out == null ? null : out.toAbsolutePath().getParent();
    expect(
        "--out",
        out,
        out == null || (Files.isDirectory(folder) && !Files.isDirectory(out)),
        "a file in a folder that exists");
    return new Settings(binary(), rounds, seconds, only, Settings.KEYS, Cores.find());
  }

  /** The command line that makes the report again, but for what is measured. */
  String command(String name) {
    return "./weir bench "
        + name
        + " --rounds "
        + rounds
        + " --seconds "
        + seconds
        + (redisServer == null ? "" : " --redis-server " + redisServer)
        + (out == null ? "" : " --out " + out);
  }

  /** Prints the report, and writes it where that was asked for. */
  void print(String report) throws IOException {
    spec.commandLine().getOut().print(report);
    spec.commandLine().getOut().flush();
    if (out != null) {
      Files.writeString(out, report);
    }
  }

  void progress(String step) {
    spec.commandLine().getErr().println(step);
  }

  void expect(String name, Object value, boolean right, String expected) {
    if (!right) {
      throw new ParameterException(
          spec.commandLine(), name + ": " + value + " (expected: " + expected + ")");
    }
  }

  private Path binary() {
    if (redisServer != null) {
      expect("--redis-server", redisServer, Files.isExecutable(redisServer), "a program");
      return redisServer;
    }
    return Programs.find("redis-server")
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    "--redis-server: missing, and no redis-server on PATH (expected: one)"));
  }
}
