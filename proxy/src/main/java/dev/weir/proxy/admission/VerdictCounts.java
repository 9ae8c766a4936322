package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleAction;

/**
 * Counts verdicts by their purpose: what rules count, and how long a decision took, is said of
 * traffic. Whoever asks for anything else counts its own.
 */
final class VerdictCounts {
  private final LoopMetrics ofTraffic;

  VerdictCounts(LoopMetrics ofTraffic) {
    this.ofTraffic = ofTraffic;
  }

  /** A verdict was reached, that long after it was asked for. */
  void decided(Purpose purpose, long decisionNs) {
    switch (purpose) {
      case TRAFFIC -> ofTraffic.decided(decisionNs);
      case DECISION, OPERATOR -> {
        // Not traffic.
      }
    }
  }

  /** Counts what a verdict came to. */
  void count(Purpose purpose, Rule rule, RuleCounters of, Verdict settled) {
    switch (purpose) {
      case TRAFFIC -> count(rule, of, settled);
      case DECISION, OPERATOR -> {
        // Not traffic.
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
