package dev.weir.algorithms;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Marks of the keys that may owe something to a shared budget: for each group of home lines, the
 * time until which a key of it may. A key of another group starts fresh, so one crowded window does
 * not make newcomers everywhere pay for what a few keys have used up.
 *
 * <pre>
 * byte    0            8
 *         | untilNs    |  times the groups; 0 means never
 * writer  | any        |
 * store   | CAS, grows |
 * load    | acquire    |
 * </pre>
 */
final class OverflowMarks {
  /** Lines of the largest table in which each has a mark of its own. */
  private static final int MAX_SINGLE_LINES = 4096;

  /** Lines to a mark in larger ones: 1 byte of marks for 128 of slots. */
  private static final int LINES_PER_MARK = 16;

  private static final int LINE_BITS = Integer.numberOfTrailingZeros(SlotLayout.SLOTS_PER_LINE);

  private final UnsafeBuffer memory;
  private final int groupMask;

  /** {@code memory} is zeroed and {@link #bytes} long. */
  OverflowMarks(UnsafeBuffer memory) {
    this.memory = memory;
    groupMask = memory.capacity() / Long.BYTES - 1;
  }

  /** The memory for the marks of a table. */
  static int bytes(int slotCount) {
    final int lines = slotCount >>> LINE_BITS;
    return Math.max(Math.min(lines, MAX_SINGLE_LINES), lines / LINES_PER_MARK) * Long.BYTES;
  }

  boolean isMarked(int homeSlot, long nowNs) {
    return memory.getLongAcquire(offset(homeSlot)) > nowNs;
  }

  /** Called before the shared budget is charged, so that who sees the charge sees the mark. */
  void mark(int homeSlot, long untilNs) {
    final int offset = offset(homeSlot);
    long marked = memory.getLongAcquire(offset);
    while (marked < untilNs) {
      // Ends: every failure means that the mark has grown.
      final long seen = memory.compareAndExchangeLong(offset, marked, untilNs);
      if (seen == marked) {
        return;
      }
      marked = seen;
    }
  }

  private int offset(int homeSlot) {
    return ((homeSlot >>> LINE_BITS) & groupMask) * Long.BYTES;
  }
}
