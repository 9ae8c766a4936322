package dev.weir.algorithms.lease;

/**
 * The state that decides when to ask ahead, as one 64-bit word.
 *
 * <pre>
 * bit     63                         24        23        0
 *         | not before, 65.536 us    | at edge | units   |
 * </pre>
 *
 * <p>Units is the size of the last lease, and at edge is set if its life ends where a window does:
 * there is nothing to be asked ahead of that.
 */
final class AheadWord {
  private static final int TIME_SHIFT = LeaseWord.UNIT_BITS;
  private static final long AT_EDGE = 1L << TIME_SHIFT - 1;
  private static final long UNIT_MASK = AT_EDGE - 1;
  private static final long TIME_MASK = -1L << TIME_SHIFT;

  private AheadWord() {}

  /** The word after a lease has come: nothing keeps from asking ahead. */
  static long leased(long units, boolean isAtEdge) {
    return (isAtEdge ? AT_EDGE : 0) | units;
  }

  /** The word after an ask ahead that found nothing. */
  static long paused(long word, long untilNs) {
    return (untilNs >>> LeaseWord.TICK_SHIFT) + 1 << TIME_SHIFT | word & ~TIME_MASK;
  }

  static boolean isPaused(long word, long nowNs) {
    return (word & TIME_MASK) != 0
        && (word & TIME_MASK) - (nowNs >>> LeaseWord.TICK_SHIFT << TIME_SHIFT) > 0;
  }

  static long units(long word) {
    return word & UNIT_MASK;
  }

  static boolean isAtEdge(long word) {
    return (word & AT_EDGE) != 0;
  }
}
