package dev.weir.proxy.request;

/**
 * Is told what an event loop asked of the store, and what came of it; on that loop. May pass over
 * any of it.
 */
public interface StoreObserver {
  /**
   * A batch was sent.
   *
   * @param checkCount entries: keys that were asked about.
   * @param requestCount requests that those entries stand for.
   */
  default void storeSent(int checkCount, int requestCount) {}

  /** A batch was decided, that long after it was sent. */
  default void storeAnswered(long storeNs) {}

  /** A batch was decided after the time for its decisions was over. */
  default void storeAnsweredLate() {}

  /** The server refused a batch; a part of it may have been executed only if that is said. */
  default void storeRefused() {}

  /** A batch was sent again: to where the slot is now, or with the source of the script. */
  default void storeResent() {}

  /** One request got no decision from the store. */
  default void storeUnavailable(StoreFault fault) {}

  /** A connection to a server was opened, or could not be. */
  default void storeConnected(boolean succeeded) {}

  /**
   * Requests that had passed without a decision.
   *
   * @param charged whether the store has been asked to charge them; else they are forgotten, as
   *     there is no room to remember more.
   */
  default void storeDebts(long requestCount, boolean charged) {}

  /**
   * Charges of requests had to be given back.
   *
   * @param sent whether it was; else the server could not be reached, and the charge stays.
   */
  default void storeRefunds(long requestCount, boolean sent) {}
}
