package dev.weir.proxy.control;

import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.RuleSpec;
import java.util.List;

/**
 * Rules that were checked and can be compiled.
 *
 * @param ignoreCase whether paths match whatever the case of their letters.
 */
public record RuleSource(List<RuleSpec> rules, boolean ignoreCase) {
  public RuleSource {
    rules = List.copyOf(rules);
  }

  /**
   * Compiles the rules; limits that did not change go on.
   *
   * @param previous the set in use; {@link RuleSet#EMPTY} at the start.
   */
  public RuleSet compile(RuleSet previous) {
    return RuleSet.compile(rules, ignoreCase, previous);
  }
}
