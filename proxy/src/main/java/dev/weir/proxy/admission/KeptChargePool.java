package dev.weir.proxy.admission;

import dev.weir.proxy.request.Admission;

/** The charges of one event loop that are kept; made when needed, and reused. */
final class KeptChargePool {
  private final KeptCharge[] charges;
  private final int[] free;
  private int madeCount;
  private int freeCount;

  KeptChargePool(int maxCount) {
    charges = new KeptCharge[maxCount];
    free = new int[maxCount];
  }

  /** An empty one; {@link Admission#NOTHING_KEPT} if there are as many as may be. */
  int take() {
    if (freeCount == 0) {
      if (madeCount == charges.length) {
        return Admission.NOTHING_KEPT;
      }
      charges[madeCount] = new KeptCharge();
      free[freeCount++] = madeCount++;
    }
    int index = free[--freeCount];
    charges[index].clear();
    return index;
  }

  KeptCharge get(int index) {
    return charges[index];
  }

  void leave(int index) {
    free[freeCount++] = index;
  }
}
