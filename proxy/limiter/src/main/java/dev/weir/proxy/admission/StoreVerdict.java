package dev.weir.proxy.admission;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.StoreDecision;

/**
 * The verdict from the store's decisions on the checks of one question: if all are granted, it is
 * about the budget with the smallest share left, else about the one with the longest wait. Reused.
 */
final class StoreVerdict {
  /** The longest retry time where held units stand in the way. */
  private static final long HELD_RETRY_NS = 1_000_000_000;

  /** The figures of one budget in a decision. */
  private static final class Figures {
    private Budget budget;
    private long remaining;
    private long resetAfterNs;
    private long retryAfterNs;

    void note(Budget of, StoreDecision decision, long inHand) {
      budget = of;
      remaining = left(of, decision, inHand);
      resetAfterNs = decision.resetAfterNs();
      retryAfterNs = decision.retryAfterNs();
    }

    boolean isNever() {
      return retryAfterNs == StoreDecision.NEVER;
    }
  }

  private final Figures tightest = new Figures();
  private double share;
  private final Figures refusing = new Figures();

  /** The request's slot in a queue; otherwise at once. */
  private long passesNs;

  /** The figures of every limit; null until they are wanted for the first time. */
  private Verdict rows;

  private boolean wantsRows;

  void begin(boolean areRowsWanted) {
    share = Double.POSITIVE_INFINITY;
    passesNs = Verdict.AT_ONCE;
    wantsRows = areRowsWanted;
    if (wantsRows) {
      rows = rows == null ? new Verdict() : rows.allowUnlimited();
    }
  }

  /** Units that the store has left, and leased units. */
  private static long left(Budget of, StoreDecision decision, long inHand) {
    return Math.min(decision.remaining() + inHand, of.storeLimit().capacity());
  }

  /**
   * @param inHand leased units of that budget.
   */
  void granted(Budget of, StoreDecision decision, long inHand) {
    double left = (double) left(of, decision, inHand) / of.storeLimit().capacity();
    if (left < share) {
      share = left;
      tightest.note(of, decision, inHand);
    }
  }

  /** Records the slot in a queue. */
  void passesAt(long atNs) {
    passesNs = atNs;
  }

  /**
   * @param isFirst whether no other check was refused.
   * @param inHand leased units of that budget, too few.
   */
  void refused(boolean isFirst, Budget of, StoreDecision decision, long inHand) {
    long waitNs = waitNs(decision);
    boolean isLonger =
        waitNs == StoreDecision.NEVER || !refusing.isNever() && waitNs > refusing.retryAfterNs;
    if (isFirst || isLonger) {
      refusing.note(of, decision, inHand);
      refusing.retryAfterNs = waitNs;
    }
  }

  /**
   * How long a refused request waits: where held units stand in the way nobody knows, so it is half
   * a second to a second, spread by the time of the decision.
   */
  private static long waitNs(StoreDecision decision) {
    long knownNs = decision.retryAfterNs();
    return knownNs == 0
        ? HELD_RETRY_NS - decision.decidedAtUs() * 1_000 % (HELD_RETRY_NS / 2)
        : knownNs;
  }

  /** Whether the limit that refused belongs to a group. */
  boolean isAbout(BudgetGroup group) {
    boolean isAbout = false;
    for (int i = 0; i < group.size(); i++) {
      isAbout |= group.budget(i) == refusing.budget;
    }
    return isAbout;
  }

  /**
   * Sets the figures of one limit, as they are after the checks.
   *
   * @param row of the limit in the verdict.
   * @param isCharged whether the request was charged to it.
   * @param inHand leased units of it, or units in hand, which are left to requests like this one.
   * @param cost that a request takes of it.
   */
  void row(int row, Budget of, boolean isCharged, StoreDecision decision, long inHand, long cost) {
    boolean passes = isCharged || decision.allowed() || inHand >= cost;
    boolean never = decision.retryAfterNs() == StoreDecision.NEVER;
    rows.row(
            row,
            passes,
            of.policy(),
            of.storeLimit().capacity(),
            left(of, decision, inHand),
            decision.resetAfterNs(),
            passes || never ? 0 : waitNs(decision))
        .held(Math.max(0, decision.heldUnits() - inHand));
  }

  Verdict allow(Verdict to) {
    long limit = tightest.budget.storeLimit().capacity();
    to.allow(tightest.budget.policy(), limit, tightest.remaining, tightest.resetAfterNs);
    return withRows(to.dueNs(passesNs));
  }

  Verdict refuse(Verdict to) {
    to.refuse(
        refusing.isNever() ? RefusalReason.NEVER_SATISFIABLE : RefusalReason.OVER_LIMIT,
        refusing.budget.policy(),
        refusing.budget.storeLimit().capacity(),
        refusing.remaining,
        refusing.resetAfterNs,
        refusing.isNever() ? 0 : refusing.retryAfterNs);
    return withRows(to);
  }

  private Verdict withRows(Verdict to) {
    if (wantsRows) {
      to.addRows(rows);
    }
    return to;
  }
}
