package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.lease.Taken;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;

/**
 * The charges of one request, as long as they may have to be returned: budgets of this node, and
 * checks of the store. Reused.
 */
public final class RefundSlip {
  private static final int STORE_BYTES_AT_FIRST = 256;

  final long[] keys = new long[RuleSpec.MAX_BUDGETS];
  final Limit[] limits = new Limit[RuleSpec.MAX_BUDGETS];
  final long[] costs = new long[RuleSpec.MAX_BUDGETS];

  /** When each budget was charged, by the loop's clock. */
  final long[] atNs = new long[RuleSpec.MAX_BUDGETS];

  /** Whether each budget is of users, who may have other numbers of it. */
  final boolean[] areOfUsers = new boolean[RuleSpec.MAX_BUDGETS];

  /** Whose budgets they are. */
  final PlannedUser user = new PlannedUser();

  /** The number of this node's budgets. */
  int count;

  /** The keys of all checks, one after the other; null until there are any. */
  StoreKeys storeKeys;

  final int[] firstKeys = new int[RuleSpec.MAX_BUDGETS];
  final ScriptLimit[][] storeLimits = new ScriptLimit[RuleSpec.MAX_BUDGETS][];
  final long[] decidedAtUs = new long[RuleSpec.MAX_BUDGETS];

  /** The only server that each check may be refunded to; 0 for any. */
  final long[] servers = new long[RuleSpec.MAX_BUDGETS];

  /** Costs by key. */
  final long[] storeCosts = new long[RuleSpec.MAX_BUDGETS];

  /** Marks of what was granted, by key. */
  final long[] marks = new long[RuleSpec.MAX_BUDGETS];

  /** The number of the store's checks. */
  int checkCount;

  /** Leased units that were taken; null until there are any. */
  Taken[] taken;

  int takenCount;

  /**
   * The name of what the request holds, of which it gives back what it told from the start; or
   * {@link Verdict#NOTHING_HELD}.
   */
  int holding;

  RefundSlip clear() {
    user.nobody();
    count = 0;
    checkCount = 0;
    takenCount = 0;
    holding = Verdict.NOTHING_HELD;
    if (storeKeys != null) {
      storeKeys.clear();
    }
    return this;
  }

  /** Adds a budget of this node. */
  void add(long key, Limit limit, long cost, long chargedAtNs, boolean isOfUsers) {
    keys[count] = key;
    areOfUsers[count] = isOfUsers;
    limits[count] = limit;
    costs[count] = cost;
    atNs[count++] = chargedAtNs;
  }

  /** Adds leased units that were taken. */
  void add(Taken from) {
    if (taken == null) {
      taken = new Taken[RuleSpec.MAX_BUDGETS];
    }
    if (taken[takenCount] == null) {
      taken[takenCount] = new Taken();
    }
    taken[takenCount++].set(from);
  }

  /** Adds another slip's budgets of this node. */
  void addLocal(RefundSlip from) {
    user.set(from.user);
    for (int i = 0; i < from.count; i++) {
      add(from.keys[i], from.limits[i], from.costs[i], from.atNs[i], from.areOfUsers[i]);
    }
  }

  /**
   * Adds a check of the store.
   *
   * @param from the keys of all checks, as far as they are known.
   * @param first of the check's keys; it has one for each limit.
   */
  void add(LateQuestion late, int check, StoreKeys from, int first) {
    add(late, check, 0, late.limits(check), from, first);
  }

  /** Adds those limits of a check whose units were charged at once, and are not held. */
  void addUnheld(LateQuestion late, int check, StoreKeys from, int first) {
    BudgetGroup group = late.group(check);
    for (int limit = 0; limit < group.size(); limit++) {
      if (!group.budget(limit).holds()) {
        add(late, check, limit, group.budget(limit).storeLimit().alone(), from, first + limit);
      }
    }
  }

  /**
   * @param limit the first one of those of the check.
   * @param of that one, and those that follow.
   * @param first the key of that one.
   */
  private void add(
      LateQuestion late, int check, int limit, ScriptLimit[] of, StoreKeys from, int first) {
    int charge = late.firstCharge(check) + limit;
    if (storeKeys == null) {
      storeKeys = new StoreKeys(RuleSpec.MAX_BUDGETS, STORE_BYTES_AT_FIRST);
    }
    int key = storeKeys.count();
    firstKeys[checkCount] = key;
    storeLimits[checkCount] = of;
    servers[checkCount] = late.server(check);
    decidedAtUs[checkCount++] = late.grantedAtUs(check);
    storeKeys.add(from, first, of.length);
    for (int i = 0; i < of.length; i++) {
      storeCosts[key + i] = late.charges.cost(charge + i);
      marks[key + i] = late.mark(check, limit + i);
    }
  }
}
