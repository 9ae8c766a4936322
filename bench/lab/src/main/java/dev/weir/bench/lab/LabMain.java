package dev.weir.bench.lab;

import dev.weir.bench.BenchCommand;
import dev.weir.bench.BenchCommandLine;
import dev.weir.bench.accuracy.AccuracyCommand;
import dev.weir.bench.compare.ColdCommand;
import dev.weir.bench.compare.CompareCommand;
import dev.weir.bench.decision.DecisionsCommand;
import dev.weir.bench.fleet.FleetCommand;
import dev.weir.bench.http2.Http2Command;
import dev.weir.bench.load.RunCommand;
import dev.weir.bench.report.ReportCommand;
import dev.weir.bench.rule.RulesCommand;
import dev.weir.bench.store.ExactCommand;
import dev.weir.bench.store.RecordsCommand;
import dev.weir.bench.store.StoreCommand;
import java.util.Arrays;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * All of {@code weir bench}, the load tool included.
 *
 * <p>{@code jmh} and {@code jcstress} end with the exit codes of the tools they hand over to.
 */
@Command(
    name = "weir bench",
    description = "Measures Weir.",
    subcommands = {
      RunCommand.class,
      ReportCommand.class,
      FleetCommand.class,
      CompareCommand.class,
      ColdCommand.class,
      AccuracyCommand.class,
      StoreCommand.class,
      ExactCommand.class,
      RecordsCommand.class,
      DecisionsCommand.class,
      Http2Command.class,
      RulesCommand.class,
      ToolCommands.Jmh.class,
      ToolCommands.Jcstress.class,
      HelpCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", BenchCommandLine.EXIT_CODES})
public final class LabMain extends BenchCommand {
  /** Runs a command; ends the process unless the command is one of the tools that do so. */
  public static void main(String[] args) throws Exception {
    if (args.length > 0 && ToolCommands.isTool(args[0])) {
      ToolCommands.run(args[0], Arrays.copyOfRange(args, 1, args.length));
    } else {
      System.exit(BenchCommandLine.run(new LabMain(), args));
    }
  }
}
