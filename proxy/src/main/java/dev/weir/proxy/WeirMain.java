package dev.weir.proxy;

import io.netty.util.ResourceLeakDetector;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line. What a command answers goes to standard output, everything else to standard
 * error.
 *
 * <p>Exit codes: {@link #OK}, {@link #FAILED} for what should not have happened, {@link #WRONG} for
 * what was asked in a wrong way and can be put right.
 */
@Command(
    name = "weir",
    description = "A rate-limiting sidecar: decides for every request whether it may pass.",
    subcommands = {
      RunCommand.class,
      CheckCommand.class,
      ImportCommand.class,
      SimulateCommand.class,
      DemoCommand.class,
      HelpCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = WeirMain.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Start here:",
      "  weir demo",
      "  weir run --upstream http://127.0.0.1:8080 --limit 100/1s --key header:x-user-id",
      "  weir run -c weir.yaml",
      "",
      "Exit codes: 0 done, 1 unexpected failure, 2 wrong flags, file or address."
    })
public final class WeirMain implements Runnable {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int WRONG = 2;

  private static final String COMMANDS = "run, check, import, simulate, demo or help";

  @Spec private CommandSpec spec;

  /** Starts a command and, when it is done, ends the process. */
  public static void main(String[] args) {
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      // It watches one buffer in 128, and allocates for it; the tests watch every one.
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    int exitCode = FAILED;
    try {
      exitCode = commandLine().execute(args);
    } catch (Throwable unexpected) {
      // The JVM would print it too, but not end the process: event loops may still run.
      unexpected.printStackTrace();
    }
    System.exit(exitCode);
  }

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new WeirMain());
    RunFlags.addTo(commandLine.getSubcommands().get("run").getCommandSpec());
    commandLine.setUsageHelpAutoWidth(true);
    commandLine.setParameterExceptionHandler(WeirMain::explain);
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          command.getErr().println("weir: unexpected: " + failure);
          failure.printStackTrace(command.getErr());
          return FAILED;
        });
    return commandLine;
  }

  private static int explain(ParameterException fault, String[] args) {
    CommandLine command = fault.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(fault.getMessage());
    if (fault instanceof UnmatchedArgumentException unmatched) {
      List<String> nearest = unmatched.getSuggestions();
      if (!nearest.isEmpty()) {
        err.println("Did you mean " + String.join(" or ", nearest) + "?");
      } else if (command.getParent() == null) {
        err.println("Expected: " + COMMANDS);
      }
    }
    pointToHelp(command);
    return WRONG;
  }

  /** Says where the flags are listed: the whole list would push the faults off the screen. */
  static void pointToHelp(CommandLine command) {
    command
        .getErr()
        .println("See: " + command.getCommandSpec().qualifiedName() + " --help for what there is.");
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Missing command (expected: " + COMMANDS + ")");
  }

  /** This version of Weir, and the Java that runs it. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {text()};
    }

    static String text() {
      String version = WeirMain.class.getPackage().getImplementationVersion();
      return "weir "
          + (version == null ? "(not packaged)" : version)
          + ", Java "
          + Runtime.version();
    }
  }
}
