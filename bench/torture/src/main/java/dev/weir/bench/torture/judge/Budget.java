package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.RulePlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;

/**
 * One identity's budget under one limit, and the requests that it may have been charged for.
 *
 * @param limit the index in the rule's list.
 * @param who the identity, and in mode local the process.
 * @param local whether a process counts it by itself, and by its own clock.
 * @param plan the limit when it was first seen; later ones differ in how much they allow.
 */
record Budget(int rule, int limit, String who, boolean local, LimitPlan plan, List<Use> uses) {
  /**
   * The charge for one request, as far as it can be known.
   *
   * @param fromNs before which it was not charged.
   * @param toNs behind which it was not, if it was admitted.
   * @param least units that it surely took.
   * @param most units that it may have taken.
   * @param cost units that it takes if it passes.
   */
  record Use(Asked asked, long fromNs, long toNs, long least, long most, long cost) {
    /** Returns this use with it left open whether the budget was charged. */
    Use maybe() {
      return new Use(asked, fromNs, toNs, 0, most, cost);
    }
  }

  private static final long MS = 1_000_000;

  /** How late a request may be charged whose client has given up. */
  private static final long LATE_NS = 8_000 * MS;

  /** Whether it is counted by windows whose ends are known: those of the time of day. */
  boolean hasKnownWindows() {
    return !local || plan.algorithm() != Algorithm.SLIDING_COUNTER;
  }

  static List<Budget> all(Evidence evidence) {
    final Map<String, Budget> budgets = new LinkedHashMap<>();
    final Retries retries = new Retries(evidence.asked());
    for (Asked asked : evidence.asked()) {
      if (asked.outcome() != Asked.Outcome.NOT_SENT) {
        add(evidence, asked, retries, budgets);
      }
    }
    return List.copyOf(budgets.values());
  }

  private static void add(
      Evidence evidence, Asked asked, Retries retries, Map<String, Budget> budgets) {
    final List<RulePlan> versions =
        versions(evidence, asked.rule(), asked.sentNs(), asked.answeredNs());
    add(evidence, asked, retries, asked.rule(), versions, budgets);
    if (versions.stream().anyMatch(rule -> rule.options().everywhere())) {
      for (int rule : evidence.everywhere()) {
        add(evidence, asked, retries, rule, versions, budgets);
      }
    }
  }

  /** Adds the budgets of a rule, or of all requests. */
  private static void add(
      Evidence evidence,
      Asked asked,
      Retries retries,
      int number,
      List<RulePlan> asking,
      Map<String, Budget> budgets) {
    final List<RulePlan> versions = versions(evidence, number, asked.sentNs(), asked.answeredNs());
    final int limits = versions.stream().mapToInt(rule -> rule.limits().size()).max().orElse(0);
    for (int i = 0; i < limits; i++) {
      final int index = i;
      final LimitPlan limit =
          versions.stream()
              .filter(rule -> rule.limits().size() > index)
              .findFirst()
              .orElseThrow()
              .limits()
              .get(index);
      final String who = who(limit, versions.get(0).mode(), asked.identities(), asked.life());
      final String name = number + "." + index + " " + who;
      final Use use = use(evidence, asked, retries, versions, index);
      final boolean surely =
          number == asked.rule()
              || asking.stream()
                  .allMatch(rule -> rule.options().everywhere() && !rule.options().dryRun());
      budgets
          .computeIfAbsent(
              name,
              any ->
                  new Budget(
                      number,
                      index,
                      who,
                      versions.get(0).mode() == RulePlan.Mode.LOCAL,
                      limit,
                      new ArrayList<>()))
          .uses
          .add(surely ? use : use.maybe());
    }
  }

  /** The text of an identity, with the process that counts it in mode local. */
  static String who(LimitPlan limit, RulePlan.Mode mode, List<Integer> identities, int life) {
    final String who = limit.key().who(identities);
    return mode == RulePlan.Mode.LOCAL ? who + "at process " + life : who;
  }

  private static Use use(
      Evidence evidence, Asked asked, Retries retries, List<RulePlan> versions, int limit) {
    final Served served = evidence.served().get(asked.number());
    final boolean passed = asked.outcome() == Asked.Outcome.PASSED || served != null;
    final boolean counts =
        versions.stream()
            .allMatch(rule -> !rule.options().dryRun() && rule.limits().size() > limit);
    final LongSummaryStatistics units =
        versions.stream()
            .filter(rule -> rule.limits().size() > limit)
            .mapToLong(rule -> rule.units(rule.limits().get(limit), asked.told()))
            .summaryStatistics();
    final boolean isFree = retries.mayBeFree(asked);
    final long least = passed && counts && !isFree ? units.getMin() : 0;
    final boolean refused = asked.outcome() == Asked.Outcome.REFUSED && served == null;
    final long most = refused ? 0 : units.getMax();
    final long toNs;
    if (served != null) {
      toNs = Math.max(asked.sentNs(), Math.min(asked.answeredNs(), served.firstNs()));
    } else {
      toNs = passed ? asked.answeredNs() : asked.answeredNs() + lateNs(evidence);
    }
    return new Use(asked, asked.sentNs(), toNs, least, most, units.getMax());
  }

  /** A process that is stopped finds a request when it goes on. */
  private static long lateNs(Evidence evidence) {
    return LATE_NS
        + evidence.plan().faults().stream().mapToLong(FaultPlan::lastsMs).max().orElse(0) * MS;
  }

  /**
   * Whether it is counted by windows of a clock that was set: they follow it (docs/algorithms.md),
   * and nobody here knows which they were. Algorithms that pace, and the log and the ring, count by
   * time that only runs.
   */
  boolean hasOtherWindows(Evidence evidence) {
    return local
        && plan.algorithm().promise() == Algorithm.Promise.CLOCK_WINDOW
        && evidence.has(FaultPlan.Kind.SIDECAR_CLOCK_SET);
  }

  /** Whether its process kept it among so many that some shared a budget, and some began anew. */
  boolean wasInFullTable(Evidence evidence) {
    return local && uses.stream().anyMatch(use -> evidence.hasFullTable(use.asked().life()));
  }

  /** Whether hostile clients may have used it. */
  boolean isForAll(Evidence evidence) {
    return plan.key().isAll() && !evidence.plan().attacks().isEmpty();
  }

  /**
   * The rule as it may have been at any time of a span: an event loop takes new rules with its next
   * turn.
   */
  static List<RulePlan> versions(Evidence evidence, int rule, long fromNs, long toNs) {
    final long sinceNs = fromNs - evidence.clockNs(fromNs, toNs);
    return evidence.regimes().stream()
        .filter(regime -> regime.overlaps(sinceNs, toNs))
        .map(regime -> regime.rule(rule))
        .flatMap(Optional::stream)
        .toList();
  }

  /** This limit as it may have been at any time of a span. */
  List<LimitPlan> limits(Evidence evidence, long fromNs, long toNs) {
    return versions(evidence, rule, fromNs, toNs).stream()
        .filter(version -> version.limits().size() > limit)
        .map(version -> version.limits().get(limit))
        .toList();
  }

  /** Units that are used once nothing more fits, though all requests pass. */
  long mostOfRehearsal() {
    final long cost = uses.stream().mapToLong(Use::cost).max().orElse(1);
    return Math.max(0, plan.atOnce() - cost + 1);
  }

  @Override
  public String toString() {
    return "rule "
        + rule
        + ", limit "
        + limit
        + " ("
        + plan.algorithm()
        + " "
        + plan.count()
        + "/"
        + plan.windowMs()
        + "ms), "
        + who.strip();
  }
}
