package dev.weir.algorithms;

/**
 * The state word of a limit that counts in windows: when the count may be forgotten, and the count.
 *
 * <pre>
 * bit  63 | 62 to 60  | 59 to s+1             | s to 0
 *       0 | grain 1-7 | expiry / 2^s, rounded | count
 *         |           | down: the stamp       |
 * </pre>
 *
 * <p>The grain says what {@code s} is, so that whoever looks for a free slot can read the expiry
 * without knowing the limit. Grain 0 is the word of {@link PacedLimit}: a time below 2^59, and in
 * bit 59 the plan by which it counts ({@link PlannedLimit}); 0 where there are no plans. A limit
 * takes the coarsest grain that is not longer than the distance between its expiries, so each of
 * them has a stamp of its own, and as many bits as can be are left for the count.
 *
 * <p>Of two words of one limit, the one whose window is later is the larger number.
 */
final class StateWord {
  /** The shortest distance between expiries, 2^19 ns: half a millisecond. */
  static final long MIN_SPACING_NS = 1L << 19;

  private static final int GRAIN_SHIFT = 60;

  /** The bit of a time that says by which of a user's two last plans it counts. */
  static final long PLAN_BIT = 1L << 59;

  private static final long BODY_MASK = (1L << GRAIN_SHIFT) - 1;

  /** Shifts by grain, a byte each: 2^s is 0.5 ms, 8 ms, 67 ms, 0.5 s, 34 s, 37 min, 20 h. */
  private static final long SHIFTS = 0x2e_29_23_1d_1a_17_13_00L;

  private static final int MAX_GRAIN = 7;

  private StateWord() {}

  /** The coarsest grain for expiries that are {@code spacingNs} or more apart. */
  static int grain(long spacingNs) {
    assert spacingNs >= MIN_SPACING_NS : spacingNs;
    int grain = MAX_GRAIN;
    while (1L << shift(grain) > spacingNs) {
      grain--;
    }
    return grain;
  }

  /** The {@code s} of a grain from 1 to 7. */
  static int shift(int grain) {
    return (int) (SHIFTS >>> (grain * Byte.SIZE)) & 0x3f;
  }

  /** Bits for the count. */
  static int countBits(int grain) {
    return shift(grain) + 1;
  }

  /** A word with a count of 0. */
  static long empty(int grain, int shift, long expiresAtNs) {
    return ((long) grain << GRAIN_SHIFT) | (expiresAtNs >>> shift << (shift + 1));
  }

  /** Whether a LIVE word is that of a paced limit: a time, nothing else. */
  static boolean isTime(long word) {
    return word >>> GRAIN_SHIFT == 0;
  }

  /** All bits for the count, of a LIVE word that is no time. */
  static long count(long word) {
    return word & ((1L << countBits((int) (word >>> GRAIN_SHIFT))) - 1);
  }

  /** A time not after the expiry and less than 2^s before it. */
  static long expiryFloorNs(long word, int shift) {
    return (word & BODY_MASK) >>> (shift + 1) << shift;
  }

  /** When a LIVE word of any limit may be forgotten; for windows up to 2^s late. */
  static long expiresAtNs(long word) {
    final int grain = (int) (word >>> GRAIN_SHIFT);
    if (grain == 0) {
      return word & ~PLAN_BIT;
    }
    final int shift = shift(grain);
    return expiryFloorNs(word, shift) + (1L << shift);
  }
}
