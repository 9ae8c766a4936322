package dev.weir.bench;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir bench} without a command, which is wrong, and its help. */
public abstract class BenchCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public final void run() {
    final CommandLine commandLine = spec.commandLine();
    throw new ParameterException(
        commandLine, "Missing command (expected: " + BenchCommandLine.commands(commandLine) + ")");
  }
}
