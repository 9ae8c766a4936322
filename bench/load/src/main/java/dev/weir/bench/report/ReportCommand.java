package dev.weir.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir bench report}: one page of runs, and their figures beside those of the first. */
@Command(
    name = "report",
    description = "How do runs compare? One page of up to eight runs or interval logs.",
    footer = {"", "Prints the figures, with ratios to the first run in parentheses."})
public final class ReportCommand implements Callable<Integer> {
  private static final int MOST_RUNS = 8;

  @Parameters(
      paramLabel = "RUN",
      arity = "1..*",
      description = "The folder of a run, its run.json, or an .hlog, as a sidecar's.")
  private List<Path> paths;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "report.html",
      description =
          "Where the page is written (default: ${DEFAULT-VALUE}). A folder that exists gets all"
              + " files of a single run but run.json and run.hlog.")
  private Path out;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    expect("RUN", paths.size() + " of them", paths.size() <= MOST_RUNS, "from 1 to " + MOST_RUNS);
    final Set<Path> places = new HashSet<>();
    for (Path path : paths) {
      expect("RUN", path, Files.exists(path), "a file or folder that exists");
      expect("RUN", path, places.add(place(path)), "each run once");
    }
    final boolean files = Files.isDirectory(out);
    expect("--out", out, !files || paths.size() == 1, "a file, or a folder for a single run");
    expect(
        "--out", out, files || !Files.exists(out) || !isInput(), "none of the files that are read");
    final List<RunResult> runs = new ArrayList<>();
    for (Path path : paths) {
      runs.add(named(RunFiles.read(path), runs));
    }
    if (files) {
      RunFiles.writeDerived(out, runs.get(0));
    } else {
      new HtmlReport(runs).write(out);
    }
    spec.commandLine().getOut().print(RunView.table(runs.stream().map(RunView::of).toList()));
    spec.commandLine().getOut().flush();
    for (RunResult run : runs) {
      for (String warning : run.warnings()) {
        spec.commandLine().getErr().println("Warning: " + run.name() + ": " + warning);
      }
    }
    spec.commandLine().getErr().println("Written: " + out);
    return 0;
  }

  // A folder and the run.json in it are one run.
  private static Path place(Path path) throws IOException {
    final Path real = path.toRealPath();
    return real.endsWith(RunFiles.JSON) ? real.getParent() : real;
  }

  private boolean isInput() throws IOException {
    for (Path path : paths) {
      final Path folder = Files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
      for (Path read : List.of(path, folder.resolve(RunFiles.JSON), folder.resolve(RunFiles.LOG))) {
        if (Files.exists(read) && Files.isSameFile(read, out)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The run under a name that none of the others has. */
  private static RunResult named(RunResult run, List<RunResult> others) {
    final Set<String> taken = new HashSet<>();
    others.forEach(other -> taken.add(other.name()));
    String name = run.name();
    for (int i = 2; taken.contains(name); i++) {
      name = run.name() + " (" + i + ")";
    }
    return new RunResult(
        name,
        run.facts(),
        run.warnings(),
        run.checks(),
        run.slices(),
        run.latencies(),
        run.startEpochMs());
  }

  private void expect(String name, Object value, boolean right, String expected) {
    if (!right) {
      throw new ParameterException(
          spec.commandLine(), name + ": " + value + " (expected: " + expected + ")");
    }
  }
}
