package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Identities;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSpec;

/** Decides at once from this node's limit tables, which all event loops share. */
public final class LocalGate implements Gate {
  /** A shorter wait is none: no timer tells it, and on a fractional rate's clock it may be 2 ns. */
  private static final long LEAST_WAIT_NS = 1_000;

  private static final long NOBODY = -1;

  /** Each time the rules may have been changed again; then the request is refused. */
  private static final int MAX_ATTEMPTS = 8;

  private final LimitTables tables;
  private final AllOrNone budgets;
  private final long[] hashes = new long[RuleSpec.MAX_BUDGETS];
  private final Decision decision = new Decision();
  private final Verdict verdict = new Verdict();

  /** The request that was charged last, until the next is looked at; when, and how much. */
  private long chargedTicket = NOBODY;

  private long chargedAtNs;
  private long chargedCost;

  public LocalGate(LimitTables tables) {
    this.tables = tables;
    this.budgets = new AllOrNone(tables);
  }

  @Override
  public void ask(long ticket, Rule rule, Identities identities, long nowNs, Outcome outcome) {
    for (int i = 0; i < rule.groupCount(); i++) {
      hashes[i] = identities.of(i).hash();
    }
    decide(ticket, rule, hashes, 0, nowNs, outcome);
  }

  /**
   * Decides on a rule's budgets, or on those that have replaced them since the request was matched.
   *
   * @param hashes of its identities, by the rule's groups.
   * @param salt sets budgets of one purpose apart from those of another.
   * @return whether the request passes, now or later.
   */
  boolean decide(long ticket, Rule rule, long[] hashes, long salt, long nowNs, Outcome outcome) {
    chargedTicket = NOBODY;
    boolean allowed = false;
    boolean decided = false;
    for (int attempt = 0; !decided && attempt < MAX_ATTEMPTS; attempt++) {
      if (gather(rule, hashes, salt, nowNs)) {
        allowed = budgets.check(rule.cost(), nowNs, decision);
        decided = !decision.moved();
      }
    }
    return answer(ticket, rule.cost(), allowed, nowNs, outcome);
  }

  /** False, with a decision that refuses, if what counts against a budget is still on its way. */
  private boolean gather(Rule rule, long[] hashes, long salt, long nowNs) {
    boolean gathered = true;
    budgets.clear();
    for (int i = 0; i < rule.groupCount(); i++) {
      BudgetGroup group = rule.group(i);
      for (int j = 0; j < group.size(); j++) {
        Budget budget = group.budget(j).latest();
        long identity = hashes[i] ^ salt;
        budgets.add(identity ^ budget.seed(), budget.share(), budget.policy());
        if (budget.past() != null) {
          gathered = gathered && carryOver(budget, identity, nowNs);
        }
      }
    }
    return gathered;
  }

  /**
   * What was consumed before the limit changed counts under the new one. The newest of the past
   * first: what others carry there meanwhile is told to go on.
   */
  private boolean carryOver(Budget budget, long identity, long nowNs) {
    Limit limit = budget.share();
    LimitTable table = tables.of(limit);
    long key = identity ^ budget.seed();
    if (budget.past().isOver() && table.isKnown(key, nowNs)) {
      return true; // it came with all that there was
    }
    for (Budget.Past past = budget.past(); past != null; past = past.earlier()) {
      long pastKey = identity ^ past.seed();
      LimitTable from = tables.of(past.limit());
      if (!from.carryOver(
          pastKey, past.limit(), table, key, limit, past.isOver(), nowNs, decision)) {
        return false;
      }
    }
    return true;
  }

  private boolean answer(long ticket, long cost, boolean allowed, long nowNs, Outcome outcome) {
    long resetAfterNs = Math.max(0, decision.resetAtNs() - nowNs);
    if (allowed) {
      chargedTicket = ticket;
      chargedAtNs = nowNs;
      chargedCost = cost;
      verdict.allow(budgets.policy(), budgets.capacity(), decision.remaining(), resetAfterNs);
      long waitNs = decision.waitNs();
      if (waitNs >= LEAST_WAIT_NS) {
        outcome.hold(ticket, verdict, nowNs + waitNs);
        return true;
      }
    } else {
      long retryAfterNs = Math.max(1, decision.retryAfterNs()); // 0 if others were in the way
      boolean never = retryAfterNs == Decision.NEVER;
      verdict.refuse(
          never ? RefusalReason.NEVER_SATISFIABLE : RefusalReason.OVER_LIMIT,
          budgets.policy(),
          budgets.capacity(),
          decision.remaining(),
          resetAfterNs,
          never ? 0 : retryAfterNs);
    }
    outcome.settle(ticket, verdict);
    return allowed;
  }

  @Override
  public boolean keep(long ticket, Charge into) {
    if (ticket != chargedTicket) {
      return false;
    }
    budgets.keep(into);
    into.atNs = chargedAtNs;
    into.cost = chargedCost;
    return true;
  }

  @Override
  public void giveBack(Charge charge, long nowNs) {
    for (int i = 0; i < charge.count; i++) {
      Limit limit = charge.limits[i];
      tables.of(limit).refund(charge.keys[i], limit, charge.cost, charge.atNs, nowNs);
    }
  }
}
