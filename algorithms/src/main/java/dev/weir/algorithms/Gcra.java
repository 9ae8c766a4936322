package dev.weir.algorithms;

/**
 * The arithmetic of the generic cell rate algorithm, on ticks (see {@link Ticks}): ITU-T I.371,
 * annex A, and ATM Forum Traffic Management 4.1, section 4.4.2 ("virtual scheduling"), with a cost.
 * The theoretical arrival time (TAT) is the moment at which everything charged so far will have
 * been paid for; the debt is its distance from now. A token bucket is the same state read from the
 * other end: tokens = capacity - debt.
 *
 * <p>Nothing here can overflow: times and debts are at most 2^61 ({@link Limit} checks it).
 */
final class Gcra {
  private Gcra() {}

  /** The TAT after a charge; never before {@code tat}, whatever the clock says. */
  static long charged(long tat, long now, long increment) {
    return Math.max(tat, now) + increment;
  }

  /** The debt at {@code now}, 0 or more. */
  static long debt(long tat, long now) {
    return Math.max(tat - now, 0);
  }

  /** Whole units that would pass at once, 0 or more. */
  static long available(long tat, long now, long ceiling, long increment) {
    return Math.max(ceiling - debt(tat, now), 0) / increment;
  }

  /** Units charged and not yet paid for; one that is partly paid for counts whole. */
  static long consumed(long tat, long now, long increment) {
    return (debt(tat, now) + increment - 1) / increment;
  }

  /**
   * The earliest time at which a charge of {@code increment} would pass, for a charge refused now.
   * The increment belongs in it: a formula without the cost promises too early a time.
   */
  static long passesAt(long tat, long increment, long ceiling) {
    return tat + increment - ceiling;
  }
}
