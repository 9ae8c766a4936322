package dev.weir.proxy.admission;

import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;

/** Decides on charges. One per event loop, used by that loop only. */
public interface Gate {
  /** Receives the late verdicts, once per ticket, never while a question is being asked. */
  interface Outcome {
    /**
     * @param verdict valid during the call.
     */
    void settle(long ticket, Verdict verdict);

    /** Whether the verdict is still wanted. */
    boolean awaits(long ticket);
  }

  /**
   * Charges budgets, peeks at them, or resets them.
   *
   * @param ticket names the question.
   * @param charges valid during the call only.
   * @param outcome receives the verdict if it comes late, and only then.
   * @return the verdict, valid until the next question; null if it comes late.
   */
  Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome);

  /**
   * Whether charges of several keys are decided in one atomic step, so that no other question sees
   * a charge that will be returned.
   *
   * @param charges valid during the call only; nothing is decided.
   */
  default boolean decidesInOne(Charges charges) {
    return true;
  }

  /**
   * Marks the memory that a decision on a rule's limits will read, for {@link #fetch}.
   *
   * @param of the identities by the rule's groups.
   */
  default void prefetch(Rule rule, Identities of) {
    // It is near, or elsewhere.
  }

  /** Prefetches all marked memory at once. */
  default void fetch() {
    // Nothing was marked.
  }

  /** Sends what was held back for further questions, as none follows. */
  default void sendGathered(long nowNs) {
    // Nothing was gathered.
  }

  /**
   * Copies what was charged for a request that passes, once.
   *
   * @param ticket of the last verdict, while it is being passed on or before the next question.
   * @return whether there is anything that could be returned.
   */
  default boolean keep(long ticket, RefundSlip into) {
    return false;
  }

  /** Returns what was copied, once. */
  default void giveBack(RefundSlip charge, long nowNs) {
    // Where nothing is kept, nothing goes back.
  }

  /**
   * Ends what a request holds: charges each budget its cost, then releases the units, and removes
   * it from the holding.
   *
   * @param from the first budget to settle: those before it stay.
   * @return whole units that no budget could be charged.
   */
  default long settle(Holding holding, int from, long nowNs) {
    return 0;
  }

  /** Other rules are in use from now on; undecided questions keep theirs. */
  default void rulesChanged() {
    // What only lasts as long as a question has none.
  }

  /**
   * Returns what is kept for later requests, as no question will be asked any more.
   *
   * @return whether all of it has been returned; if not, call this again.
   */
  default boolean ending() {
    return true; // most gates hold nothing
  }
}
