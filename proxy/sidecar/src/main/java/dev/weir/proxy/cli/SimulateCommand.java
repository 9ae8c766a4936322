package dev.weir.proxy.cli;

import dev.weir.proxy.wiring.Program;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * {@code weir simulate} in the list of commands. The launcher starts it from the load tool's jar:
 * no sidecar carries a simulation.
 */
@Command(
    name = "simulate",
    description = {
      "Simulates a fleet that shares a limit by a store: what it lets pass, and what it asks of the"
          + " store. Starts nothing.",
      "`weir simulate --help` lists its flags."
    })
final class SimulateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Unmatched private List<String> flags;

  @Override
  public Integer call() {
    spec.commandLine()
        .getErr()
        .println("weir simulate: not in weir.jar but in weir-load.jar, which the launcher starts");
    return Program.WRONG;
  }
}
