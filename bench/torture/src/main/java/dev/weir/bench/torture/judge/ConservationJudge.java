package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.judge.Budget.Use;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.FaultPlan.Lane;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import java.util.ArrayList;
import java.util.List;

/**
 * Units neither appear nor vanish: in the end a budget whose window is longer than the episode says
 * that at least those are used that surely passed, and at most those that may have. Not judged is
 * what the manual lets be lost: budgets of a store that was emptied, units of a lease whose sidecar
 * was killed or stopped, charges that a fault of the store left open.
 */
final class ConservationJudge implements Judge {
  private static final long MS = 1_000_000;

  @Override
  public List<Finding> judge(Evidence evidence) {
    final List<Budget> budgets = Budget.all(evidence);
    final List<Finding> findings = new ArrayList<>();
    for (Reading reading : evidence.readings()) {
      final List<RulePlan> versions =
          Budget.versions(evidence, reading.rule(), evidence.startNs(), reading.atNs());
      if (versions.stream().distinct().count() == 1 && !versions.get(0).options().dryRun()) {
        for (Budget budget : budgets) {
          if (isOf(budget, versions.get(0), reading) && lasts(evidence, budget, reading)) {
            compare(evidence, versions.get(0), budget, reading, findings);
          }
        }
      }
    }
    return findings;
  }

  private static boolean isOf(Budget budget, RulePlan rule, Reading reading) {
    return budget.rule() == reading.rule()
        && budget
            .who()
            .equals(Budget.who(budget.plan(), rule.mode(), reading.identities(), reading.life()));
  }

  /** Whether what was used at the start still counts, or is known to count less. */
  private static boolean lasts(Evidence evidence, Budget budget, Reading reading) {
    if (budget.hasOtherWindows(evidence)
        || budget.wasInFullTable(evidence)
        || budget.isForAll(evidence)) {
      return false;
    }
    final LimitPlan limit = budget.plan();
    final long windowNs = limit.windowMs() * MS;
    final long epochNs = evidence.epochNs() - evidence.startNs();
    final long behindNs = evidence.startNs() - MS * 1_000;
    return switch (limit.algorithm().promise()) {
      case PACED -> limit.windowMs() >= 3_600_000;
      case ANY_WINDOW -> reading.atNs() - behindNs < windowNs - windowNs / 5;
      case CLOCK_WINDOW ->
          budget.hasKnownWindows()
              && Math.floorDiv(behindNs + epochNs, windowNs)
                  == Math.floorDiv(reading.atNs() + epochNs, windowNs);
    };
  }

  private void compare(
      Evidence evidence, RulePlan rule, Budget budget, Reading reading, List<Finding> findings) {
    final long passed = budget.uses().stream().mapToLong(Use::least).sum();
    final long least =
        rule.options().enforcePercent() < 100 ? Math.min(passed, budget.mostOfRehearsal()) : passed;
    final long most = budget.uses().stream().mapToLong(Use::most).sum();
    final long scale = budget.plan().scale(); // whole ones are told
    final long used = reading.used().get(budget.limit()) * scale;
    final boolean paces = budget.plan().algorithm().promise() == Algorithm.Promise.PACED;
    final double back =
        paces
            ? 1
                + budget.plan().count()
                    * ((reading.atNs() - evidence.startNs()) / (double) MS)
                    / budget.plan().windowMs()
            : 0;
    final boolean vanished = used < least - back - (scale - 1) && mayNotLose(evidence, rule);
    final boolean appeared = used > most + (scale - 1) && mayNotStay(evidence, rule);
    if (vanished || appeared) {
      findings.add(
          new Finding(
              name(),
              "%s: %d units are used (expected: %d to %d)"
                  .formatted(budget, used, least - (long) back, most),
              evidence.startNs(),
              reading.atNs()));
    }
  }

  private static boolean mayNotLose(Evidence evidence, RulePlan rule) {
    final boolean isKept =
        evidence.happenings().stream().noneMatch(each -> each.rule() == rule.number());
    return isKept
        && (rule.mode() == Mode.LOCAL
            || noneOf(evidence, Lane.STORE) && evidence.passedUndecided() == 0);
  }

  private static boolean mayNotStay(Evidence evidence, RulePlan rule) {
    return switch (rule.mode()) {
      case LOCAL -> true;
      case EXACT -> noneOf(evidence, Lane.STORE);
      case LEASED -> noneOf(evidence, Lane.STORE) && noneOf(evidence, Lane.SIDECAR);
    };
  }

  private static boolean noneOf(Evidence evidence, Lane lane) {
    return evidence.happenings().stream().noneMatch(each -> each.kind().lane() == lane);
  }
}
