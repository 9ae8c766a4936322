package dev.weir.algorithms.lease;

/**
 * Units that one request took from a hand, so that they can be put back. Written by {@link
 * LeaseTable#take}; owned by one thread and reused.
 */
public final class Taken {
  int hand = LeaseTable.NONE;
  long unitsOfZero;
  long unitsOfOne;

  /** The ends of the leases that the units are from, as words have them. */
  long endOfZero;

  long endOfOne;

  /** Units that may still be used, and how long those that end last may be. */
  long left;

  long leftNs;

  /** The hand that they are from. */
  public int hand() {
    return hand;
  }

  /** Takes over what another one says. */
  public void set(Taken from) {
    hand = from.hand;
    left = from.left;
    leftNs = from.leftNs;
    unitsOfZero = from.unitsOfZero;
    unitsOfOne = from.unitsOfOne;
    endOfZero = from.endOfZero;
    endOfOne = from.endOfOne;
  }

  /** Whether all of them may still be used. */
  public boolean isAlive(long nowNs) {
    return (unitsOfZero == 0 || LeaseWord.isAlive(endOfZero, nowNs))
        && (unitsOfOne == 0 || LeaseWord.isAlive(endOfOne, nowNs));
  }

  /** Units that are in the hand still, when these were taken. */
  public long left() {
    return left;
  }

  /** Units that were taken. */
  public long units() {
    return unitsOfZero + unitsOfOne;
  }
}
