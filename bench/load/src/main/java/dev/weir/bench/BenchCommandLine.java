package dev.weir.bench;

import dev.weir.bench.report.ReportFileException;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The manners of all commands of this jar: a measurement goes to standard output, everything else
 * to standard error, and a fault ends with one line and an exit code.
 *
 * <p>Exit codes: 0 done, 1 unexpected failure or a file that cannot be read or written, 2 wrong
 * arguments.
 */
public final class BenchCommandLine {
  public static final int FAILED = 1;
  public static final int WRONG = 2;

  public static final String EXIT_CODES =
      "Exit codes: 0 done, 1 unexpected failure or a faulty file, 2 wrong arguments.";

  private BenchCommandLine() {}

  /**
   * Runs the command that is named by the arguments, in a process that does nothing else.
   *
   * @return the exit code.
   */
  public static int run(Object command, String[] args) {
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      // As in a sidecar: Netty watches one buffer of 128, which costs the loads more than a request
      // allocates otherwise.
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    return of(command).execute(args);
  }

  /** The command line of an annotated command, and of its subcommands. */
  public static CommandLine of(Object annotated) {
    final CommandLine commandLine = new CommandLine(annotated);
    commandLine.setUsageHelpAutoWidth(true);
    commandLine.setParameterExceptionHandler((fault, args) -> explain(fault));
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          if (failure instanceof ReportFileException) {
            command.getErr().println(failure.getMessage());
            return FAILED;
          }
          command.getErr().println(commandLine.getCommandName() + ": unexpected: " + failure);
          failure.printStackTrace(command.getErr());
          return FAILED;
        });
    return commandLine;
  }

  private static int explain(ParameterException fault) {
    final CommandLine command = fault.getCommandLine();
    command.getErr().println(fault.getMessage());
    if (fault instanceof UnmatchedArgumentException unmatched) {
      final List<String> nearest = unmatched.getSuggestions();
      if (!nearest.isEmpty()) {
        command.getErr().println("Did you mean " + String.join(" or ", nearest) + "?");
      }
      if (!command.getSubcommands().isEmpty()) {
        command.getErr().println("Expected: " + commands(command));
      }
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
