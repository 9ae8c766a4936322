package dev.weir.algorithms;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Which keys may owe something to a shared budget: for each group of home lines, the time until
 * which a key of it may. A key of another group starts fresh, so one crowded window does not make
 * newcomers everywhere pay for what a few keys have used up.
 *
 * <pre>
 * byte    0            8
 *         | untilNs    |  times {@value #GROUPS}; 0 means never
 * writer  | any        |
 * store   | CAS, grows |
 * load    | acquire    |
 * </pre>
 */
final class OverflowMarks {
  static final int GROUPS = 4096;
  static final int MARKS_BYTES = GROUPS * Long.BYTES;

  private static final int LINE_BITS = Integer.numberOfTrailingZeros(SlotLayout.SLOTS_PER_LINE);

  private final UnsafeBuffer memory;

  /** {@code memory} is zeroed and {@value #MARKS_BYTES} bytes long. */
  OverflowMarks(UnsafeBuffer memory) {
    this.memory = memory;
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

  private static int offset(int homeSlot) {
    return ((homeSlot >>> LINE_BITS) & (GROUPS - 1)) * Long.BYTES;
  }
}
