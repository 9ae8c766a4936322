package dev.weir.algorithms;

/**
 * A clock whose tick divides a fractional emission interval. Where one unit of a limit takes no
 * whole number of nanoseconds (three per second), the arithmetic runs on ticks of {@code u = T /
 * 2^m} nanoseconds, with {@code m} such that {@code 1 <= u < 2}: a unit is then 2^m ticks, a whole
 * number, and charges add up without rounding.
 *
 * <p>State stays in whole nanoseconds: tick {@code k} is the nanosecond {@code ceil(k * u)}. As
 * {@code u >= 1}, no two ticks share a nanosecond, so the way to nanoseconds and back is exact.
 *
 * <p>{@code u} is held as a fixed-point number with 62 fractional bits, rounded down: the
 * nanosecond of a tick is off its ideal place by at most one, at any time below 2^61 ns (73 years),
 * and errors do not add up. Ticks and times are at least 0 and at most 2^61.
 */
final class Ticks {
  /** Fractional bits of the length of a tick. */
  static final int LENGTH_BITS = 62;

  /** Fractional bits of the reciprocal of that length, {@code floor(2^125 / length)}. */
  static final int RATE_BITS = 63;

  private static final long FRACTION_MASK = (1L << LENGTH_BITS) - 1;

  private Ticks() {}

  /** The nanosecond of a tick: {@code ceil(ticks * length)}. */
  static long toNs(long ticks, long length) {
    final long low = ticks * length;
    final long whole =
        (Math.multiplyHigh(ticks, length) << (Long.SIZE - LENGTH_BITS)) | (low >>> LENGTH_BITS);
    return (low & FRACTION_MASK) == 0 ? whole : whole + 1;
  }

  /** {@code ceil(part * to / from)}, for a {@code part} below {@code from}; all below 2^61. */
  static long rescaled(long part, long to, long from) {
    long quotient = 0;
    long rest = 0;
    for (int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(to); bit >= 0; bit--) {
      quotient <<= 1;
      rest = (rest << 1) + ((to >>> bit & 1) == 0 ? 0 : part);
      while (rest >= from) {
        rest -= from;
        quotient++;
      }
    }
    return rest == 0 ? quotient : quotient + 1;
  }

  /** The first tick that is not before {@code ns}, for {@code ns} of 1 or more. */
  static long ofNs(long ns, long length, long rate) {
    // The estimate is the sought tick or the one before: the reciprocal is rounded down, and its
    // error of less than 2^-63 grows to less than 1/4 over 2^61.
    final long before = ns - 1;
    final long estimate =
        1
            + ((Math.multiplyHigh(before, rate) << (Long.SIZE - RATE_BITS))
                | ((before * rate) >>> RATE_BITS));
    return toNs(estimate, length) < ns ? estimate + 1 : estimate;
  }
}
