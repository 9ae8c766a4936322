package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Warnings about limits that requests hold units of until they end. */
final class HeldLint {
  /** The shortest window in which units that do not drain are felt. */
  private static final long LONG_WINDOW_NS = TimeUnit.HOURS.toNanos(1);

  private HeldLint() {}

  /**
   * Tells of settings that are allowed, and seldom meant.
   *
   * @param sink takes a field of the rule, and what about it.
   */
  static void check(RuleSpec rule, BiConsumer<String, String> sink) {
    for (int i = 0; i < rule.budgets().size() && rule.holds(); i++) {
      BudgetSpec budget = rule.budgets().get(i);
      if (budget.mode() == Mode.LEASED) {
        sink.accept(
            rule.fieldsOf(i) + "mode",
            "leased is decided as exact, as requests hold units until they end");
      }
      if (budget.cost().isAtEnd()
          && budget.limit().takesBurst()
          && budget.limit().rate().windowNs() >= LONG_WINDOW_NS) {
        sink.accept(
            rule.fieldsOf(i) + "limit",
            "units that requests hold do not come back until they end: over a window of "
                + budget.limit().windowText()
                + " use fixed-window");
      }
    }
  }
}
