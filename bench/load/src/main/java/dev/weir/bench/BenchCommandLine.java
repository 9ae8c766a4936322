package dev.weir.bench;

import dev.weir.bench.report.ReportFileException;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What every command of {@code weir bench} does alike: a measurement goes to standard output,
 * everything else to standard error, and a fault ends with one line and an exit code.
 *
 * <p>Exit codes: 0 done, 1 unexpected failure or a file that cannot be read or written, 2 wrong
 * arguments.
 */
public final class BenchCommandLine {
  public static final int FAILED = 1;
  public static final int WRONG = 2;

  /** The last lines of a help. */
  public static final String EXIT_CODES =
      "Exit codes: 0 done, 1 unexpected failure or a faulty file, 2 wrong arguments.";

  private BenchCommandLine() {}

  /**
   * Runs the command that is named by the arguments, in a process that does nothing else.
   *
   * @return the exit code.
   */
  public static int run(BenchCommand bench, String[] args) {
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      // As in a sidecar: Netty watches one buffer of 128, which costs the loads more than a request
      // allocates otherwise.
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    return of(bench).execute(args);
  }

  /** A command line over the commands that {@code bench} is annotated with. */
  public static CommandLine of(BenchCommand bench) {
    final CommandLine commandLine = new CommandLine(bench);
    commandLine.setUsageHelpAutoWidth(true);
    commandLine.setParameterExceptionHandler((fault, args) -> explain(fault));
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          if (failure instanceof ReportFileException) {
            command.getErr().println(failure.getMessage());
            return FAILED;
          }
          command.getErr().println("weir bench: unexpected: " + failure);
          failure.printStackTrace(command.getErr());
          return FAILED;
        });
    return commandLine;
  }

  private static int explain(ParameterException fault) {
    final CommandLine command = fault.getCommandLine();
    command.getErr().println(fault.getMessage());
    if (command.getParent() == null && fault instanceof UnmatchedArgumentException) {
      command.getErr().println("Expected: " + commands(command));
    }
    command
        .getErr()
        .println("See: " + command.getCommandSpec().qualifiedName() + " --help for what there is.");
    return WRONG;
  }

  /** The names of the commands there are: {@code run, report or help}. */
  static String commands(CommandLine commandLine) {
    final List<String> names = new ArrayList<>(commandLine.getSubcommands().keySet());
    final String last = names.remove(names.size() - 1);
    return String.join(", ", names) + " or " + last;
  }
}
