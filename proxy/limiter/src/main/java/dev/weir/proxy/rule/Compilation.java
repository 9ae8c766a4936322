package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.UsersSpec;

/**
 * What rules are compiled with: the time, by the clock of the checks, and a mark of their budgets.
 *
 * @param unixEpochNs 1970-01-01T00:00Z: windows of the clock and the calendar are counted from it.
 * @param storeMark stands behind the rule in names in the store, so that they are not those of the
 *     same rules of other sets; empty for none. Nothing that an id may have.
 * @param users who the users are; null if nothing says it.
 */
record Compilation(long unixEpochNs, long nowNs, String storeMark, UsersSpec users) {
  /** Without a mark. */
  static Compilation at(long unixEpochNs, long nowNs) {
    return new Compilation(unixEpochNs, nowNs, "", null);
  }
}
