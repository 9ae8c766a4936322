package dev.weir.proxy.admission;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.spec.RuleSpec;

/**
 * Charges all budgets of one question in this node's tables, or none, whatever their keys and
 * tables. It checks all budgets before it charges any. If another thread takes one of them in
 * between, the earlier charges are returned: for a moment others may find less than there is, and
 * never more.
 *
 * <p>Filled anew for each question. One per event loop.
 */
final class AllOrNone {
  private static final int MAX_ATTEMPTS = 16;

  private final LimitTables tables;
  private final long[] keys = new long[RuleSpec.MAX_BUDGETS];
  private final Limit[] limits = new Limit[RuleSpec.MAX_BUDGETS];
  private final LimitTable[] tablesOf = new LimitTable[RuleSpec.MAX_BUDGETS];
  private final QuotaPolicy[] policies = new QuotaPolicy[RuleSpec.MAX_BUDGETS];
  private final int[] places = new int[RuleSpec.MAX_BUDGETS];
  private final long[] costs = new long[RuleSpec.MAX_BUDGETS];
  private int size;

  /** The index of the budget that the answer is about. */
  private int chosen;

  AllOrNone(LimitTables tables) {
    this.tables = tables;
  }

  void clear() {
    size = 0;
    chosen = 0;
  }

  /**
   * Adds a budget; each has another key.
   *
   * @param place of its figures among the rows of the verdict.
   * @param cost units to take of it.
   */
  void add(long key, Limit limit, QuotaPolicy policy, int place, long cost) {
    keys[size] = key;
    places[size] = place;
    costs[size] = cost;
    limits[size] = limit;
    tablesOf[size] = tables.of(limit);
    policies[size++] = policy;
  }

  /**
   * Charges each budget its cost, or none.
   *
   * @param out about the budget with the smallest share left if allowed, about the one with the
   *     longest wait if not; {@link Decision#moved()} if a budget was carried elsewhere by a
   *     reload, and then none is charged.
   */
  boolean check(long nowNs, Decision out) {
    chosen = 0;
    if (size == 1) {
      return tablesOf[0].check(keys[0], limits[0], costs[0], nowNs, out);
    }
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!wouldPass(nowNs, out)) {
        // The budget that was chosen is not the one that was looked at last, and may have changed.
        tablesOf[chosen].peek(keys[chosen], limits[chosen], costs[chosen], nowNs, out);
        if (!out.allowed()) {
          return false;
        }
      } else if (charge(nowNs, out)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Finds what {@link #check} would decide, and charges nothing.
   *
   * @param out as of a check.
   */
  boolean peek(long nowNs, Decision out) {
    chosen = 0;
    if (size > 1) {
      wouldPass(nowNs, out);
    }
    return tablesOf[chosen].peek(keys[chosen], limits[chosen], costs[chosen], nowNs, out);
  }

  /** Makes each budget full again. */
  void reset(long nowNs) {
    for (int i = 0; i < size; i++) {
      tablesOf[i].reset(keys[i], nowNs);
    }
  }

  /**
   * Writes the figures of each budget.
   *
   * @param passed whether the budgets have been charged.
   */
  void rows(boolean passed, long nowNs, Decision scratch, Verdict to) {
    for (int i = 0; i < size; i++) {
      boolean fits = tablesOf[i].peek(keys[i], limits[i], costs[i], nowNs, scratch);
      long retryAfterNs = passed || fits ? 0 : scratch.retryAfterNs();
      to.row(
          places[i],
          passed || fits,
          policies[i],
          limits[i].capacity(),
          scratch.remaining(),
          Math.max(0, scratch.resetAtNs() - nowNs),
          retryAfterNs == Decision.NEVER ? 0 : retryAfterNs);
    }
  }

  /** Chooses the budget that the answer is about. */
  private boolean wouldPass(long nowNs, Decision out) {
    boolean passes = true;
    long longestNs = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < size; i++) {
      if (!tablesOf[i].peek(keys[i], limits[i], costs[i], nowNs, out)) {
        if (out.moved()) {
          chosen = i;
          return false;
        }
        passes = false;
        if (out.retryAfterNs() > longestNs) {
          longestNs = out.retryAfterNs();
          chosen = i;
        }
      } else if (passes) {
        double share = (double) (out.remaining() - costs[i]) / limits[i].capacity();
        if (share < least) {
          least = share;
          chosen = i;
        }
      }
    }
    return passes;
  }

  private boolean charge(long nowNs, Decision out) {
    int last = chosen;
    for (int i = 0; i < size; i++) {
      // The one that the answer is about comes last, so that its decision stands.
      int at = inOrder(i, last);
      if (!tablesOf[at].check(keys[at], limits[at], costs[at], nowNs, out)) {
        for (int j = 0; j < i; j++) {
          int charged = inOrder(j, last);
          tablesOf[charged].refund(keys[charged], limits[charged], costs[charged], nowNs, nowNs);
        }
        chosen = at;
        return false;
      }
    }
    return true;
  }

  /** Copies the charged budgets. */
  void keep(RefundSlip into, long chargedAtNs) {
    for (int i = 0; i < size; i++) {
      into.add(keys[i], limits[i], costs[i], chargedAtNs);
    }
  }

  private int inOrder(int place, int last) {
    if (place == size - 1) {
      return last;
    }
    return place < last ? place : place + 1;
  }

  /** The quota policy ({@code RateLimit-Policy}) of the budget that the answer is about. */
  QuotaPolicy policy() {
    return policies[chosen];
  }

  /** Units of a full budget, of the limit that the answer is about. */
  long capacity() {
    return limits[chosen].capacity();
  }
}
