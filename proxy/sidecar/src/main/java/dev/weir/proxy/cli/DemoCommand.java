package dev.weir.proxy.cli;

import dev.weir.proxy.demo.Demo;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir demo}. */
@Command(
    name = "demo",
    description = "Shows what Weir does, on this machine alone, in a few seconds.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class)
public final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--keep", description = "Go on running afterwards, to be tried by hand.")
  private boolean keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return Demo.run(spec.commandLine().getOut(), spec.commandLine().getErr(), keep);
  }
}
