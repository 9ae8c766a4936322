package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Admission;

/**
 * The charge of one request, as long as it may go back: while the service may never hear of the
 * request, and that is not the client's doing.
 */
final class RefundableCharge {
  private final Admission admission;
  private int kept = Admission.NOTHING_KEPT;

  /** Whether it can still be kept: nothing has been asked for since its verdict. */
  private boolean isFresh;

  RefundableCharge(Admission admission) {
    this.admission = admission;
  }

  /** The request may pass, by the verdict that was given last. */
  void taken() {
    isFresh = true;
  }

  /** Keeps the charge of a request that has to wait, from its first wait on. */
  void keep() {
    if (isFresh) {
      isFresh = false;
      kept = admission.keep();
    }
  }

  /** The service will not hear of the request. */
  void giveBack() {
    if (kept != Admission.NOTHING_KEPT) {
      admission.giveBack(kept);
      kept = Admission.NOTHING_KEPT;
    }
  }

  /** The charge is spent. */
  void letStand() {
    isFresh = false;
    if (kept != Admission.NOTHING_KEPT) {
      admission.letStand(kept);
      kept = Admission.NOTHING_KEPT;
    }
  }
}
