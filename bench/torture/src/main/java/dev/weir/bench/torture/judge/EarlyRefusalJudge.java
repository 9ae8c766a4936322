package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.judge.Budget.Use;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.RulePlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A request was refused although its budget had room, even if every request that may have been
 * charged was, and as late as possible. Modes local and exact never do so (docs/modes.md); of mode
 * leased nothing is said here, nor of a rule that may have been decided by shares of the limit.
 */
final class EarlyRefusalJudge implements Judge {
  private static final long MS = 1_000_000;

  /** Refusals that are looked at of one budget, evenly among all. */
  private static final int SAMPLES = 300;

  @Override
  public List<Finding> judge(Evidence evidence) {
    final Map<Long, List<Budget>> byRefusal = new HashMap<>();
    final Map<Long, Asked> refused = new HashMap<>();
    for (Budget budget : Budget.all(evidence)) {
      for (Asked asked : sample(budget)) {
        refused.put(asked.number(), asked);
      }
      for (Use use : budget.uses()) {
        byRefusal.computeIfAbsent(use.asked().number(), any -> new ArrayList<>()).add(budget);
      }
    }
    final Map<Integer, Finding> byRule = new HashMap<>();
    for (Asked asked : refused.values()) {
      final List<Budget> budgets = byRefusal.get(asked.number());
      if (budgets.stream().allMatch(budget -> decidedByLimits(evidence, budget.rule(), asked))
          && budgets.stream().noneMatch(budget -> mayBeFull(evidence, budget))
          && budgets.stream().allMatch(budget -> hadRoom(evidence, budget, asked))) {
        byRule.putIfAbsent(
            asked.rule(),
            new Finding(
                name(),
                "request %d was refused, and all of its budgets had room: %s"
                    .formatted(asked.number(), budgets),
                asked.sentNs(),
                asked.answeredNs()));
      }
    }
    return List.copyOf(byRule.values());
  }

  private static List<Asked> sample(Budget budget) {
    final List<Asked> all =
        budget.uses().stream()
            .map(Use::asked)
            .filter(asked -> asked.outcome() == Asked.Outcome.REFUSED)
            .toList();
    final int step = all.size() / SAMPLES + 1;
    final List<Asked> some = new ArrayList<>();
    for (int i = 0; i < all.size(); i += step) {
      some.add(all.get(i));
    }
    return some;
  }

  /** Whether nobody here knows all who may have used it, or when. */
  private static boolean mayBeFull(Evidence evidence, Budget budget) {
    return budget.hasOtherWindows(evidence)
        || budget.wasInFullTable(evidence)
        || budget.isForAll(evidence);
  }

  /** Whether only limits themselves may have refused it, the same all the time before. */
  private static boolean decidedByLimits(Evidence evidence, int rule, Asked asked) {
    final List<RulePlan> before =
        Budget.versions(evidence, rule, evidence.startNs(), asked.answeredNs());
    // A queue refuses whom it would keep waiting for too long.
    return before.stream().distinct().count() == 1
        && !before.get(0).queues()
        && before.get(0).options().concurrency() == 0 // slots may all have been in use
        && before.get(0).options().refusal().banAfter() == 0 // whoever is banned has room
        && switch (before.get(0).mode()) {
          case LOCAL -> true;
          case EXACT ->
              before.get(0).onStoreFailure() == RulePlan.OnStoreFailure.CLOSED
                  && !evidence.has(FaultPlan.Kind.STORE_CLOCK_SET);
          case LEASED -> false;
        };
  }

  private static boolean hadRoom(Evidence evidence, Budget budget, Asked asked) {
    final LimitPlan limit = budget.plan();
    final long cost =
        budget.uses().stream()
            .filter(use -> use.asked() == asked)
            .mapToLong(Use::cost)
            .max()
            .orElseThrow();
    final boolean paces = limit.algorithm().promise() == Algorithm.Promise.PACED;
    final double used = paces ? level(evidence, budget, asked) : inWindow(evidence, budget, asked);
    return used + cost <= limit.atOnce();
  }

  /** The most that a budget that paces may have been in debt when a request was decided. */
  private static double level(Evidence evidence, Budget budget, Asked asked) {
    final double unitsPerNs = budget.plan().count() / (double) (budget.plan().windowMs() * MS);
    final long atNs = asked.sentNs();
    final List<long[]> charges = new ArrayList<>();
    for (Use use : budget.uses()) {
      if (use.most() > 0 && use.fromNs() <= asked.answeredNs()) {
        charges.add(new long[] {Math.min(use.toNs(), atNs), use.most()});
      }
    }
    charges.sort((one, other) -> Long.compare(one[0], other[0]));
    double level = 0;
    long lastNs = Long.MIN_VALUE / 2;
    for (long[] charge : charges) {
      level = Math.max(0, level - (charge[0] - lastNs) * unitsPerNs) + charge[1];
      lastNs = charge[0];
    }
    final double regained =
        (atNs - evidence.clockNs(atNs, asked.answeredNs()) - lastNs) * unitsPerNs;
    return Math.max(0, level - Math.max(0, regained));
  }

  /** The most units that may have counted in a window when a request was decided. */
  private static long inWindow(Evidence evidence, Budget budget, Asked asked) {
    final LimitPlan limit = budget.plan();
    final long windowNs = limit.windowMs() * MS;
    final long marginNs = evidence.clockNs(asked.sentNs(), asked.answeredNs());
    final long sinceNs;
    if (!budget.hasKnownWindows()) {
      sinceNs = asked.sentNs() - 2 * windowNs - marginNs;
    } else if (limit.algorithm().promise() == Algorithm.Promise.ANY_WINDOW) {
      sinceNs = asked.sentNs() - windowNs - marginNs;
    } else {
      final long epochNs = evidence.epochNs() - evidence.startNs();
      final long windows = limit.algorithm() == Algorithm.SLIDING_COUNTER ? 1 : 0;
      final long first = Math.floorDiv(asked.sentNs() + epochNs - marginNs, windowNs) - windows;
      sinceNs = first * windowNs - epochNs - marginNs;
    }
    return budget.uses().stream()
        .filter(use -> use.toNs() >= sinceNs && use.fromNs() <= asked.answeredNs())
        .mapToLong(Use::most)
        .sum();
  }
}
