package dev.weir.proxy.admission;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.RuleAction;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Counts verdicts by rule and their latency, for traffic and for checks of the decision API apart.
 */
final class VerdictCounts {
  private final LoopMetrics loop;
  private RuleCounters[] counters = {};

  /** Counters of checks of the decision API, by rule. */
  private RuleCounters[] askedCounters = {};

  /** Verdicts reached since the first question of a turn. */
  private long togetherCount;

  private long togetherSinceNs;

  VerdictCounts(LoopMetrics loop) {
    this.loop = loop;
  }

  /** Replaces the rules. */
  void use(RuleSet rules) {
    loop.useRules(
        rules.rules().stream().collect(Collectors.toMap(Rule::id, VerdictCounts::outcomes)));
    RuleCounters[] newCounters = new RuleCounters[rules.rules().size()];
    RuleCounters[] newAskedCounters = new RuleCounters[newCounters.length];
    for (Rule rule : rules.rules()) {
      newCounters[rule.index()] = loop.rule(rule.id());
      newAskedCounters[rule.index()] = loop.asked(rule.id());
    }
    counters = newCounters;
    askedCounters = newAskedCounters;
  }

  /** The counters of a rule for a purpose; null without a rule. */
  RuleCounters of(Purpose purpose, Rule rule) {
    if (rule == null) {
      return null;
    }
    return (purpose == Purpose.DECISION ? askedCounters : counters)[rule.index()];
  }

  /**
   * Records a verdict and its latency.
   *
   * @param rule null if none applies.
   * @param isLate whether the verdict came late.
   */
  void decided(Purpose purpose, Rule rule, boolean isLate, long decisionNs) {
    if (!isCounted(purpose)) {
      return;
    }
    loop.decided(decisionNs);
    if (rule != null && rule.isLeased()) {
      loop.decidedLeased(isLate, decisionNs);
    }
  }

  /** Records a verdict of several that are asked for in one turn. */
  void decidedTogether(Purpose purpose, long askedNs) {
    if (isCounted(purpose) && togetherCount++ == 0) {
      togetherSinceNs = askedNs;
    }
  }

  /** Ends the verdicts of a turn: each took the same time, so the clock is read once. */
  void endTogether(LoopClock clock) {
    if (togetherCount > 0) {
      loop.decided((clock.tick() - togetherSinceNs) / togetherCount, togetherCount);
      togetherCount = 0;
    }
  }

  /** Counts the outcome of a verdict. */
  void count(Purpose purpose, Rule rule, RuleCounters of, Verdict settled) {
    if (isCounted(purpose) && !(rule.isEverywhereAlone() && settled.allowed())) {
      of.add(outcome(rule, settled));
    }
  }

  /**
   * Whether questions of a purpose are counted and timed here. Descriptors are by their calls; an
   * operator's look decides nothing.
   */
  private static boolean isCounted(Purpose purpose) {
    return switch (purpose) {
      case TRAFFIC, DECISION -> true;
      case DESCRIPTOR, OPERATOR -> false;
    };
  }

  /**
   * The outcomes that {@link #count} may count under a rule, without {@code idempotency_refused},
   * which is exposed only once it was counted.
   */
  static Set<Outcome> outcomes(Rule rule) {
    Set<Outcome> outcomes =
        switch (rule.action()) {
          case UNLIMITED -> EnumSet.of(Outcome.UNLIMITED);
          case DENY -> EnumSet.of(rule.dryRun() ? Outcome.DRY_RUN_REFUSED : Outcome.DENIED);
          case LIMIT ->
              rule.dryRun()
                  ? EnumSet.of(Outcome.ALLOWED, Outcome.DRY_RUN_REFUSED)
                  : EnumSet.of(Outcome.ALLOWED, Outcome.REFUSED, Outcome.IDENTITY_REFUSED);
        };
    if (rule.isEnforcedInPart()) {
      outcomes.add(Outcome.DRY_RUN_REFUSED);
    }
    if (rule.bans() != null) {
      outcomes.add(Outcome.BANNED);
    }
    if (rule.everywhereGroups() != 0) {
      outcomes.add(Outcome.REFUSED);
      outcomes.add(Outcome.IDENTITY_REFUSED);
    }
    for (int group = rule.localGroupCount(); group < rule.groupCount(); group++) {
      if (rule.group(group).onStoreFailure() == OnStoreFailure.CLOSED) {
        outcomes.add(Outcome.STORE_UNAVAILABLE);
      }
    }
    if (rule.groupCount() != 0 && !rule.coalesces() && !rule.dryRun()) {
      outcomes.add(Outcome.TOO_MANY_PARKED);
    }
    return outcomes;
  }

  private static Outcome outcome(Rule rule, Verdict settled) {
    if (!settled.allowed()) {
      return outcome(rule, settled.refusal());
    }
    return rule.action() == RuleAction.UNLIMITED ? Outcome.UNLIMITED : Outcome.ALLOWED;
  }

  private static Outcome outcome(Rule rule, RefusalReason reason) {
    if (reason.isOfToken()) {
      return rule.dryRun() ? Outcome.DRY_RUN_REFUSED : Outcome.IDENTITY_REFUSED;
    }
    return switch (reason) {
      // In a dry run too: no limit has refused these.
      case STORE_UNAVAILABLE -> Outcome.STORE_UNAVAILABLE;
      case TOO_MANY_PARKED -> Outcome.TOO_MANY_PARKED;
      case BANNED -> Outcome.BANNED;
      case NOT_DECIDED_ONCE, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_MALFORMED ->
          Outcome.IDEMPOTENCY_REFUSED;
      case DENIED -> rule.dryRun() ? Outcome.DRY_RUN_REFUSED : Outcome.DENIED;
      case IDENTITY_MISSING, IDENTITY_AMBIGUOUS, TOKEN_KEYS_UNAVAILABLE, TOO_MANY_BAD_TOKENS ->
          rule.dryRun() ? Outcome.DRY_RUN_REFUSED : Outcome.IDENTITY_REFUSED;
      default -> rule.dryRun() ? Outcome.DRY_RUN_REFUSED : Outcome.REFUSED;
    };
  }
}
