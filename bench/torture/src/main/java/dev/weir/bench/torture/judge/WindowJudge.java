package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.judge.Budget.Use;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.bench.torture.plan.RulePlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * More passed in a window than may. A request counts in a window only if its whole span lies in it,
 * so what this says is so wherever in its span each request was decided. Allowed beside the limit
 * is what docs/fleet.md names: a store that lost its writes grants anew, and what {@code
 * on-store-failure} lets pass counts later.
 */
final class WindowJudge implements Judge {
  private static final long MS = 1_000_000;

  /** For so long units may be used that were leased before a budget began anew. */
  private static final long LEASE_NS = 2_000 * MS;

  @Override
  public List<Finding> judge(Evidence evidence) {
    final List<Finding> findings = new ArrayList<>();
    for (Budget budget : Budget.all(evidence)) {
      if (budget.hasOtherWindows(evidence) || budget.wasInFullTable(evidence)) {
        continue;
      }
      final Finding worst = worst(evidence, budget);
      if (worst != null) {
        findings.add(worst);
      }
    }
    return findings;
  }

  private Finding worst(Evidence evidence, Budget budget) {
    final long sinceNs = Rehearsal.refusesFromNs(evidence, budget);
    final List<Use> uses =
        budget.uses().stream()
            .filter(use -> use.least() > 0)
            .filter(use -> use.fromNs() >= sinceNs)
            .sorted(Comparator.comparingLong(Use::toNs))
            .toList();
    final List<LimitPlan> limits = budget.limits(evidence, evidence.startNs(), Long.MAX_VALUE);
    final long leastAtOnce = limits.stream().mapToLong(LimitPlan::atOnce).min().orElse(0);
    final double leastPerNs = limits.stream().mapToDouble(WindowJudge::perNs).min().orElse(0);
    Finding worst = null;
    long worstOver = 0;
    for (Use first : uses) {
      final long fromNs = first.fromNs();
      long units = 0;
      for (Use use : uses) {
        if (use.fromNs() < fromNs) {
          continue;
        }
        if (!inOneWindow(evidence, budget, fromNs, use.toNs())) {
          break;
        }
        units += use.least();
        if (units - worstOver <= leastAtOnce + Math.floor(leastPerNs * (use.toNs() - fromNs))) {
          continue; // no limit that there was allows less
        }
        final OptionalLong allowed = allowed(evidence, budget, fromNs, use.toNs());
        if (allowed.isPresent() && units - allowed.getAsLong() > worstOver) {
          worstOver = units - allowed.getAsLong();
          worst =
              new Finding(
                  name(),
                  "%s: %d units passed of %d in %d ms"
                      .formatted(budget, units, allowed.getAsLong(), (use.toNs() - fromNs) / MS),
                  fromNs,
                  use.toNs());
        }
      }
    }
    return worst;
  }

  /** Whether no unit that passed within a span may have come back before its end. */
  private static boolean inOneWindow(Evidence evidence, Budget budget, long fromNs, long toNs) {
    final LimitPlan limit = budget.plan();
    final long windowNs = limit.windowMs() * MS;
    return switch (limit.algorithm().promise()) {
      case PACED -> true;
      case ANY_WINDOW -> {
        // A unit of a ring counts for the window less up to a sub-window.
        final long countsNs =
            limit.algorithm() == Algorithm.BUCKET_RING ? windowNs - windowNs / 10 : windowNs;
        yield toNs - fromNs <= countsNs - evidence.clockNs(fromNs, toNs);
      }
      case CLOCK_WINDOW -> {
        final long clockNs = evidence.clockNs(fromNs, toNs);
        if (!budget.hasKnownWindows()) {
          yield toNs - fromNs <= windowNs - clockNs; // of two windows at most
        }
        final long epochNs = evidence.epochNs() - evidence.startNs();
        yield Math.floorDiv(fromNs + epochNs - clockNs, windowNs)
            == Math.floorDiv(toNs + epochNs + clockNs, windowNs);
      }
    };
  }

