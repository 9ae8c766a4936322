package dev.weir.proxy.admission.lease;

/**
 * The store's last figures of the budgets of a hand, as one 64-bit word: which limit is about to
 * run out, and what is left of it.
 *
 * <pre>
 * bit     63    62          59                        15              0
 *         | 0 | limit      | remaining                               |
 *         | 1 | limit      | retry at, 65.536 us     | remaining      |    of a refusal
 * </pre>
 *
 * <p>What is left after a refusal is less than a request takes: it is told up to 32,767. The time
 * is rounded up.
 */
public final class HandNote {
  private static final int LIMIT_SHIFT = 59;
  private static final long LIMIT_MASK = 15;
  private static final int RETRY_SHIFT = 15;
  private static final long MOST_LEFT = (1L << RETRY_SHIFT) - 1;
  private static final int TICK_SHIFT = 16;
  private static final long REST_MASK = (1L << LIMIT_SHIFT) - 1;

  private HandNote() {}

  static long of(int limit, long remaining) {
    return (long) limit << LIMIT_SHIFT | remaining;
  }

  /**
   * @param retryAtNs before which there is no unit, unless one is returned; 0 if it is not known.
   */
  static long ofRefusal(int limit, long remaining, long retryAtNs) {
    long ticks = retryAtNs + (1L << TICK_SHIFT) - 1 >>> TICK_SHIFT;
    return Long.MIN_VALUE
        | (long) limit << LIMIT_SHIFT
        | ticks << RETRY_SHIFT
        | Math.min(remaining, MOST_LEFT);
  }

  public static int limit(long note) {
    return (int) (note >>> LIMIT_SHIFT & LIMIT_MASK);
  }

  public static long remaining(long note) {
    return note & (note < 0 ? MOST_LEFT : REST_MASK);
  }

  /** The time before which there is no unit, as far as is known; 0 if it is not. */
  public static long retryAtNs(long note) {
    return note < 0 ? (note & REST_MASK) >>> RETRY_SHIFT << TICK_SHIFT : 0;
  }
}
