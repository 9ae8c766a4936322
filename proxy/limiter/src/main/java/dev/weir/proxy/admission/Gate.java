package dev.weir.proxy.admission;

import dev.weir.proxy.request.Verdict;

/** Decides on charges. One per event loop, used by that loop only. */
public interface Gate {
  /** Takes the verdicts that are late, once per ticket, while nothing is being asked. */
  interface Outcome {
    /**
     * @param verdict valid during the call.
     */
    void settle(long ticket, Verdict verdict);

    /** Whether somebody still waits for the verdict. */
    boolean awaits(long ticket);
  }

  /**
   * Asks what budgets allow, or has them given back.
   *
   * @param ticket names the question.
   * @param charges valid during the call only.
   * @param outcome is told a verdict that is not known yet, and only that.
   * @return the verdict, valid until the next question; null if it is told later.
   */
  Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome);

  /**
   * Whether charges of several keys are decided in one step, so that nobody finds taken what will
   * go back.
   *
   * @param charges valid during the call only; nothing is decided.
   */
  default boolean decidesInOne(Charges charges) {
    return true;
  }

  /** Has it fetched by {@link #fetch} what the decision on charges will read. */
  default void expect(Charges charges) {
    // It is near, or elsewhere.
  }

  /** Fetches from memory what was expected, all at once. */
  default void fetch() {
    // Nothing was expected.
  }

  /** Nothing follows any more the questions that others were said to follow. */
  default void sendGathered(long nowNs) {
    // Nothing was gathered.
  }

  /**
   * Adds what was charged for a request that passes to what is kept, once.
   *
   * @param ticket of the verdict that was given last, while it is being told or before the next
   *     question.
   * @return whether there is anything that could be given back.
   */
  default boolean keep(long ticket, RefundSlip into) {
    return false;
  }

  /** Gives back what was kept, once. */
  default void giveBack(RefundSlip charge, long nowNs) {
    // Where nothing is kept, nothing goes back.
  }

  /** Other rules are in use from now on: questions that have not been decided keep theirs. */
  default void rulesChanged() {
    // What only lasts as long as a question has none.
  }

  /**
   * Nothing will be asked any more: what is held for requests to come is given back.
   *
   * @return whether all of it is back; else this is to be called again.
   */
  default boolean ending() {
    return true; // most gates hold nothing
  }
}
