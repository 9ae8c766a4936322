package dev.weir.proxy.admission;

import dev.weir.proxy.admission.hold.StoreHold;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.RuleSpec;

/**
 * What one request holds, from its verdict to its end: units of each budget that holds, and then
 * what each of them is charged. Reused.
 */
final class Holding {
  /** The store's limits may be there twice: this node's shares of them stand in for the store. */
  static final int MAX_COUNT = 2 * RuleSpec.MAX_BUDGETS;

  private final Budget[] budgets = new Budget[MAX_COUNT];
  private final long[] identities = new long[MAX_COUNT];
  private final long[] units = new long[MAX_COUNT];
  private final int[] reportedBy = new int[MAX_COUNT];
  private final long[] costs = new long[MAX_COUNT];

  /** The store's holds by budget; null for budgets whose units are held here. */
  private final StoreHold[] inStore = new StoreHold[MAX_COUNT];

  /** The place of each budget among the limits of its key in the store. */
  private final int[] limits = new int[MAX_COUNT];

  /** Whether a budget stands in for one of the store, which is in this holding, too. */
  private final boolean[] isShare = new boolean[MAX_COUNT];

  /** Whose budgets they are. */
  private final PlannedUser user = new PlannedUser();

  private int count;
  private int missingCount;

  /** The end of the request; null until it was told, and valid during that call. */
  private RequestEnd ended;

  Holding clear() {
    user.nobody();
    count = 0;
    missingCount = 0;
    ended = null;
    return this;
  }

  /**
   * Adds units of a budget.
   *
   * @param identity the hash of the budget's identity, as its keys in the limit table have it.
   * @param reportedCost the place of the cost that is charged at the end: {@link
   *     Rule#reportedCost}.
   */
  void add(Budget budget, long identity, long held, int reportedCost) {
    budgets[count] = budget;
    identities[count] = identity;
    units[count] = held;
    reportedBy[count] = reportedCost;
    inStore[count] = null;
    isShare[count] = false;
    costs[count++] = 0;
  }

  /**
   * Adds units of a budget that are held in the store; those of one key one after the other.
   *
   * @param limit the place of the budget among the limits of its key.
   * @param cost units that are charged unless another cost is reported.
   */
  void add(StoreHold hold, int limit, long cost, int reportedCost) {
    Budget budget = hold.group().budget(limit);
    for (int i = 0; i < count; i++) {
      isShare[i] |= inStore[i] == null && budgets[i].heldSeed() == budget.heldSeed();
    }
    add(budget, 0, hold.cost(limit), reportedCost);
    inStore[count - 1] = hold;
    limits[count - 1] = limit;
    costs[count - 1] = cost;
  }

  /** The user whose plan says how much the budgets of users have. */
  PlannedUser user() {
    return user;
  }

  /** The store's hold of the last budget's units; null if they are held here. */
  StoreHold lastInStore() {
    return count == 0 ? null : inStore[count - 1];
  }

  /** The place of the last budget among the limits of its key in the store. */
  int lastLimit() {
    return limits[count - 1];
  }

  int count() {
    return count;
  }

  Budget budget(int index) {
    return budgets[index];
  }

  long identity(int index) {
    return identities[index];
  }

  /** Units that are held, 1 or more. */
  long units(int index) {
    return units[index];
  }

  /** Units to charge, 0 or more: nothing before {@link #end}. */
  long cost(int index) {
    return costs[index];
  }

  /**
   * Whether a budget is this node's share of one that the store was asked about in vain: both are
   * charged what the request cost, but an answer counts once.
   */
  boolean isShare(int index) {
    return isShare[index];
  }

  /** Whether it has costs that the request told from the start. */
  boolean hasKnownCosts() {
    boolean isAny = false;
    for (int i = 0; i < count; i++) {
      isAny |= isKnown(i);
    }
    return isAny;
  }

  private boolean isKnown(int index) {
    return reportedBy[index] == Rule.NOT_REPORTED && costs[index] > 0;
  }

  /** Charges nothing of the costs that the request told from the start. */
  void giveBackKnownCosts() {
    for (int i = 0; i < count; i++) {
      costs[i] = isKnown(i) ? 0 : costs[i];
    }
  }

  /** The end that {@link #end} was told; null before. */
  RequestEnd ended() {
    return ended;
  }

  /** Whether the service has told that it dropped the request; false if nobody asked that. */
  boolean isDropped(int index) {
    return reportedBy[index] != Rule.NOT_REPORTED && ended.costReported(reportedBy[index]) == 1;
  }

  /** Forgets the last budget, which has been settled. */
  void removeLast() {
    budgets[--count] = null;
    inStore[count] = null;
  }

  /** Costs that {@link #end} has not found, although the service had the request. */
  int missingCount() {
    return missingCount;
  }

  /**
   * Finds what each budget is charged. A request that the service did not get costs nothing. One
   * that the client has broken off, by leaving or by what it sent, is charged what it held, as long
   * as nothing else was reported, because to break off must be no discount. Else what is missing is
   * charged as the rule says; of a client whose time was over, at least what it held.
   *
   * @param learning takes note of what whole exchanges have cost.
   */
  void end(RequestEnd end, Reserves learning) {
    boolean isForwarded = end.forwardedNs() != RequestEnd.NEVER;
    ended = end;
    for (int i = 0; isForwarded && i < count; i++) {
      if (reportedBy[i] != Rule.NOT_REPORTED && !budgets[i].isConcurrency()) {
        costs[i] = cost(i, end, learning);
      }
    }
  }

  private long cost(int index, RequestEnd end, Reserves learning) {
    long reported = end.costReported(reportedBy[index]);
    if (reported != RequestEnd.NOT_REPORTED) {
      long cost = wholeUnits(index, reported);
      if (end.how() == RequestEnd.How.COMPLETE && !isShare[index]) {
        learning.learn(budgets[index], cost);
      }
      return cost;
    }
    if (end.how() == RequestEnd.How.CLIENT_GONE || end.how() == RequestEnd.How.REFUSED_HERE) {
      return units[index];
    }
    missingCount += isShare[index] ? 0 : 1;
    long missing = budgets[index].spec().cost().atEnd().missing();
    if (missing == CostAtEnd.RESERVE) {
      return units[index];
    }
    return Math.max(wholeUnits(index, missing), end.isClientLate() ? units[index] : 0);
  }

  private long wholeUnits(int index, long whole) {
    return budgets[index].units(Math.min(whole, Question.MAX_COST));
  }
}
