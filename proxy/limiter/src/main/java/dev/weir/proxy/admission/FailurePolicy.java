package dev.weir.proxy.admission;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.spec.OnStoreFailure;

/**
 * Decides while the store does not, by the failure policy ({@code on-store-failure}) of each
 * charge. One per event loop.
 */
final class FailurePolicy {
  /** The retry time that clients are told, as it is unknown when the store is back. */
  private static final long STORE_RETRY_NS = 1_000_000_000;

  private final LocalGate local;
  private final LoopClock clock;
  private final StoreMetrics metrics;
  private final Verdict verdict = new Verdict();

  /**
   * @param local decides under the failure policy {@code local-share}.
   */
  FailurePolicy(LocalGate local, LoopClock clock, StoreMetrics metrics) {
    this.local = local;
    this.clock = clock;
    this.metrics = metrics;
  }

  /**
   * Decides on the store's charges of a question: {@code closed} refuses it, {@code open} lets it
   * pass, and this node decides on the others. Charges of the store cannot be returned here. A
   * question of what is left is refused under {@code open} too, as nobody knows it.
   *
   * @return the verdict, valid until the next question.
   */
  Verdict decide(long ticket, Charges charges) {
    boolean asksShare = false;
    boolean isLook = charges.operation() == Operation.PEEK && charges.areRowsWanted();
    boolean isClosed = charges.operation() == Operation.RESET;
    for (int i = charges.localGroupCount(); i < charges.groupCount(); i++) {
      switch (charges.group(i).onStoreFailure()) {
        case OPEN -> isClosed |= isLook; // otherwise a group that is open has no say
        case CLOSED -> isClosed = true;
        case LOCAL_SHARE -> asksShare = true;
      }
    }
    Verdict decided =
        isClosed
            ? verdict.refuse(RefusalReason.STORE_UNAVAILABLE, null, 0, 0, 0, STORE_RETRY_NS)
            : asksShare
                ? local.decide(ticket, charges, true, clock.nowNs())
                : verdict.allowUnlimited();
    if (charges.operation() == Operation.CHECK) {
      metrics.fellBack(decided.allowed());
    }
    return decided;
  }

  /** Forgets what was decided here on budgets that the store has reset. */
  void reset(long ticket, Charges charges) {
    for (int i = charges.localGroupCount(); i < charges.groupCount(); i++) {
      if (charges.group(i).onStoreFailure() == OnStoreFailure.LOCAL_SHARE) {
        local.decide(ticket, charges, true, clock.nowNs());
        return;
      }
    }
  }
}
