package dev.weir.algorithms.lease;

/**
 * Units that one request took from a hand, so that they can be put back. Written by {@link
 * Hands#take}; owned by one thread and reused.
 */
public final class Taken {
  int hand = Hands.NONE;
  long key;
  final long[] units = new long[HandLayout.LEASES];

  /** The ends of the leases that the units are from, as words have them. */
  final long[] ends = new long[HandLayout.LEASES];

  /** Units that may still be used, and how long those that end last may be. */
  long left;

  long leftNs;

  /** Takes over what another one says. */
  public void set(Taken from) {
    hand = from.hand;
    key = from.key;
    left = from.left;
    leftNs = from.leftNs;
    for (int lease = 0; lease < HandLayout.LEASES; lease++) {
      units[lease] = from.units[lease];
      ends[lease] = from.ends[lease];
    }
  }

  /** Units that are in the hand still, when these were taken. */
  public long left() {
    return left;
  }

  /** Units that were taken. */
  public long units() {
    long sum = 0;
    for (long taken : units) {
      sum += taken;
    }
    return sum;
  }
}
