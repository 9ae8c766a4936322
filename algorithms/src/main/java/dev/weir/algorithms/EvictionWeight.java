package dev.weir.algorithms;

/**
 * The weight of one request of a slot's key, as units and as a span of time: written when the key
 * gets the slot, so that whoever needs room can tell whether the key owes more than that, without
 * knowing its limit.
 *
 * <pre>
 * bit   31 to 20      | 19 to 14 | 13 to 0
 *       cost in units | the span: mantissa * 2^exponent ns, rounded up by less than 1/8192
 * writer  owner of a CLAIM; any, but 0 only
 * store   volatile
 * load    volatile, after the state
 * </pre>
 *
 * <p>The span is how far one request moves the time of a paced limit; the others count units. 0
 * means that the key never gives way: it came with a debt of before; its request took most of its
 * budget (a budget of one unit is the exception: there is no smaller request); it took more than
 * {@value #MAX_COST} units; they are fractions of a token, which do not compare; or they are held.
 */
final class EvictionWeight {
  static final int BYTES = Integer.BYTES;

  /** The weight of a key that never gives way. */
  static final int NEVER = 0;

  static final int COST_SHIFT = 20;
  static final int MAX_COST = (1 << (Integer.SIZE - COST_SHIFT)) - 1;

  private static final int MANTISSA_BITS = 14;
  private static final int MANTISSA_MASK = (1 << MANTISSA_BITS) - 1;
  private static final int EXPONENT_MASK = (1 << (COST_SHIFT - MANTISSA_BITS)) - 1;

  private EvictionWeight() {}

  /**
   * @param state the word of a key that came with nothing owed and was charged {@code cost} units.
   */
  static int of(Limit limit, long state, long cost, long nowNs) {
    final boolean isMostOfIt = cost > 1 && cost > limit.capacity() - cost;
    if (isMostOfIt || cost > MAX_COST || limit.costScale() != 1 || limit instanceof HeldUnits) {
      return NEVER;
    }
    final long spanNs =
        StateWord.isTime(state) ? Math.max(StateWord.expiresAtNs(state) - nowNs, 0) : 0;
    final int exponent = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(spanNs) - MANTISSA_BITS);
    // Of a full mantissa the rounding up may need one bit more.
    final long mantissa = (spanNs + (1L << exponent) - 1) >>> exponent;
    return mantissa > MANTISSA_MASK
        ? word(cost, exponent + 1, (mantissa + 1) >>> 1)
        : word(cost, exponent, mantissa);
  }

  private static int word(long cost, int exponent, long mantissa) {
    return (int) (cost << COST_SHIFT | (long) exponent << MANTISSA_BITS | mantissa);
  }

  static long spanNs(int weight) {
    return (long) (weight & MANTISSA_MASK) << ((weight >>> MANTISSA_BITS) & EXPONENT_MASK);
  }

  /**
   * Whether a key owes no more than one request of its own, and that no more than {@code cost}.
   *
   * @param state its LIVE word.
   * @param cost units that a newcomer is about to owe.
   */
  static boolean isAtMost(int weight, long cost, long state, long nowNs) {
    final int own = weight >>> COST_SHIFT;
    if (own == 0 || own > cost) {
      return false;
    }
    // A word of counts has no more units than the number that all its bits of count make.
    return StateWord.isTime(state)
        ? StateWord.expiresAtNs(state) - nowNs <= spanNs(weight)
        : StateWord.count(state) <= own;
  }
}
