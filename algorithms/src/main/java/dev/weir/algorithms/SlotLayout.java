package dev.weir.algorithms;

/**
 * One slot of a {@link LimitTable}, 16 bytes on a 16-byte boundary: four to a cache line, none
 * across two.
 *
 * <pre>
 * byte    0                   8                    16
 *         | key               | state              |
 * writer  | owner of a CLAIM  | any                |
 * store   | opaque, then CAS  | CAS                |
 * load    | acquire, second   | acquire, first     |
 * </pre>
 *
 * <p>The state word says what the slot is, and when it may be forgotten, without knowing the limit:
 *
 * <pre>
 * 0               EMPTY      never used; ends every probe, so a slot is never emptied again
 * positive        LIVE       a limit's word: a time, or a count with its expiry ({@link StateWord})
 * 1000 time       TOMBSTONE  nobody's; to be reused once that time has passed, at once if it is 0
 * 1001 time       MOVED      a tombstone whose key has been moved to another one, and is not fresh
 * 101 claim id    CLAIMED    one thread's own; the key means nothing yet
 * 110 claim id    PENDING    the key is published, its first charge is not; any thread may kill it
 * 111 claim id    HELD       the key stays, its debt is one thread's own for a moment; others wait
 * </pre>
 *
 * Times are below 2^60 and ids unique, so a state that has changed never comes back (see {@link
 * Slots}).
 */
final class SlotLayout {
  static final int KEY_OFFSET = 0;
  static final int STATE_OFFSET = KEY_OFFSET + Long.BYTES;
  static final int SLOT_BYTES = STATE_OFFSET + Long.BYTES;
  static final int SLOTS_PER_LINE = 64 / SLOT_BYTES;

  static final long EMPTY = 0;
  static final long TOMBSTONE = 0b100L << 61;
  static final long CLAIMED = 0b101L << 61;
  static final long PENDING = 0b110L << 61;
  static final long HELD = 0b111L << 61;
  static final long KIND_MASK = 0b111L << 61;
  static final long PAYLOAD_MASK = ~KIND_MASK;
  static final long MOVED = 0b1001L << 60;
  static final long TIME_MASK = (1L << 60) - 1;

  /**
   * How long an expired state is kept, in nanoseconds: 1 s. Callers' clocks may lag behind each
   * other by as much; a caller that still sees a debt finds it.
   */
  static final long GRACE_NS = 1_000_000_000L;

  private SlotLayout() {}

  static boolean isLive(long state) {
    return state > 0;
  }

  static boolean isPending(long state) {
    return (state & KIND_MASK) == PENDING;
  }

  static boolean isHeld(long state) {
    return (state & KIND_MASK) == HELD;
  }

  /** A slot that nobody may take before {@code timeNs} and the grace have passed. */
  static long tombstone(long timeNs) {
    return TOMBSTONE | timeNs;
  }

  static boolean isMoved(long state) {
    return (state & ~TIME_MASK) == MOVED;
  }

  /** A slot whose key has been moved to another; nobody may take it before the grace has passed. */
  static long moved(long timeNs) {
    return MOVED | timeNs;
  }

  /** When a slot that is LIVE, a TOMBSTONE or EMPTY stops to mean anything; 0 for EMPTY. */
  static long expiresAtNs(long state) {
    return isLive(state) ? StateWord.expiresAtNs(state) : state & TIME_MASK;
  }

  /** Whether a new key may take a slot in this state. */
  static boolean isClaimable(long state, long nowNs) {
    if (state < 0 && (state & KIND_MASK) != TOMBSTONE) {
      return false;
    }
    final long expiresAtNs = expiresAtNs(state);
    return expiresAtNs == 0 || expiresAtNs + GRACE_NS < nowNs;
  }
}
