package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Identity;
import dev.weir.proxy.rule.Rule;

/** Decides at once from this node's limit tables, which all event loops share. */
public final class LocalGate implements Gate {
  /** A shorter wait is none: no timer tells it, and on a fractional rate's clock it may be 2 ns. */
  private static final long LEAST_WAIT_NS = 1_000;

  private final LimitTables tables;
  private final Decision decision = new Decision();
  private final Verdict verdict = new Verdict();

  public LocalGate(LimitTables tables) {
    this.tables = tables;
  }

  @Override
  public void ask(long ticket, Rule rule, Identity identity, long nowNs, Outcome outcome) {
    long key = identity.hash() ^ rule.seed();
    LimitTable table = tables.of(rule.limit());
    for (Rule.Past past = rule.past(); past != null; past = past.earlier()) {
      // What was consumed before the limit changed counts under the new one.
      long pastKey = identity.hash() ^ past.seed();
      tables
          .of(past.limit())
          .carryOver(pastKey, past.limit(), table, key, rule.limit(), nowNs, decision);
    }
    decide(ticket, rule, key, rule.limit(), nowNs, outcome);
  }

  /**
   * Decides on one budget of this node.
   *
   * @param limit the rule's, or a part of it.
   * @return whether the request passes, now or later.
   */
  boolean decide(long ticket, Rule rule, long key, Limit limit, long nowNs, Outcome outcome) {
    boolean allowed = tables.of(limit).check(key, limit, rule.cost(), nowNs, decision);
    long resetAfterNs = Math.max(0, decision.resetAtNs() - nowNs);
    if (allowed) {
      verdict.allow(rule.policy(), decision.remaining(), resetAfterNs);
      long waitNs = decision.waitNs();
      if (waitNs >= LEAST_WAIT_NS) {
        outcome.hold(ticket, verdict, nowNs + waitNs);
        return true;
      }
    } else {
      long retryAfterNs = decision.retryAfterNs();
      boolean never = retryAfterNs == Decision.NEVER;
      verdict.refuse(
          never ? RefusalReason.NEVER_SATISFIABLE : RefusalReason.OVER_LIMIT,
          rule.policy(),
          decision.remaining(),
          resetAfterNs,
          never ? 0 : retryAfterNs);
    }
    outcome.settle(ticket, verdict);
    return allowed;
  }
}
