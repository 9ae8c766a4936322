package dev.weir.proxy.request;

/** Is told what an event loop asked of the store, and what came of it; on that loop. */
public interface StoreObserver {
  /**
   * A batch was sent.
   *
   * @param checkCount entries: keys that were asked about.
   * @param requestCount requests that those entries stand for.
   */
  void storeSent(int checkCount, int requestCount);

  /** A batch was decided, that long after it was sent. */
  void storeAnswered(long storeNs);

  /** A batch was decided after the time for its decisions was over. */
  void storeAnsweredLate();

  /** The server refused a batch; a part of it may have been executed only if that is said. */
  void storeRefused();

  /** A batch was sent again: to where the slot is now, or with the source of the script. */
  void storeResent();

  /** One request got no decision from the store. */
  void storeUnavailable(StoreFault fault);

  /** A connection to a server was opened, or could not be. */
  void storeConnected(boolean succeeded);

  /**
   * Requests that had passed without a decision.
   *
   * @param charged whether the store has been asked to charge them; else they are forgotten, as
   *     there is no room to remember more.
   */
  void storeDebts(long requestCount, boolean charged);

  /**
   * What one request was charged had to be given back.
   *
   * @param sent whether it was; else the server could not be reached, and the charge stays.
   */
  void storeRefund(boolean sent);
}
