package dev.weir.bench.rounds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The flags of the commands that measure in rounds and print a report. */
public final class RoundOptions {
  public static final int MAX_ROUNDS = 100;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Measurements of each, interleaved (default: ${DEFAULT-VALUE}).")
  private int rounds;

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
   * Checks these flags.
   *
   * @throws ParameterException that names the value and what was expected.
   */
  public void check() {
    expect("--rounds", rounds, rounds >= 1 && rounds <= MAX_ROUNDS, "from 1 to " + MAX_ROUNDS);
    final Path folder = out == null ? null : out.toAbsolutePath().getParent();
    expect(
        "--out",
        out,
        out == null || (Files.isDirectory(folder) && !Files.isDirectory(out)),
        "a file in a folder that exists");
  }

  public int rounds() {
    return rounds;
  }

  /** These flags as they were given, each after a blank. */
  public String command() {
    return " --rounds " + rounds + (out == null ? "" : " --out " + out);
  }

  /** Prints the report, and writes it where that was asked for. */
  public void print(String report) throws IOException {
    spec.commandLine().getOut().print(report);
    spec.commandLine().getOut().flush();
    if (out != null) {
      Files.writeString(out, report);
    }
  }

  public void progress(String step) {
    spec.commandLine().getErr().println(step);
  }

  /**
   * Refuses a flag.
   *
   * @throws ParameterException unless it is right.
   */
  public void expect(String name, Object value, boolean right, String expected) {
    if (!right) {
      throw new ParameterException(
          spec.commandLine(), name + ": " + value + " (expected: " + expected + ")");
    }
  }
}
