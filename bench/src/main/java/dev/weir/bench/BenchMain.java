package dev.weir.bench;

import dev.weir.bench.accuracy.AccuracyCommand;
import dev.weir.bench.compare.CompareCommand;
import dev.weir.bench.load.RunCommand;
import dev.weir.bench.report.ReportCommand;
import dev.weir.bench.report.ReportFileException;
import dev.weir.bench.store.ExactCommand;
import dev.weir.bench.store.StoreCommand;
import io.netty.util.ResourceLeakDetector;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line behind {@code weir bench}. What a command measures goes to standard output,
 * everything else to standard error.
 *
 * <p>Exit codes: 0 done, 1 unexpected failure or a file that cannot be read or written, 2 wrong
 * arguments. {@code jmh} and {@code jcstress} end with those of the tools they hand over to.
 */
@Command(
    name = "weir bench",
    description = "Measures Weir.",
    subcommands = {
      RunCommand.class,
      ReportCommand.class,
      CompareCommand.class,
      AccuracyCommand.class,
      StoreCommand.class,
      ExactCommand.class,
      HelpCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Exit codes: 0 done, 1 unexpected failure or a faulty file, 2 wrong arguments."})
public final class BenchMain implements Runnable {
  static final int FAILED = 1;
  static final int WRONG = 2;

  private static final String COMMANDS =
      "run, report, compare, accuracy, store, exact, jmh, jcstress or help";

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec private CommandSpec spec;

  /** Runs a command; ends the process unless the command is one of the tools that do so. */
  public static void main(String[] args) throws Exception {
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      // As in a sidecar: Netty watches one buffer of 128, which costs the loads more than a request
      // allocates otherwise.
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    if (args.length > 0 && ToolCommands.isTool(args[0])) {
      ToolCommands.run(args[0], Arrays.copyOfRange(args, 1, args.length));
    } else {
      System.exit(commandLine().execute(args));
    }
  }

  static CommandLine commandLine() {
    final CommandLine commandLine = new CommandLine(new BenchMain());
    commandLine.addSubcommand(new ToolCommands.Jmh());
    commandLine.addSubcommand(new ToolCommands.Jcstress());
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
    if (command.getParent() == null && fault instanceof CommandLine.UnmatchedArgumentException) {
      command.getErr().println("Expected: " + COMMANDS);
    }
    command
        .getErr()
        .println("See: " + command.getCommandSpec().qualifiedName() + " --help for what there is.");
    return WRONG;
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Missing command (expected: " + COMMANDS + ")");
  }
}
