package dev.weir.proxy.cli;

import dev.weir.proxy.cli.api.AuditCommand;
import dev.weir.proxy.cli.api.ExplainCommand;
import dev.weir.proxy.cli.api.RulesCommand;
import dev.weir.proxy.cli.api.SidecarsCommand;
import dev.weir.proxy.cli.api.TopCommand;
import dev.weir.proxy.cli.api.UsersCommand;
import dev.weir.proxy.cli.api.WhatIfCommand;
import dev.weir.proxy.wiring.Program;
import java.io.PrintWriter;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line as picocli knows it, which makes the help and explains what is wrong. Who only
 * runs a sidecar need not load it.
 */
@Command(
    name = "weir",
    description = "A rate-limiting sidecar: decides for every request whether it may pass.",
    subcommands = {
      RunCommand.class,
      CheckCommand.class,
      ExplainCommand.class,
      ImportCommand.class,
      SimulateCommand.class,
      WhatIfCommand.class,
      RulesCommand.class,
      UsersCommand.class,
      AuditCommand.class,
      SidecarsCommand.class,
      TopCommand.class,
      DemoCommand.class,
      HelpCommand.class,
      AutoComplete.GenerateCompletion.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
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
public final class WeirCommand implements Runnable {
  private static final String COMMANDS =
      "run, check, explain, import, simulate, what-if, rules, users, audit, sidecars, top, demo or"
          + " help";

  @Spec private CommandSpec spec;

  public static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new WeirCommand());
    RunFlags.addTo(commandLine.getSubcommands().get("run").getCommandSpec());
    commandLine.setUsageHelpAutoWidth(true);
    commandLine.setExpandAtFiles(false); // a line of curl has @FILE too
    commandLine.setParameterExceptionHandler(WeirCommand::explain);
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          command.getErr().println("weir: unexpected: " + failure);
          failure.printStackTrace(command.getErr());
          return Program.FAILED;
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
    return Program.WRONG;
  }

  private static void pointToHelp(CommandLine command) {
    Program.pointToHelp(command.getErr(), command.getCommandSpec().qualifiedName());
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
      return new String[] {Program.version()};
    }
  }
}
