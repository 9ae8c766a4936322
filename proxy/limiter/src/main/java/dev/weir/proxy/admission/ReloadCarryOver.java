package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.rule.Budget;

/**
 * Keeps budgets through a reload: what an identity used before its limit changed counts under the
 * new limit. It is moved when the identity is next asked about, from the newest former limit first.
 * Other threads that are moving it meanwhile start again ({@link LimitTable#carryOver}).
 */
final class ReloadCarryOver {
  private final LimitTables tables;

  ReloadCarryOver(LimitTables tables) {
    this.tables = tables;
  }

  /**
   * Moves what one identity used under the limits that a budget has replaced.
   *
   * @param scratch overwritten.
   * @return false, with a refusal, if another thread has not finished moving it.
   */
  boolean carryOver(Budget budget, long identity, long nowNs, Decision scratch) {
    Limit share = budget.share();
    Limit limit = share == null ? budget.limit() : share;
    LimitTable table = tables.of(limit);
    long key = identity ^ budget.seed();
    if (budget.past().isOver() && table.isKnown(key, nowNs)) {
      return true; // it came with all that there was
    }
    for (Budget.Past past = budget.past(); past != null; past = past.earlier()) {
      long pastKey = identity ^ past.seed();
      LimitTable from = tables.of(past.limit());
      if (!from.carryOver(
          pastKey, past.limit(), table, key, limit, past.isOver(), nowNs, scratch)) {
        return false;
      }
    }
    return true;
  }
}
