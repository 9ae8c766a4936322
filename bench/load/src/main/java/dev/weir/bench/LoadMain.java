package dev.weir.bench;

import dev.weir.bench.fleet.FleetCommand;
import dev.weir.bench.load.RunCommand;
import dev.weir.bench.report.ReportCommand;
import dev.weir.bench.simulation.SimulateCommand;
import java.util.Arrays;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The load tool: the commands of {@code weir bench} that need nothing but its own jar, and {@code
 * weir simulate}.
 */
@Command(
    name = "weir bench",
    description = "Loads a service, and reports how long its answers took.",
    subcommands = {RunCommand.class, ReportCommand.class, FleetCommand.class, HelpCommand.class},
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", BenchCommandLine.EXIT_CODES, "What measures Weir itself needs its sources."})
public final class LoadMain extends BenchCommand {
  public static void main(String[] args) {
    System.exit(
        args.length > 0 && args[0].equals("simulate")
            ? BenchCommandLine.run(new SimulateCommand(), Arrays.copyOfRange(args, 1, args.length))
            : BenchCommandLine.run(new LoadMain(), args));
  }
}
