package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
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
  public void ask(long ticket, Rule rule, long identityHash, long nowNs, Outcome outcome) {
    long key = identityHash ^ rule.seed();
    LimitTable table = tables.of(rule.limit());
    for (Rule.Past past = rule.past(); past != null; past = past.earlier()) {
      // What was consumed before the limit changed counts under the new one.
      tables
          .of(past.limit())
          .carryOver(
              identityHash ^ past.seed(), past.limit(), table, key, rule.limit(), nowNs, decision);
    }
    boolean allowed = table.check(key, rule.limit(), rule.cost(), nowNs, decision);
    long resetAfterNs = Math.max(0, decision.resetAtNs() - nowNs);
    if (allowed) {
      verdict.allow(rule.policy(), decision.remaining(), resetAfterNs);
      long waitNs = decision.waitNs();
      if (waitNs >= LEAST_WAIT_NS) {
        outcome.hold(ticket, verdict, nowNs + waitNs);
        return;
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
  }
}
