package dev.weir.algorithms.lease;

/**
 * A lease as one 64-bit word, so that whoever takes units by CAS has seen the end of their life.
 *
 * <pre>
 * bit     63                        24       0
 *         | end of life, 65.536 us  | units  |
 * </pre>
 *
 * <p>The end is rounded down, and compared modulo 2^40 ticks, 834 days: words that have ended are
 * cleared long before. A word without units still names its lease by the end, so that units which
 * were taken can be put back; {@link #NOTHING} names none, and a {@link #RESERVED} one is one
 * thread's own.
 */
final class LeaseWord {
  static final int UNIT_BITS = 24;
  static final long UNIT_MASK = (1L << UNIT_BITS) - 1;

  /** Nanoseconds of a tick, as a shift. */
  static final int TICK_SHIFT = 16;

  static final long NOTHING = 0;

  /** Ended at any time, as its end is that of no lease. */
  static final long RESERVED = -1;

  private LeaseWord() {}

  /**
   * @param units 0 to {@link LeaseTable#MAX_UNITS}.
   * @param endNs at which no unit may be used any more.
   */
  static long of(long units, long endNs) {
    return endNs >>> TICK_SHIFT << UNIT_BITS | units;
  }

  /** Units left, whether or not their life is over. */
  static long units(long word) {
    return word == RESERVED ? 0 : word & UNIT_MASK;
  }

  /** The part that names the lease. */
  static long end(long word) {
    return word & ~UNIT_MASK;
  }

  /** Whether the life of its units goes on. */
  static boolean isAlive(long word, long nowNs) {
    return word != RESERVED && end(word) - (nowNs >>> TICK_SHIFT << UNIT_BITS) > 0;
  }

  /** Units that may be used now. */
  static long usable(long word, long nowNs) {
    return isAlive(word, nowNs) ? word & UNIT_MASK : 0;
  }

  /** How long its units may be used from a moment on, in nanoseconds; of one that is alive. */
  static long leftNs(long word, long nowNs) {
    return (end(word) - (nowNs >>> TICK_SHIFT << UNIT_BITS)) >> UNIT_BITS << TICK_SHIFT;
  }
}
