package dev.weir.proxy;

import java.io.IOException;
import java.io.PrintWriter;
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
final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--keep", description = "Go on running afterwards, to be tried by hand.")
  private boolean keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try (Demo demo = new Demo(out)) {
      boolean asExpected = demo.show();
      if (keep) {
        out.print(demo.commands());
        out.flush();
        Run.stopSignals(null).await();
      }
      return asExpected ? WeirMain.OK : WeirMain.FAILED;
    } catch (StartException fault) {
      spec.commandLine().getErr().println("weir: " + fault.getMessage());
      return WeirMain.WRONG;
    }
  }
}
