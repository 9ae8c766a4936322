package dev.weir.bench.torture;

import dev.weir.bench.torture.judge.Finding;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.bench.torture.plan.RulePlan;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Tries to do without each rule, client, attack and fault of an episode that fails, one by one:
 * what it fails without, by the same judge, was not needed.
 */
final class Shrinking {
  private static final long MOST_NS = TimeUnit.MINUTES.toNanos(20);

  /** A fault of timing need not show itself each time. */
  private static final int TRIES = 2;

  private final Path launcher;
  private final PrintStream out;

  Shrinking(Path launcher, PrintStream out) {
    this.launcher = launcher;
    this.out = out;
  }

  /** Prints the smallest plan that it finds within some 20 minutes. */
  void shrink(Plan plan, Episode.Outcome failed) throws IOException, InterruptedException {
    final Set<String> judges =
        failed.findings().stream().map(Finding::judge).collect(Collectors.toSet());
    final long beganNs = System.nanoTime();
    Plan smallest = plan;
    String report = failed.report();
    for (String part : plan.parts()) {
      final Plan less = smallest.without(part);
      if (!smallest.parts().contains(part)
          || less.clients().isEmpty()
          || less.rules().stream().noneMatch(RulePlan::isOwn)) {
        continue;
      }
      for (int i = 0; i < TRIES && System.nanoTime() - beganNs < MOST_NS; i++) {
        final Episode.Outcome outcome = new Episode(less, launcher).run();
        if (outcome.findings().stream().anyMatch(finding -> judges.contains(finding.judge()))) {
          smallest = less;
          report = outcome.report();
          out.println("fails without " + part);
          break;
        }
      }
    }
    out.println("smallest:");
    out.println(smallest.text());
    out.println(report);
  }
}
