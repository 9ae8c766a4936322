package dev.weir.proxy.admission;

import dev.weir.proxy.request.Admission;
import java.util.Arrays;

/** The refund slips of one event loop, made when needed and reused. */
final class RefundSlipPool {
  private static final int FIRST_COUNT = 64;

  private final int maxCount;
  private RefundSlip[] charges = {};
  private int[] free = {};
  private int madeCount;
  private int freeCount;

  RefundSlipPool(int maxCount) {
    this.maxCount = maxCount;
  }

  /** An empty slip; {@link Admission#NOTHING_KEPT} if the bound is reached. */
  int take() {
    if (freeCount == 0) {
      if (madeCount == maxCount) {
        return Admission.NOTHING_KEPT;
      }
      if (madeCount == charges.length) {
        int count = Math.min(maxCount, Math.max(FIRST_COUNT, 2 * madeCount));
        charges = Arrays.copyOf(charges, count);
        free = Arrays.copyOf(free, count);
      }
      charges[madeCount] = new RefundSlip();
      free[freeCount++] = madeCount++;
    }
    int index = free[--freeCount];
    charges[index].clear();
    return index;
  }

  RefundSlip get(int index) {
    return charges[index];
  }

  /** How many slips are taken. */
  int takenCount() {
    return madeCount - freeCount;
  }

  void leave(int index) {
    free[freeCount++] = index;
  }
}
