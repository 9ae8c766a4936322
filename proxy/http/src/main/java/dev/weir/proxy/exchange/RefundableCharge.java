package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Admission;

/**
 * The charge of one request, as long as it can be returned: until the service may have received the
 * request, and unless the client itself gave up.
 */
final class RefundableCharge {
  private final Admission admission;
  private int kept = Admission.NOTHING_KEPT;

  /**
   * Whether admission's last charge is still that of this request: no other question has been asked
   * since.
   */
  private boolean isFresh;

  RefundableCharge(Admission admission) {
    this.admission = admission;
  }

  /** The request may pass, by the last verdict. */
  void taken() {
    isFresh = true;
  }

  /** Copies the charge of a request that has to wait, when it waits for the first time. */
  void keep() {
    if (isFresh) {
      isFresh = false;
      kept = admission.keep();
    }
  }

  /** Returns the charge, as the service will not receive the request. */
  void giveBack() {
    if (kept != Admission.NOTHING_KEPT) {
      admission.giveBack(kept);
      kept = Admission.NOTHING_KEPT;
    }
  }

  /** Keeps the charge: it can no longer be returned. */
  void letStand() {
    isFresh = false;
    if (kept != Admission.NOTHING_KEPT) {
      admission.letStand(kept);
      kept = Admission.NOTHING_KEPT;
    }
  }
}
