package dev.weir.bench.torture;

import dev.weir.bench.BenchCommandLine;
import dev.weir.bench.process.WeirLauncher;
import dev.weir.bench.torture.judge.Verdict;
import dev.weir.bench.torture.plan.Plan;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench/scripts/torture}. */
@Command(
    name = "torture",
    description = {
      "Runs sidecars, a store and a service under random rules, clients, hostile clients and",
      "faults, one episode after the other, and judges from outside whether the manual was kept.",
      "The seed of an episode repeats all that it draws; the next episode has the next seed."
    },
    footer = {
      "",
      "Exit codes: 0 nothing found, 1 something found, 2 wrong arguments. The last line says how many",
      "episodes were judged: one of which the machine disturbed more than half the requests is not."
    })
public final class TortureMain implements Callable<Integer> {
  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long. Default: ${DEFAULT-VALUE}.")
  private double minutes = 2;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Of the first episode. Default: by the clock.")
  private Long seed;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Of each episode. Default: ${DEFAULT-VALUE}.")
  private int seconds = 20;

  @Option(
      names = "--shrink",
      description = "Of an episode that fails, leaves out what it can and fail on.")
  private boolean shrink;

  @Option(
      names = "--hard",
      description = "Draws attacks that take a machine of its own, and more changes of rules.")
  private boolean hard;

  @Option(names = "--plan", description = "Prints what the seed says, and ends.")
  private boolean planOnly;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  private final PrintStream out = System.out;

  /** Runs it, and ends the process; the launcher's first argument is the name of the command. */
  public static void main(String[] args) {
    System.exit(BenchCommandLine.run(new TortureMain(), Arrays.copyOfRange(args, 1, args.length)));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    final long first = seed == null ? System.currentTimeMillis() % 1_000_000 : seed;
    if (planOnly) {
      out.println(plan(first).text());
      return 0;
    }
    final Path launcher = WeirLauncher.required();
    out.println(WeirLauncher.version(launcher));
    final long endNs = System.nanoTime() + (long) (minutes * TimeUnit.MINUTES.toNanos(1));
    boolean found = false;
    int episodes = 0;
    int judged = 0;
    for (long next = first; !found && System.nanoTime() - endNs < 0; next++) {
      final Plan plan = plan(next);
      final long beganNs = System.nanoTime();
      final Episode.Outcome outcome = new Episode(plan, launcher).run();
      final Verdict verdict = outcome.verdict();
      found = verdict == Verdict.FOUND;
      episodes++;
      judged += verdict == Verdict.NOT_JUDGED ? 0 : 1;
      out.println(
          "seed %d: %s, store %s, %s, in %d s"
              .formatted(
                  next,
                  verdict,
                  plan.store(),
                  outcome.summary(),
                  TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs)));
      if (found) {
        out.println(plan.text());
        out.println(outcome.report());
        out.println(
            "again: bench/scripts/torture --seed %d --seconds %d%s"
                .formatted(next, seconds, hard ? " --hard" : ""));
        if (shrink) {
          new Shrinking(launcher, out).shrink(plan, outcome);
        }
      }
    }
    out.println("%d of %d episodes judged".formatted(judged, episodes));
    return found ? 1 : 0;
  }

  private Plan plan(long of) {
    return Plan.draw(of, TimeUnit.SECONDS.toMillis(seconds), hard);
  }
}
