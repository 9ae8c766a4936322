package dev.weir.proxy.rule.identity;

import dev.weir.proxy.rule.Rule;

/** Whose budgets a request charges, by each key of its rule. */
public interface Identities {
  /**
   * The identity by one key; valid until the next request's are read.
   *
   * @param group the place of that key's budgets in the rule, 0 to {@link Rule#groupCount()} - 1.
   */
  Identity of(int group);
}
