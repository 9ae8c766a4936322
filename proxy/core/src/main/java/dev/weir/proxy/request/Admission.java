package dev.weir.proxy.request;

/** Decides whether a request may pass. One per event loop, used by that loop only. */
public interface Admission {
  /** The ticket of a verdict that is known at once. */
  long SETTLED = -1;

  /** The result of {@link #keep} when nothing can be given back. */
  int NOTHING_KEPT = -1;

  /** The result of {@link #dueNs} for a request that is not held. */
  long NOT_HELD = -1;

  /**
   * Prefetches memory for questions that will be asked in this turn, for all of them at once.
   * Nothing is decided yet.
   *
   * @param questions each valid until it is asked, which must be before the next call of this; null
   *     ones are skipped.
   */
  default void prefetch(Question[] questions, int count) {
    // To be asked is enough.
  }

  /** Ends the questions that were said to be {@link Question#timedTogether}. */
  default void endTogether() {
    // Nothing was timed.
  }

  /** Sends what was held back for questions that were said to be {@link Question#followed}. */
  default void sendGathered(long nowNs) {
    // Nothing was gathered.
  }

  /**
   * Asks for a verdict. A verdict that is known at once is returned; only a later one is passed to
   * {@code asker}, and no callback is made within this call. If it throws, the question is
   * forgotten.
   *
   * @param question valid until this call returns.
   * @param nowNs when the request arrived.
   * @return the verdict or its ticket; valid until the next question.
   */
  Asked ask(Question question, VerdictListener asker, long nowNs);

  /** When a request that is held in a queue may pass, in the loop's time; or {@link #NOT_HELD}. */
  long dueNs(long ticket);

  /**
   * Keeps the charge of a request that may pass but has to wait for the service; called within the
   * callback with its verdict, or before the next question. It must be ended once, by {@link
   * #giveBack} or {@link #letStand}.
   *
   * @return the name of the kept charge, or {@link #NOTHING_KEPT}.
   */
  int keep();

  /** Returns a kept charge, as the service will not receive the request. */
  void giveBack(int kept);

  /** Lets a kept charge stand. */
  void letStand(int kept);

  /**
   * Reports the end of a request of traffic, exactly once. A request that ends while its verdict is
   * awaited gets no callback, and its charge stays, as leaving must not be a way around a limit.
   * What the request {@linkplain RequestEnd#holding held} is settled.
   *
   * @param ticket of an awaited verdict; {@link #SETTLED} if the verdict is known.
   * @param end valid during the call only.
   */
  void ended(long ticket, RequestEnd end);
}
