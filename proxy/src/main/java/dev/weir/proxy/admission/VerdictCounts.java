package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleAction;

/**
 * Counts verdicts by their purpose: what rules count, and how long a decision took, is said of
 * traffic and of checks that programs ask for, of each apart.
 */
final class VerdictCounts {
  private final LoopMetrics loop;

  VerdictCounts(LoopMetrics loop) {
    this.loop = loop;
  }

  /**
   * A verdict was reached, that long after it was asked for.
   *
   * @param rule null if none applies.
   * @param isLate whether it was not known at once.
   */
  void decided(Purpose purpose, Rule rule, boolean isLate, long decisionNs) {
    switch (purpose) {
      case TRAFFIC, DECISION -> {
        loop.decided(decisionNs);
        if (rule != null && rule.isLeased()) {
          loop.decidedLeased(isLate, decisionNs);
        }
      }
      case OPERATOR -> {
        // Nobody waits to go on.
      }
    }
  }

  /** Counts what a verdict came to. */
  void count(Purpose purpose, Rule rule, RuleCounters of, Verdict settled) {
    switch (purpose) {
      case TRAFFIC, DECISION -> count(rule, of, settled);
      case OPERATOR -> {
        // It decides on nothing.
      }
    }
  }

  private static void count(Rule rule, RuleCounters of, Verdict settled) {
    if (rule.action() == RuleAction.UNLIMITED) {
      of.unlimited();
    } else if (settled.allowed()) {
      of.allowed();
    } else if (rule.dryRun()) {
      of.dryRunRefused();
    } else {
      switch (settled.refusal()) {
        case DENIED -> of.denied();
        case IDENTITY_MISSING, IDENTITY_AMBIGUOUS -> of.identityRefused();
        default -> of.refused();
      }
    }
  }
}
