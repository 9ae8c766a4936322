package dev.weir.proxy.envoy.call;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.admission.LimitTables;

/** Charges budgets of this node. One per event loop; allocates nothing. */
final class LocalCounts {
  private final LimitTables tables;
  private final Decision decision = new Decision();

  /** What was read ahead, so that it is not left out. */
  private long fetched;

  LocalCounts(LimitTables tables) {
    this.tables = tables;
  }

  /**
   * Has the budget of a charge fetched that will be charged soon: the reads of several overlap,
   * where each charge would wait for its own.
   */
  void fetch(CallCharges charges, int charge) {
    LimitTable table = tables.of(charges.budgets(charge).limit());
    fetched ^= table.fetch(charges.key(charge));
  }

  /** Charges all of a call's charges that this node decides on, in their order. */
  void chargeAll(CallCharges charges, long nowNs) {
    for (int i = 0; i < charges.count(); i++) {
      if (!charges.budgets(i).isExact()) {
        charge(charges, i, nowNs);
      }
    }
  }

  /** Charges one of a call's charges, or looks if it takes nothing. */
  private void charge(CallCharges charges, int charge, long nowNs) {
    Limit limit = charges.budgets(charge).limit();
    LimitTable table = tables.of(limit);
    long key = charges.key(charge);
    long hits = charges.hits(charge);
    boolean isGranted;
    if (hits == 0) {
      isGranted = table.peek(key, limit, 1, nowNs, decision);
    } else {
      isGranted = table.check(key, limit, hits, nowNs, decision);
      if (!isGranted && charges.budgets(charge).countsAll()) {
        // The word has no more room: the count stays at its highest, over any limit.
        table.grantUpTo(key, limit, hits, nowNs, decision);
      }
    }
    boolean isWait = !isGranted && decision.retryAfterNs() != Decision.NEVER;
    long resetNs = isWait ? decision.retryAfterNs() : decision.resetAtNs() - nowNs;
    long used = limit.capacity() - decision.remaining();
    charges.decided(charge, isGranted, used, Math.max(0, resetNs), nowNs);
  }

  /** Gives back what a charge has taken. */
  void giveBack(CallCharges charges, int charge, long nowNs) {
    Limit limit = charges.budgets(charge).limit();
    long at = charges.decidedAt(charge);
    tables.of(limit).refund(charges.key(charge), limit, charges.hits(charge), at, nowNs);
    charges.givenBack(charge);
  }
}
