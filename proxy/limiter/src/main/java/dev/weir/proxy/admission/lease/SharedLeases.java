package dev.weir.proxy.admission.lease;

import dev.weir.algorithms.lease.LeaseTable;

/**
 * The hands of a process, which all event loops share, each lease with its {@link LeaseReceipt}.
 */
public final class SharedLeases implements AutoCloseable {
  /**
   * Hands: keys with demand at one time. Those that find none are decided by the store one by one.
   */
  private static final int COUNT = 1 << 14;

  private final LeaseTable table;

  /** Receipts by place; made when needed, and then reused. */
  private final LeaseReceipt[] receipts;

  public SharedLeases() {
    this(COUNT);
  }

  /**
   * @param count as {@link LeaseTable#LeaseTable(int)} has it.
   */
  public SharedLeases(int count) {
    table = new LeaseTable(count);
    receipts = new LeaseReceipt[count * LeaseTable.LEASES_PER_HAND];
  }

  public LeaseTable table() {
    return table;
  }

  /** That of a place which this thread has reserved. */
  LeaseReceipt receipt(int hand, int place) {
    int at = hand * LeaseTable.LEASES_PER_HAND + place;
    if (receipts[at] == null) {
      receipts[at] = new LeaseReceipt();
    }
    return receipts[at];
  }

  /** Units that may be used without asking. */
  public long heldUnits() {
    return table.heldUnits();
  }

  /** Keys that have a hand. */
  public int keyCount() {
    return table.keyCount();
  }

  public int handCount() {
    return table.count();
  }

  /** How often a key has found no hand. */
  public long fullCount() {
    return table.fullCount();
  }

  /** Frees the memory. No event loop may be deciding. */
  @Override
  public void close() {
    table.close();
  }
}
