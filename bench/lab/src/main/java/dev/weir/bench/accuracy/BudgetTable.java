package dev.weir.bench.accuracy;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.bench.accuracy.TraceComparison.Limiter;

/**
 * The budgets of a trace's keys in a {@link LimitTable} with so much room that none is shared; if
 * one is, the figures would be wrong, so it is an exception.
 */
final class BudgetTable implements Limiter {
  private final LimitTable table;
  private final Limit limit;
  private final Decision decision = new Decision();

  BudgetTable(Limit limit, int keyCount) {
    this.limit = limit;
    final int slotCount = Math.max(LimitTable.MIN_SLOT_COUNT, Integer.highestOneBit(keyCount) * 4);
    table =
        limit.cells() == 0 ? new LimitTable(slotCount) : new LimitTable(slotCount, limit.cells());
  }

  @Override
  public boolean admit(int key, long nowNs) {
    return check(key, 1, nowNs).allowed();
  }

  /** Charges {@code cost}, or nothing; the answer is the table's own and changes with each call. */
  Decision check(int key, long cost, long nowNs) {
    table.check(hash(key), limit, cost, nowNs, decision);
    if (decision.shared() || decision.contended()) {
      throw new IllegalStateException("key " + key + " had no slot of its own in the table");
    }
    return decision;
  }

  /** The finaliser of SplitMix64: one to one, and spreads keys over the table. */
  private static long hash(int key) {
    long mixed = key + 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  @Override
  public void close() {
    table.close();
  }
}
