package dev.weir.proxy.admission;

import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Identities;
import dev.weir.proxy.rule.Rule;

/** Where verdicts on budgets come from. One per event loop, used by that loop only. */
public interface Gate {
  /**
   * Takes a verdict by one of the two, once per ticket: of the request that is being asked for
   * within {@link #ask}, of all others only while none is.
   */
  interface Outcome {
    /**
     * @param verdict valid during the call; if that is within {@link #ask}, until the next one.
     */
    void settle(long ticket, Verdict verdict);

    /**
     * The request may pass, but not yet.
     *
     * @param verdict it is allowed; valid during the call only.
     * @param dueNs when it may pass, in the time of the loop's clock.
     */
    void hold(long ticket, Verdict verdict, long dueNs);

    /** Whether somebody still waits for the verdict. */
    boolean awaits(long ticket);
  }

  /**
   * Asks what the budgets of a request allow.
   *
   * @param ticket names the request; returned with the verdict, within this call or later.
   * @param rule its action is to limit.
   * @param identities whose budgets, by the keys of the rule; valid during the call only.
   */
  void ask(long ticket, Rule rule, Identities identities, long nowNs, Outcome outcome);

  /**
   * Keeps what was charged for a request that passes.
   *
   * @param ticket of the verdict that was settled last, while it is being told or before the next
   *     request is asked for.
   * @return whether there is anything that could be given back.
   */
  default boolean keep(long ticket, Charge into) {
    return false;
  }

  /** Gives back what was kept, once. */
  default void giveBack(Charge charge, long nowNs) {
    // Where nothing is kept, nothing goes back.
  }
}
