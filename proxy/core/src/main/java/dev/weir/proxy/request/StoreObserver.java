package dev.weir.proxy.request;

/** Observes an event loop's questions to the store, on that loop. All methods are optional. */
public interface StoreObserver {
  /**
   * A batch was sent.
   *
   * @param checkCount checks in it.
   * @param requestCount requests that those checks stand for.
   */
  default void storeSent(int checkCount, int requestCount) {}

  /** A batch was decided, so long after it was sent. */
  default void storeAnswered(long storeNs) {}

  /** A batch was decided after the deadline. */
  default void storeAnsweredLate() {}

  /** The server answered a batch with an error. */
  default void storeRefused() {}

  /** A batch was sent again: to a slot's new owner, or with the source of the script. */
  default void storeResent() {}

  /** One request got no decision from the store. */
  default void storeUnavailable(StoreFault fault) {}

  /** A connection to a server was opened, or could not be. */
  default void storeConnected(boolean succeeded) {}

  /**
   * Reports debts: requests that had passed without a decision.
   *
   * @param charged whether the store has been asked to charge them; otherwise they are forgotten,
   *     for want of room.
   */
  default void storeDebts(long requestCount, boolean charged) {}

  /**
   * Reports refunds.
   *
   * @param sent whether they were sent; otherwise the server could not be reached, and the charges
   *     stay.
   */
  default void storeRefunds(long requestCount, boolean sent) {}
}
