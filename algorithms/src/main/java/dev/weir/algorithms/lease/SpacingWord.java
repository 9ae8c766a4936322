package dev.weir.algorithms.lease;

/**
 * When a key that was refused may ask again, as one 64-bit word.
 *
 * <pre>
 * bit     63                    20                      0
 *         | until, 65.536 us    | spacing, 65.536 us    |
 * </pre>
 *
 * <p>Until is 0 where nothing is spaced, and does not wrap before 36 years.
 */
final class SpacingWord {
  private static final int SPACING_BITS = 20;
  private static final long SPACING_MASK = (1L << SPACING_BITS) - 1;
  private static final int TICK_SHIFT = LeaseWord.TICK_SHIFT;

  private SpacingWord() {}

  static boolean isOver(long word, long nowNs) {
    return word >>> SPACING_BITS <= nowNs >>> TICK_SHIFT;
  }

  /** When it is over, in nanoseconds. */
  static long untilNs(long word) {
    return word >>> SPACING_BITS << TICK_SHIFT;
  }

  static long spacingNs(long word) {
    return (word & SPACING_MASK) << TICK_SHIFT;
  }

  /**
   * The word after an ask that got less than it wanted: the spacing is doubled. One that was sent
   * before the last spacing was over tells the same again, and changes nothing.
   *
   * @param nowNs when that is known: the spacing ends {@code mostNs} later at the latest.
   * @param provenNs until when it is proven that nothing is to be had: the spacing counts from
   *     then.
   * @param leastNs the first one.
   * @param mostNs that it never passes.
   */
  static long refused(
      long word, long sentNs, long nowNs, long provenNs, long leastNs, long mostNs) {
    if (!isOver(word, sentNs)) {
      return word;
    }
    long spacing = Math.max(leastNs, 2 * spacingNs(word));
    long most = Math.max(1, Math.min(mostNs >>> TICK_SHIFT, SPACING_MASK));
    long ticks = Math.max(1, Math.min(spacing >>> TICK_SHIFT, most));
    long from = nowNs >>> TICK_SHIFT;
    long until = Math.min(Math.max(from, provenNs >>> TICK_SHIFT) + ticks, from + most);
    return until << SPACING_BITS | ticks;
  }

  /** The word after an ask that got something: the spacing is halved, and over. */
  static long granted(long word) {
    return (word & SPACING_MASK) >>> 1;
  }
}
