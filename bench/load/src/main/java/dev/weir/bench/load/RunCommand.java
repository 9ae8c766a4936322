package dev.weir.bench.load;

import dev.weir.bench.load.LoadRun.LoadException;
import dev.weir.bench.report.Commit;
import dev.weir.bench.report.ReportFileException;
import dev.weir.bench.report.RunFiles;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.scenario.BadScenarioException;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.ScenarioFlags;
import dev.weir.bench.scenario.Secrets;
import dev.weir.proxy.rule.spec.BadValueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir bench run}. */
@Command(
    name = "run",
    modelTransformer = ScenarioFlags.class,
    description = {
      "Loads a target at a rate of its own and reports latencies from when requests were due.",
      "Ctrl-C ends it early, with a report."
    },
    footer = {
      "",
      "Exit codes: 0 done and every threshold held, 1 the target cannot be reached or the report"
          + " not be written, 2 wrong arguments, 3 a threshold did not hold."
    })
public final class RunCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int MISSED = 3;
  private static final int REPORT_SECONDS = 20;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      description = "Where the report is written: HTML, JSON, CSV, .hlog and .hgrm.")
  private Path out;

  @Option(
      names = "--no-ceiling",
      description = "Does not measure first what the harness itself can do (three seconds).")
  private boolean noCeiling;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    final Scenario scenario;
    try {
      scenario = ScenarioFlags.scenario(spec);
    } catch (BadScenarioException bad) {
      throw new ParameterException(spec.commandLine(), bad.getMessage());
    }
    checkOut();
    try {
      return run(scenario);
    } catch (BadValueException bad) {
      throw new ParameterException(spec.commandLine(), bad.getMessage());
    } catch (LoadException | ReportFileException failure) {
      spec.commandLine().getErr().println("weir bench run: " + failure.getMessage());
      return FAILED;
    }
  }

  /** Before the run rather than after it. */
  private void checkOut() {
    try {
      if (out != null && !Files.isWritable(Files.createDirectories(out))) {
        throw new IOException("not writable");
      }
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "--out: " + out + " (expected: a folder to write to): " + e);
    }
  }

  private int run(Scenario scenario) throws Exception {
    final List<String> warnings = new ArrayList<>();
    final Ceiling ceiling = noCeiling ? null : Ceiling.measure(scenario);
    if (ceiling != null) {
      say(ceiling.toString());
      if (ceiling.isBelow(scenario)) {
        warnings.add(
            String.format(
                Locale.ROOT,
                "%,.0f requests/s are beyond what this harness can do here by itself, %,.0f/s:"
                    + " what is measured is the harness.",
                scenario.load().schedule().peakRate(),
                ceiling.perSecond()));
        say("warning: " + warnings.get(0));
      }
    }
    final LiveLine live =
        new LiveLine(spec.commandLine().getErr(), scenario.load().durationNs() / 1e9);
    final LoadRun run = new LoadRun(scenario, live);
    final CountDownLatch reported = new CountDownLatch(1);
    final Thread interrupted = new Thread(() -> stop(run, reported), "weir-stop");
    Runtime.getRuntime().addShutdownHook(interrupted);
    try {
      final RunResult result = completed(run.run(), ceiling, warnings);
      live.end();
      spec.commandLine().getOut().print(new TextSummary(result));
      spec.commandLine().getOut().flush();
      if (out != null) {
        RunFiles.write(out, result);
        say("written to " + out);
      }
      return result.passed() ? OK : MISSED;
    } finally {
      reported.countDown();
    }
  }

  /** The thread that the JVM waits for when it is told to end. */
  private static void stop(LoadRun run, CountDownLatch reported) {
    run.stop();
    try {
      reported.await(REPORT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private RunResult completed(RunResult result, Ceiling ceiling, List<String> warnings) {
    final Map<String, String> facts = new LinkedHashMap<>(result.facts());
    if (ceiling != null) {
      facts.put("Ceiling", ceiling.toString());
    }
    facts.put("Commit", Commit.head());
    facts.put(
        "Command",
        "./weir bench run "
            + Secrets.hiddenInCommand(spec.commandLine().getParseResult().expandedArgs()));
    warnings.addAll(result.warnings());
    return new RunResult(
        result.name(),
        facts,
        warnings,
        result.checks(),
        result.slices(),
        result.latencies(),
        result.startEpochMs());
  }

  private void say(String line) {
    spec.commandLine().getErr().println(line);
  }
}
