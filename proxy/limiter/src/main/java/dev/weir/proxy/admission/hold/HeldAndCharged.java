package dev.weir.proxy.admission.hold;

/**
 * The two numbers of a {@link Holder} under one limit: units held, and charged since it began. Held
 * are the units of requests, and those in hand for requests to come.
 */
final class HeldAndCharged {
  /** The largest number of units charged that the store can count; no limit has so many. */
  static final long MOST_CHARGED = (1L << 53) - 1;

  /** Units that requests hold now. */
  private long lent;

  /** Units in hand now, and the fewest since {@link #look}. */
  private long hand;

  private long leastInHand;

  private long charged;

  /** In the last message. */
  private long sentHeld;

  private long sentCharged;

  /** Whether the store has not confirmed the present numbers. */
  private boolean isUnsaid;

  /** Units that each request of the message under way asks for. */
  long reserve;

  /**
   * Units that are charged in all, at least, if the record ends now: what was charged, and what is
   * held then. After a message that was lost nobody knows whether the record says that one or an
   * earlier one; it is the least of them.
   */
  private long assured;

  /**
   * Units to be charged beyond what an ended record was charged, once there is another record that
   * they can be added to.
   */
  private long owed;

  void clear() {
    lent = 0;
    hand = 0;
    leastInHand = 0;
    charged = 0;
    assured = 0;
    reserve = 0;
    owed = 0;
    isUnsaid = false;
  }

  /** Units that requests hold, and units in hand. */
  long held() {
    return lent + hand;
  }

  long inHand() {
    return hand;
  }

  /** The fewest units that were in hand since the last look; another one begins. */
  long look() {
    long least = leastInHand;
    leastInHand = hand;
    return least;
  }

  long charged() {
    return charged;
  }

  /** A message is being written. */
  void sent(boolean isRecorded) {
    if (isRecorded) {
      charge(owed);
      isUnsaid |= owed > 0;
      owed = 0;
    }
    sentHeld = held();
    sentCharged = charged;
  }

  /** Nobody knows whether the message was applied. */
  void lost() {
    assured = Math.min(assured, sentHeld + sentCharged);
  }

  /**
   * The message under way was applied, and so many of its requests were granted, and so many more
   * are in hand.
   */
  void applied(long granted, long kept) {
    isUnsaid = held() != sentHeld || charged != sentCharged;
    lent += granted * reserve;
    hand += kept * reserve;
    assured = sentHeld + (granted + kept) * reserve + sentCharged;
  }

  /** A request takes units from those in hand. */
  void take(long units) {
    hand -= units;
    lent += units;
    leastInHand = Math.min(leastInHand, hand);
  }

  /**
   * Charges what a request cost. What it held beyond is in hand from now on, and what it cost
   * beyond is taken from there, as far as there is any.
   *
   * @param mostInHand units; what is more is released.
   * @return whether any was.
   */
  boolean settle(long reserved, long cost, long mostInHand) {
    long before = held();
    lent -= reserved;
    long rest = Math.max(0, hand + reserved - cost);
    hand = Math.min(rest, mostInHand);
    leastInHand = Math.min(leastInHand, hand);
    charge(cost);
    isUnsaid |= cost > 0 || held() != before;
    return hand < rest;
  }

  /** Releases units in hand. */
  void release(long units) {
    hand -= units;
    leastInHand = Math.min(leastInHand, hand);
    isUnsaid |= units > 0;
  }

  private void charge(long units) {
    charged = Math.min(charged + units, MOST_CHARGED);
  }

  /** Charges a request that was paid by a record that has ended. */
  void settlePaid(long reserved, long cost) {
    owed += Math.max(0, cost - reserved);
  }

  /** Whether the store does not know the present numbers. */
  boolean isUnsaid() {
    return isUnsaid || owed > 0;
  }

  /**
   * The record has ended. What should have been charged by it, and was not, is owed; what was in
   * hand is gone.
   */
  void recordEnded() {
    owed += Math.max(0, lent + charged - assured);
    lent = 0;
    hand = 0;
    leastInHand = 0;
    charged = 0;
    assured = 0;
    isUnsaid = false;
  }
}
