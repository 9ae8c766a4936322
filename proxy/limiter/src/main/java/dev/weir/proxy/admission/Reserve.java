package dev.weir.proxy.admission;

import dev.weir.proxy.rule.Budget;

/**
 * Learns how much requests hold of one limit until their cost is known: one and a half times the
 * moving mean of what was reported, rounded up to two significant bits, so that requests which come
 * together hold the same. All amounts are in units of the limit. Owned by one event loop; allocates
 * nothing.
 */
final class Reserve {
  /** The answers before which the first reserve stands. */
  static final int FIRST_ANSWERS = 32;

  /** The answers that the mean is taken over; of fewer, it is the mean of all. */
  private static final int MEAN_ANSWERS = 64;

  /** The part of the capacity that a learned reserve never exceeds. */
  private static final int MOST_PART = 4;

  /** The fraction of the mean, in bits. */
  private static final int FRACTION = 10;

  /** The largest cost that is taken into the mean, so that the sums below stay in a long. */
  private static final long MOST_UNITS = 1L << 51;

  private final Budget limit;
  private final long least;
  private long answers;
  private long mean;

  /** The reserve that was learned, before the bounds of a capacity. */
  private long wanted;

  /**
   * @param limit whose reserve is learned.
   * @param before what was learned of the same limit when it had other numbers; null for nothing.
   */
  Reserve(Budget limit, Reserve before) {
    this.limit = limit;
    this.least = limit.spec().limit().unit();
    if (before != null) {
      this.answers = before.answers;
      this.mean = before.mean;
      use();
    }
  }

  /** Units to hold, 1 or more. */
  long units() {
    return units(limit);
  }

  /** Units to hold of the limit as it is under a plan, 1 or more. */
  long units(Budget planned) {
    if (answers < FIRST_ANSWERS) {
      return planned.reserve();
    }
    return Math.max(least, Math.min(wanted, planned.limit().capacity() / MOST_PART));
  }

  /** Takes note of a cost that was reported, 0 or more. */
  void learn(long cost) {
    if (answers < MEAN_ANSWERS) {
      answers++;
    }
    mean += ((Math.min(cost, MOST_UNITS) << FRACTION) - mean) / answers;
    use();
  }

  private void use() {
    if (answers >= FIRST_ANSWERS) {
      wanted = roundedUp((mean + (mean >> 1) + (1L << FRACTION) - 1) >> FRACTION);
    }
  }

  /** The least number of two significant bits, then zeros, that is not below another. */
  static long roundedUp(long number) {
    int zeros = Math.max(0, Long.SIZE - 2 - Long.numberOfLeadingZeros(number));
    return (number + (1L << zeros) - 1) >> zeros << zeros;
  }
}
