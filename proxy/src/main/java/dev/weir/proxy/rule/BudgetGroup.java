package dev.weir.proxy.rule;

import dev.weir.scripts.ScriptLimit;
import java.util.List;

/**
 * The budgets of a rule that have one key, and so one identity, and on which the same gate decides.
 * Immutable; any thread.
 */
public final class BudgetGroup {
  private final KeySpec key;
  private final Mode mode;
  private final OnStoreFailure onStoreFailure;
  private final Budget[] budgets;
  private final byte[] dimension;
  private final ScriptLimit[] storeLimits;

  /**
   * @param budgets 1 or more, all of one key, mode and policy.
   * @param previous the groups of the set before.
   */
  BudgetGroup(List<Budget> budgets, BudgetGroup[] previous) {
    BudgetSpec first = budgets.get(0).spec();
    this.key = first.key();
    this.mode = first.mode();
    this.onStoreFailure = first.onStoreFailureOrDefault();
    this.budgets = budgets.toArray(Budget[]::new);
    this.dimension = key.dimension();
    this.storeLimits = storeLimits(budgets, previous);
  }

  private static ScriptLimit[] storeLimits(List<Budget> budgets, BudgetGroup[] previous) {
    if (budgets.get(0).storeLimit() == null) {
      return null;
    }
    ScriptLimit[] limits = budgets.stream().map(Budget::storeLimit).toArray(ScriptLimit[]::new);
    for (BudgetGroup before : previous) {
      if (isSame(limits, before.storeLimits)) {
        return before.storeLimits;
      }
    }
    return limits;
  }

  static boolean isSame(ScriptLimit[] limits, ScriptLimit[] before) {
    boolean isSame = before != null && before.length == limits.length;
    for (int i = 0; isSame && i < limits.length; i++) {
      isSame = before[i] == limits[i];
    }
    return isSame;
  }

  public KeySpec key() {
    return key;
  }

  /** Who decides on these budgets. */
  public Mode mode() {
    return mode;
  }

  /** What happens while the store gives no decision on them. */
  public OnStoreFailure onStoreFailure() {
    return onStoreFailure;
  }

  public int size() {
    return budgets.length;
  }

  /** One of the budgets, in the order of the file. */
  public Budget budget(int index) {
    return budgets[index];
  }

  /** What kind of identity is counted, as names in the store have it; not to be changed. */
  public byte[] dimension() {
    return dimension;
  }

  /**
   * What the store charges, by budget; null unless it decides. The same array as long as all of
   * these limits stay, so that checks of the same budgets are told by it; not to be changed.
   */
  public ScriptLimit[] storeLimits() {
    return storeLimits;
  }
}
