package dev.weir.algorithms;

/**
 * Divides by a number known beforehand, with a multiplication: a division takes longer than the
 * rest of a check.
 */
final class Divisor {
  /** The most that can be divided. */
  static final long MAX_DIVIDEND = 1L << 60;

  private static final int FRACTION_BITS = 62;

  private final long divisor;
  private final long reciprocal;
  private final int shift;

  /** {@code divisor} is from 4 to {@link #MAX_DIVIDEND}. */
  Divisor(long divisor) {
    this.divisor = divisor;
    final int log2 = Long.SIZE - 1 - Long.numberOfLeadingZeros(divisor);
    shift = log2 - (Long.SIZE - FRACTION_BITS);
    // floor(2^(62 + log2) / divisor), from 2^61 to 2^62.
    final long half = Long.divideUnsigned(1L << (Long.SIZE - 1), divisor);
    long quotient = half;
    long rest = (1L << (Long.SIZE - 1)) - half * divisor;
    for (int bit = Long.SIZE - 1; bit < FRACTION_BITS + log2; bit++) {
      rest <<= 1;
      quotient <<= 1;
      if (rest >= divisor) {
        rest -= divisor;
        quotient++;
      }
    }
    reciprocal = quotient;
  }

  long divisor() {
    return divisor;
  }

  /** {@code floor(dividend / divisor)}, for a dividend from 0 to {@link #MAX_DIVIDEND}. */
  long quotient(long dividend) {
    // The reciprocal is rounded down, by less than one: at most one is missing at the end.
    final long estimate = Math.multiplyHigh(dividend, reciprocal) >>> shift;
    return dividend - estimate * divisor >= divisor ? estimate + 1 : estimate;
  }

  /** The largest multiple of the divisor that is not above {@code dividend}. */
  long floor(long dividend) {
    return quotient(dividend) * divisor;
  }
}
