package dev.weir.bench.accuracy;

import dev.weir.algorithms.Limit;

/** An algorithm of {@code dev.weir.algorithms}, at a cost of 1 per request. */
final class TableLimiter implements Limiter {
  private final BudgetTable budgets;

  TableLimiter(Limit limit, int keyCount) {
    budgets = new BudgetTable(limit, keyCount);
  }

  @Override
  public boolean admit(int key, long nowNs) {
    return budgets.check(key, 1, nowNs).allowed();
  }

  @Override
  public void close() {
    budgets.close();
  }
}
