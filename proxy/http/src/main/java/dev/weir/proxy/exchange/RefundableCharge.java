package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Admission;

/**
 * What one request was charged, as long as that may go back: while the service may never hear of
 * it, and that is not the client's doing.
 */
final class RefundableCharge {
  private final Admission admission;
  private int kept = Admission.NOTHING_KEPT;

  RefundableCharge(Admission admission) {
    this.admission = admission;
  }

  /** Keeps what was charged for the verdict that was given last. */
  void keep() {
    if (kept == Admission.NOTHING_KEPT) {
      kept = admission.keep();
    }
  }

  void giveBack() {
    if (kept != Admission.NOTHING_KEPT) {
      admission.giveBack(kept);
      kept = Admission.NOTHING_KEPT;
    }
  }

  void letStand() {
    if (kept != Admission.NOTHING_KEPT) {
      admission.letStand(kept);
      kept = Admission.NOTHING_KEPT;
    }
  }
}
