package dev.weir.proxy.admission.lease;

import dev.weir.algorithms.lease.LeaseTable;

/**
 * The lease table of a process, which all event loops share, with the {@link LeaseReceipt} of each
 * lease.
 */
public final class SharedLeases implements AutoCloseable {
  /**
   * Keys that can hold leases at one time. The store decides on requests of other keys one by one.
   */
  private static final int COUNT = 1 << 14;

  private final LeaseTable table;

  /** Receipts by place; made when needed, and reused. */
  private final LeaseReceipt[] receipts;

  public SharedLeases() {
    this(COUNT);
  }

  /**
   * @param count as in {@link LeaseTable#LeaseTable(int)}.
   */
  public SharedLeases(int count) {
    table = new LeaseTable(count);
    receipts = new LeaseReceipt[count * LeaseTable.LEASES_PER_HAND];
  }

  public LeaseTable table() {
    return table;
  }

  /** The receipt of a place that this thread has reserved. */
  LeaseReceipt receipt(int hand, int place) {
    int at = hand * LeaseTable.LEASES_PER_HAND + place;
    if (receipts[at] == null) {
      receipts[at] = new LeaseReceipt();
    }
    return receipts[at];
  }

  /** Frees the memory. No event loop may be deciding. */
  @Override
  public void close() {
    table.close();
  }
}