  /** The most that may pass in a span; empty if that is not known. */
  private static OptionalLong allowed(Evidence evidence, Budget budget, long fromNs, long toNs) {
    final List<LimitPlan> limits = budget.limits(evidence, fromNs, toNs);
    final List<RulePlan> versions = Budget.versions(evidence, budget.rule(), fromNs, toNs);
    final boolean stored = versions.stream().anyMatch(RulePlan::needsStore);
    if (stored && wasEvicted(evidence, versions, fromNs, toNs)) {
      return OptionalLong.empty(); // nobody knows which budgets, and how often
    }
    final long atOnce = limits.stream().mapToLong(LimitPlan::atOnce).max().orElseThrow();
    final int windows = budget.hasKnownWindows() ? 1 : 2;
    long allowed = windows * atOnce * (1 + renewals(evidence, budget, versions, fromNs, toNs));
    final double perNs = limits.stream().mapToDouble(WindowJudge::perNs).max().orElseThrow();
    allowed += (long) Math.floor(perNs * (toNs - fromNs + evidence.clockNs(fromNs, toNs)));
    final boolean passesUndecided =
        versions.stream()
            .anyMatch(
                rule ->
                    rule.needsStore() && rule.onStoreFailure() != RulePlan.OnStoreFailure.CLOSED);
    if (passesUndecided) {
      if (evidence.passedUndecided() < 0) {
        return OptionalLong.empty();
      }
      final long cost = budget.uses().stream().mapToLong(Use::most).max().orElseThrow();
      allowed += evidence.passedUndecided() * cost;
    }
    return OptionalLong.of(allowed);
  }

  /** The units that come back in a nanosecond; none of an algorithm that does not pace. */
  private static double perNs(LimitPlan limit) {
    return limit.algorithm().promise() == Algorithm.Promise.PACED
        ? limit.count() / (double) (limit.windowMs() * MS)
        : 0;
  }

  /** Whether within a span the store dropped budgets, and others went on. */
  private static boolean wasEvicted(
      Evidence evidence, List<RulePlan> versions, long fromNs, long toNs) {
    return evidence.happenings().stream()
        .filter(happening -> happening.kind() == FaultPlan.Kind.STORE_EVICTS)
        .anyMatch(happening -> happening.touches(fromNs, toNs, 0, afterNs(versions)));
  }

  /** For how long behind a fault units may be used that were granted before. */
  private static long afterNs(List<RulePlan> versions) {
    return versions.stream().anyMatch(rule -> rule.mode() == RulePlan.Mode.LEASED) ? LEASE_NS : 0;
  }

  /** How often within a span a budget may have begun anew. */
  private static long renewals(
      Evidence evidence, Budget budget, List<RulePlan> versions, long fromNs, long toNs) {
    long renewals = 0;
    for (Happening happening : evidence.happenings()) {
      if (happening.touches(fromNs, toNs, 0, afterNs(versions))) {
        if (happening.kind() == FaultPlan.Kind.BUDGETS_RESET) {
          renewals += happening.rule() == budget.rule() ? 1 : 0;
        } else if (versions.stream().anyMatch(RulePlan::needsStore)) {
          renewals += renewals(evidence.plan().store(), happening.kind());
        }
      }
    }
    return renewals;
  }

  private static int renewals(Plan.StoreKind store, FaultPlan.Kind kind) {
    if (kind == FaultPlan.Kind.STORE_CLOCK_SET || kind == FaultPlan.Kind.WRITES_LOST) {
      return 2; // forward and back; or as below
    }
    return switch (store) {
      case STANDALONE, SHARDED -> kind == FaultPlan.Kind.STORE_KILLED ? 1 : 0;
      // A replica takes over; meanwhile some sidecars may ask the old server and some the new one.
      case SENTINEL, CLUSTER ->
          kind == FaultPlan.Kind.STORE_KILLED || kind == FaultPlan.Kind.STORE_HUNG ? 2 : 0;
    };
  }
}
