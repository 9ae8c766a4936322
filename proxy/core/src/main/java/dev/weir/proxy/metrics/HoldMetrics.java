package dev.weir.proxy.metrics;

/**
 * Counts what an event loop holds in the store, and says of it there. Every method is called by
 * that loop only and neither allocates, locks nor waits.
 */
public final class HoldMetrics {
  /** Why a message is sent; an index of the values of its counter. */
  public enum Message {
    /** Requests ask for units, or will soon. */
    ASK,
    /** Requests have ended, and none asks. */
    END,
    /** The store is to keep its record. */
    RENEWAL
  }

  private final Counters counters;

  /**
   * @param counters the event loop's row.
   */
  HoldMetrics(Counters counters) {
    this.counters = counters;
  }

  /** A key has a place, as a request is to hold units of it. */
  public void keyBegun() {
    counters.increment(LoopFigures.STORE_HELD_KEYS.word());
  }

  /** A key has left its place. */
  public void keyEnded() {
    counters.increment(LoopFigures.STORE_HELD_KEYS_OPEN.endedWord());
  }

  /** A request could hold no units, as too many keys were in use. */
  public void withoutPlace() {
    counters.increment(LoopFigures.STORE_HOLDS_WITHOUT_PLACE.word());
  }

  /** A message was sent. */
  public void sent(Message message) {
    counters.increment(LoopFigures.STORE_HOLD_MESSAGES.word() + message.ordinal());
  }

  /**
   * Units in hand of requests to come are more, or fewer.
   *
   * @param more than before; below 0 for fewer.
   */
  public void inHand(long more) {
    if (more > 0) {
      counters.add(LoopFigures.STORE_HOLD_UNITS_KEPT.word(), more);
    } else {
      counters.add(LoopFigures.STORE_HOLD_UNITS_IN_HAND.endedWord(), -more);
    }
  }

  /** A request that held units has ended. */
  public void ended() {
    counters.increment(LoopFigures.STORE_HOLDS_ENDED.word());
  }

  /** The store knows of the ends of so many requests, or will never. */
  public void endsTold(int requests) {
    counters.add(LoopFigures.STORE_HOLDS_ENDED_OPEN.endedWord(), requests);
  }

  /** The store had no record any more of what was held. */
  public void forgotten() {
    counters.increment(LoopFigures.STORE_HOLDS_FORGOTTEN.word());
  }
}
