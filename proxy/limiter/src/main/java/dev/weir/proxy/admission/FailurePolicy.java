package dev.weir.proxy.admission;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.spec.OnStoreFailure;

/** Decides while the store does not, as each charge's policy says. One per event loop. */
final class FailurePolicy {
  /** Nobody knows when the store is back: the least that a client can be told. */
  private static final long STORE_RETRY_NS = 1_000_000_000;

  private final LocalGate local;
  private final LoopClock clock;
  private final StoreCounts counts;
  private final Verdict verdict = new Verdict();

  /**
   * @param local decides where the policy says so.
   */
  FailurePolicy(LocalGate local, LoopClock clock, StoreCounts counts) {
    this.local = local;
    this.clock = clock;
    this.counts = counts;
  }

  /**
   * Decides on the store's charges of a question: one that is closed keeps it out, one that is open
   * lets it pass, and the others are decided here. Nothing of the store's can be given back here.
   *
   * @return the verdict, valid until the next question.
   */
  Verdict decide(long ticket, Charges charges) {
    boolean asksShare = false;
    boolean isClosed = charges.operation() == Operation.RESET;
    for (int i = charges.localGroupCount(); i < charges.groupCount(); i++) {
      switch (charges.group(i).onStoreFailure()) {
        case OPEN -> {
          // A group that is open has no say.
        }
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
    counts.fellBack(charges.purpose(), decided.allowed());
    return decided;
  }

  /** Forgets what was decided here of the store's charges, which it has reset. */
  void reset(long ticket, Charges charges) {
    for (int i = charges.localGroupCount(); i < charges.groupCount(); i++) {
      if (charges.group(i).onStoreFailure() == OnStoreFailure.LOCAL_SHARE) {
        local.decide(ticket, charges, true, clock.nowNs());
        return;
      }
    }
  }
}
