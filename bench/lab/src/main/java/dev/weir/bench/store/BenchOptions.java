package dev.weir.bench.store;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.rounds.RoundOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
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
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "4",
      description = "Of each measurement (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Mixin private RoundOptions report;

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  /**
   * What the flags say.
   *
   * @param only the ids of what is to be measured; none for all.
   */
  Settings settings(List<String> only) {
    report.check();
    // Written so that NaN fails.
    expect(
        "--seconds",
        seconds,
        seconds >= Settings.MIN_SECONDS && seconds <= Settings.MAX_SECONDS,
        "from " + Settings.MIN_SECONDS + " to " + Settings.MAX_SECONDS);
    return new Settings(binary(), report.rounds(), seconds, only, Settings.KEYS, Cores.find());
  }

  /** The command line that makes the report again, but for what is measured. */
  String command(String name) {
    return "./weir bench "
        + name
        + report.command()
        + " --seconds "
        + seconds
        + (redisServer == null ? "" : " --redis-server " + redisServer);
  }

  void print(String text) throws IOException {
    report.print(text);
  }

  void progress(String step) {
    report.progress(step);
  }

  void expect(String name, Object value, boolean right, String expected) {
    report.expect(name, value, right, expected);
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
