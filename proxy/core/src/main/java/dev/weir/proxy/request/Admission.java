package dev.weir.proxy.request;

/**
 * Decides whether a request may pass. One per event loop, used by that loop only, by however many
 * callers it has.
 */
public interface Admission {
  /** The ticket of a verdict that is known at once. */
  long SETTLED = -1;

  /** The result of {@link #keep} when nothing can be given back. */
  int NOTHING_KEPT = -1;

  /** The result of {@link #dueNs} for a request that is not held. */
  long NOT_HELD = -1;

  /**
   * Has questions looked at that will be asked in this turn: what is far away in memory is fetched
   * for all of them at once. Nothing is decided yet.
   *
   * @param questions of which those that are null are passed over; each stays valid until it is
   *     asked, which must be before the next call of this.
   */
  default void expect(Question[] questions, int count) {
    // To be asked is enough.
  }

  /** Nothing follows any more what was said to be {@link Question#timedTogether}. */
  default void endTogether() {
    // Nothing was timed.
  }

  /** Nothing follows any more what was said to be {@link Question#followed}. */
  default void sendGathered(long nowNs) {
    // Nothing was gathered.
  }

  /**
   * Asks for a verdict. One that is known at once is returned; only one that comes later is told to
   * {@code asker}, and nobody is told anything within this call. If it throws, the question is
   * forgotten.
   *
   * @param question valid until this call returns.
   * @param nowNs when the request arrived.
   * @return the verdict or the ticket of one; valid until the next question.
   */
  Asked ask(Question question, VerdictListener asker, long nowNs);

  /** When a request may pass that is held until then, in the loop's time; or {@link #NOT_HELD}. */
  long dueNs(long ticket);

  /**
   * Keeps what was charged for a request that may pass but has to wait for the service: within the
   * call that tells its verdict, or before anything else is asked for. What is kept is ended by
   * {@link #giveBack} or {@link #letStand}, once.
   *
   * @return what to name it by, or {@link #NOTHING_KEPT}.
   */
  int keep();

  /** The service will not hear of the request: what it was charged goes back. */
  void giveBack(int kept);

  /** The charge of the request stands. */
  void letStand(int kept);

  /**
   * A request has ended: told once per request of traffic, whatever became of it. One that ends
   * while its verdict is awaited is told no verdict any more, and what it was or will be charged
   * stays charged: to leave is no way around a limit.
   *
   * @param ticket of a verdict that is awaited; {@link #SETTLED} if it was known at once or has
   *     been told.
   * @param end valid during the call only.
   */
  void ended(long ticket, RequestEnd end);
}
