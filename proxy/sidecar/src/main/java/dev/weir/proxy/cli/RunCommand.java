package dev.weir.proxy.cli;

import dev.weir.proxy.wiring.Run;
import dev.weir.proxy.wiring.RunArguments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code weir run} as picocli reads it: all lines, the wrong ones too. */
@Command(
    name = "run",
    description = "Runs the sidecar, with settings either from a file or from flags.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
    sortOptions = false,
    customSynopsis = {
      "weir run -c FILE",
      "       weir run --upstream URL [--limit RATE [--burst COUNT] [--key KEY]] [FLAG...]",
      "       weir run --decision [ADDRESS] [--limit RATE] [FLAG...]"
    },
    footer = {
      "",
      "SIGTERM, SIGINT: finish the requests in flight, then end; a second one ends at once.",
      "SIGHUP: read again the rules in FILE, certificates, tokens and their keys, lists and",
      "Envoy's limits (files are also read when they change). Without any of these: end.",
      "",
      "A file says more than flags can: several rules, each for its own paths. See",
      "deploy/examples/weir.yaml for every setting."
    })
public final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Settings and rules in YAML; not together with the flags below.")
  private Path file;

  @Unmatched private List<String> unknown = new ArrayList<>();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    return new Run(command.getOut(), command.getErr()).run(arguments());
  }

  /** The arguments on the line that was parsed. */
  public RunArguments arguments() {
    List<String> problems = new ArrayList<>();
    boolean isValue = false;
    for (String argument : unknown) {
      if (argument.startsWith("-")) {
        String nearest = RunFlags.nearest(argument);
        problems.add(
            argument
                + ": unknown flag"
                + (nearest == null ? "" : " (did you mean " + nearest + "?)"));
      } else if (!isValue) {
        problems.add(argument + ": unexpected (expected: flags only)");
      }
      isValue = argument.startsWith("-") && argument.indexOf('=') < 0;
    }
    return new RunArguments(
        file, RunFlags.given(spec.commandLine().getParseResult(), problems), problems);
  }
}
