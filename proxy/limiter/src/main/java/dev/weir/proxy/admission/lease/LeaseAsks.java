package dev.weir.proxy.admission.lease;

/**
 * The asks of one event loop for units to keep; made when needed. The free one that ended first is
 * used next, so that late answers find theirs.
 */
final class LeaseAsks {
  /** Asks of one event loop that may be under way. */
  static final int MAX_COUNT = 1024;

  private final LeaseKeeper leases;
  private final LeaseAsk[] asks = new LeaseAsk[MAX_COUNT];

  /** A ring of those that are free, in the order in which they ended. */
  private final int[] free = new int[MAX_COUNT];

  private int firstFree;
  private int freeCount = MAX_COUNT;

  LeaseAsks(LeaseKeeper leases) {
    this.leases = leases;
    for (int i = 0; i < MAX_COUNT; i++) {
      free[i] = i;
    }
  }

  boolean hasOne() {
    return freeCount > 0;
  }

  /** A free one; there is one. */
  LeaseAsk take() {
    int index = free[firstFree];
    firstFree = (firstFree + 1) % MAX_COUNT;
    freeCount--;
    if (asks[index] == null) {
      asks[index] = new LeaseAsk(leases, index);
    }
    return asks[index];
  }

  void leave(LeaseAsk ask) {
    free[(firstFree + freeCount++) % MAX_COUNT] = ask.index();
  }
}
