package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.store.StoreKeys;
import dev.weir.scripts.ScriptLimit;

/**
 * What one request was charged, kept while it is not yet sure that the service will hear of it:
 * budgets of this node, or checks of the store. Reused.
 */
final class Charge {
  private static final int STORE_BYTES_AT_FIRST = 256;

  final long[] keys = new long[RuleSpec.MAX_BUDGETS];
  final Limit[] limits = new Limit[RuleSpec.MAX_BUDGETS];

  /** Budgets of this node. */
  int count;

  /** When they were charged, on the loop's clock. */
  long atNs;

  /** Of each budget, and of each limit of each check. */
  long cost;

  /** The keys of all checks, one behind the other; null until there are any for the first time. */
  StoreKeys storeKeys;

  final int[] firstKeys = new int[RuleSpec.MAX_BUDGETS];
  final ScriptLimit[][] storeLimits = new ScriptLimit[RuleSpec.MAX_BUDGETS][];
  final long[] decidedAtUs = new long[RuleSpec.MAX_BUDGETS];

  /** Checks of the store. */
  int checkCount;

  Charge clear() {
    count = 0;
    checkCount = 0;
    if (storeKeys != null) {
      storeKeys.clear();
    }
    return this;
  }

  /** Adds a budget of this node. */
  void add(long key, Limit limit) {
    keys[count] = key;
    limits[count++] = limit;
  }

  /**
   * Adds a check of the store.
   *
   * @param first of the keys; it has one for each limit.
   */
  void add(StoreKeys from, int first, ScriptLimit[] of, long atUs) {
    if (storeKeys == null) {
      storeKeys = new StoreKeys(RuleSpec.MAX_BUDGETS, STORE_BYTES_AT_FIRST);
    }
    firstKeys[checkCount] = storeKeys.count();
    storeLimits[checkCount] = of;
    decidedAtUs[checkCount++] = atUs;
    storeKeys.add(from, first, of.length);
  }
}
