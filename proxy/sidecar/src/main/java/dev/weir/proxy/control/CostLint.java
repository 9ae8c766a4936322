package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.function.BiConsumer;

/** Warnings about costs that are allowed, and seldom meant. */
final class CostLint {
  private CostLint() {}

  /**
   * Tells of costs by length whose requests seldom tell it.
   *
   * @param sink takes a field of the rule, and what about it.
   */
  static void check(RuleSpec rule, BiConsumer<String, String> sink) {
    boolean areCalls = rule.action() == RuleAction.LIMIT && rule.match().path().isGrpc();
    for (int i = 0; i < rule.budgets().size() && areCalls; i++) {
      CostSpec cost = rule.budgets().get(i).cost();
      if (cost.kind() == CostSpec.Kind.REQUEST_BYTES && !cost.isAtEnd()) {
        sink.accept(
            rule.fieldOfCost(i) + "." + CostReader.REQUEST_BYTES,
            "gRPC calls seldom tell their length; those that do not cost the default");
      }
    }
  }
}
