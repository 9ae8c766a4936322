package dev.weir.proxy.control;

import dev.weir.proxy.rule.RuleSet;
import java.util.function.UnaryOperator;

/** The rules by which requests are decided. Any thread. */
public interface RulesInUse {
  /** The rules published last. */
  RuleSet rules();

  /**
   * Publishes the rules that follow on those in use; no other change comes in between.
   *
   * @param change compiles rules to replace those that it is given.
   * @return the rules in use now.
   */
  RuleSet change(UnaryOperator<RuleSet> change);

  /** Replaces the networks of the lists; files that they name are those of the start. */
  void use(ListSettings lists);
}
