package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Identities;
import dev.weir.proxy.rule.Rule;

/** Decides at once from this node's limit tables, which all event loops share. */
public final class LocalGate implements Gate {
  /** A shorter wait is none: no timer tells it, and on a fractional rate's clock it may be 2 ns. */
  private static final long LEAST_WAIT_NS = 1_000;

  private static final long NOBODY = -1;

  private final LimitTables tables;
  private final AllOrNone budgets;
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
    begin();
    for (int i = 0; i < rule.groupCount(); i++) {
      BudgetGroup group = rule.group(i);
      long identity = identities.of(i).hash();
      for (int j = 0; j < group.size(); j++) {
        Budget budget = group.budget(j);
        long key = identity ^ budget.seed();
        if (budget.past() != null) {
          carryOver(budget, identity, key, nowNs);
        }
        add(key, budget.share(), budget.policy());
      }
    }
    decide(ticket, rule.cost(), nowNs, outcome);
  }

  /** What was consumed before the limit changed counts under the new one. */
  private void carryOver(Budget budget, long identity, long key, long nowNs) {
    LimitTable table = tables.of(budget.limit());
    for (Budget.Past past = budget.past(); past != null; past = past.earlier()) {
      long pastKey = identity ^ past.seed();
      tables
          .of(past.limit())
          .carryOver(pastKey, past.limit(), table, key, budget.limit(), nowNs, decision);
    }
  }

  /** Begins the next request. */
  void begin() {
    budgets.clear();
    chargedTicket = NOBODY;
  }

  /**
   * One of the budgets on which the request depends.
   *
   * @param key of no other of them.
   */
  void add(long key, Limit limit, QuotaPolicy policy) {
    budgets.add(key, limit, policy);
  }

  /**
   * Decides on the budgets that were added.
   *
   * @return whether the request passes, now or later.
   */
  boolean decide(long ticket, long cost, long nowNs, Outcome outcome) {
    boolean allowed = budgets.check(cost, nowNs, decision);
    long resetAfterNs = Math.max(0, decision.resetAtNs() - nowNs);
    if (allowed) {
      chargedTicket = ticket;
      chargedAtNs = nowNs;
      chargedCost = cost;
      verdict.allow(budgets.policy(), decision.remaining(), resetAfterNs);
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
