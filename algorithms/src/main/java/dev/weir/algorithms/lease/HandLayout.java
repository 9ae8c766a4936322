package dev.weir.algorithms.lease;

/**
 * One hand of {@link LeaseTable}, 64 bytes on a 64-byte boundary: a cache line. The keys lie apart,
 * eight to a line, so that to find a hand touches one line, and to use it another.
 *
 * <pre>
 * byte    0          16        24       32       40        48          56        64
 *         | lease x2 | demand  | asked  | ahead  | spacing | remaining | resetAt |
 * writer  | any      | any,last| any    | any    | any     | any, last | any, last
 * store   | CAS      | release | CAS    | CAS    | CAS     | release   | release
 * load    | volatile | acquire | acquire| acquire| acquire | acquire   | acquire
 * </pre>
 *
 * <p>A lease is a {@link LeaseWord}: units, and the end of their life. Demand is a {@link
 * DemandWord}, of which an arrival that meets another thread's may be lost. Asked is the time at
 * which an ask for units to keep is forgotten; 0 if none is under way. Ahead is an {@link
 * AheadWord}: how large the last lease was, and until when nothing is asked ahead. Spacing is a
 * {@link SpacingWord}. Remaining and resetAt are what the store said last; each stands for itself,
 * so the last writer wins.
 *
 * <p>A key is 0 while a hand is free, {@link #CLAIMED} while one thread makes it another's.
 */
final class HandLayout {
  static final int LEASES = 2;

  static final int LEASE_OFFSET = 0;
  static final int DEMAND_OFFSET = LEASE_OFFSET + LEASES * Long.BYTES;
  static final int ASKED_OFFSET = DEMAND_OFFSET + Long.BYTES;
  static final int AHEAD_OFFSET = ASKED_OFFSET + Long.BYTES;
  static final int SPACING_OFFSET = AHEAD_OFFSET + Long.BYTES;
  static final int REMAINING_OFFSET = SPACING_OFFSET + Long.BYTES;
  static final int RESET_AT_OFFSET = REMAINING_OFFSET + Long.BYTES;
  static final int HAND_BYTES = RESET_AT_OFFSET + Long.BYTES;

  static final int KEY_BYTES = Long.BYTES;

  /** Hands among which a key finds its own: those whose keys share a cache line. */
  static final int WAYS = 64 / KEY_BYTES;

  static final long FREE = 0;
  static final long CLAIMED = 1;

  /**
   * How long nobody must have asked for a key before another takes its hand, in nanoseconds: 1 s.
   * Threads that found the hand under the old key are done with it by then.
   */
  static final long GRACE_NS = 1_000_000_000L;

  private HandLayout() {}
}
