package dev.weir.proxy.admission.hold;

/** The two numbers of a {@link Holder} under one limit: units held, and charged since it began. */
final class HeldAndCharged {
  /** The largest number of units charged that the store can count; no limit has so many. */
  static final long MOST_CHARGED = (1L << 53) - 1;

  /** Now. */
  private long held;

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
    held = 0;
    charged = 0;
    assured = 0;
    reserve = 0;
    owed = 0;
    isUnsaid = false;
  }

  long held() {
    return held;
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
    sentHeld = held;
    sentCharged = charged;
  }

  /** Nobody knows whether the message was applied. */
  void lost() {
    assured = Math.min(assured, sentHeld + sentCharged);
  }

  /** The message under way was applied, and so many of its requests were granted. */
  void applied(long granted) {
    isUnsaid = held != sentHeld || charged != sentCharged;
    long more = granted * reserve;
    held += more;
    assured = sentHeld + more + sentCharged;
  }

  void settle(long reserved, long cost) {
    held -= reserved;
    charge(cost);
    isUnsaid = true;
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

  /** The record has ended. What should have been charged by it, and was not, is owed. */
  void recordEnded() {
    owed += Math.max(0, held + charged - assured);
    held = 0;
    charged = 0;
    assured = 0;
    isUnsaid = false;
  }
}
