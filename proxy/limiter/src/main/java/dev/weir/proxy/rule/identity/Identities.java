package dev.weir.proxy.rule.identity;

import dev.weir.proxy.rule.Rule;

/** The identities whose budgets a request charges, one for each key of its rule. */
public interface Identities {
  /**
   * The identity of one group of budgets; valid until the next request's are read.
   *
   * @param group of budgets in the rule, 0 to {@link Rule#groupCount()} - 1.
   */
  Identity of(int group);
}
