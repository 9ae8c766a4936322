package dev.weir.proxy.cli;

import dev.weir.proxy.control.EffectiveFile;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.wiring.Program;
import dev.weir.proxy.wiring.SidecarDecisions;
import dev.weir.proxy.wiring.SidecarLists;
import dev.weir.proxy.wiring.SidecarRateLimits;
import dev.weir.proxy.wiring.SidecarTls;
import dev.weir.proxy.wiring.SidecarTokens;
import dev.weir.proxy.wiring.SidecarWhatIf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir check}. */
@Command(
    name = "check",
    description =
        "Reads settings files and the files that they name (certificates, tokens, Envoy's rate"
            + " limits), and tells every fault. Starts nothing.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class)
public final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--effective",
      description =
          "Print the file with every default written out, and from where each value is. What is"
              + " printed is a file with the same budgets.")
  private boolean isEffective;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Such as weir.yaml.")
  private List<Path> files;

  @Override
  public Integer call() {
    int exitCode = Program.OK;
    for (Path file : files) {
      Faults faults = Faults.ofFile(file.toString());
      Settings settings = new SettingsFile().read(file, faults);
      faults.warnings().forEach(spec.commandLine().getErr()::println);
      if (settings == null) {
        spec.commandLine().getErr().println(faults);
        exitCode = Program.WRONG;
      } else if (!opensFiles(file, settings)) {
        exitCode = Program.WRONG;
      } else if (isEffective) {
        exitCode = Math.max(exitCode, writeOut(file));
      } else {
        int count = settings.rules().rules().size();
        String rules = count == 1 ? "1 rule" : count + " rules";
        spec.commandLine().getOut().println(file + ": ok (" + rules + ")");
      }
    }
    return exitCode;
  }

  /** Prints a file with every default. */
  private int writeOut(Path file) {
    Faults faults = Faults.ofFile(file.toString());
    byte[] content = SettingsFile.content(file, faults);
    String text = content == null ? null : EffectiveFile.of(content, System.getenv(), faults);
    if (text == null) {
      spec.commandLine().getErr().println(faults);
      return Program.WRONG;
    }
    spec.commandLine().getOut().print("# " + file + " with every default\n" + text);
    spec.commandLine().getOut().flush();
    return Program.OK;
  }

  /** Whether all files that are named can be used as they are now, as a start would use them. */
  private boolean opensFiles(Path file, Settings settings) {
    List<ListenerSettings> listeners = new ArrayList<>(settings.client().listeners());
    listeners.addAll(settings.decision().listeners());
    ListenerSettings admin = settings.process().admin();
    List<String> faults = new ArrayList<>(SidecarTls.faults(listeners, admin, settings.upstream()));
    faults.addAll(SidecarDecisions.faults(settings.decision()));
    faults.addAll(SidecarTokens.faults(settings.tokens()));
    faults.addAll(SidecarRateLimits.faults(settings));
    faults.addAll(SidecarLists.faults(settings.rules().lists()));
    faults.addAll(SidecarWhatIf.faults(settings));
    faults.forEach(fault -> spec.commandLine().getErr().println(file + ": " + fault));
    return faults.isEmpty();
  }
}
