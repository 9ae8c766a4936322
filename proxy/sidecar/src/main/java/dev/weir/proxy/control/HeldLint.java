package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.map.StoreSettings;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Warnings about limits that requests hold units of until they end. */
final class HeldLint {
  /** The shortest window in which units that do not drain are felt. */
  private static final long LONG_WINDOW_NS = TimeUnit.HOURS.toNanos(1);

  /** The longest deadline of the store that is no burden to requests which wait for a slot. */
  private static final long LONGEST_DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private HeldLint() {}

  /** Whether requests of a rule ask the store for a slot. */
  private static boolean hasSlotsInStore(RuleSpec rule) {
    return rule.budgets().stream()
        .anyMatch(budget -> budget.limit().isConcurrency() && budget.mode().needsStore());
  }

  /**
   * Tells of a deadline that lets requests pile up which ask the store for a slot.
   *
   * @param everywhere the limits of all requests; null if there are none.
   * @param sink takes a field of the process's settings, and what about it.
   */
  static void checkDeadline(
      List<RuleSpec> rules,
      RuleSpec everywhere,
      StoreSettings store,
      BiConsumer<String, String> sink) {
    boolean asksForSlots =
        rules.stream().anyMatch(HeldLint::hasSlotsInStore)
            || everywhere != null && hasSlotsInStore(everywhere);
    if (asksForSlots && store.deadlineNs() > LONGEST_DEADLINE_NS) {
      sink.accept(
          "redis.deadline",
          "while the store is slow, requests wait so long for a slot of concurrency, and pile up:"
              + " 50ms is enough");
    }
  }

  /**
   * Tells of settings that are allowed, and seldom meant.
   *
   * @param sink takes a field of the rule, and what about it.
   */
  static void check(RuleSpec rule, BiConsumer<String, String> sink) {
    for (int i = 0; i < rule.budgets().size() && rule.holds(); i++) {
      BudgetSpec budget = rule.budgets().get(i);
      if (budget.mode() == Mode.LEASED && rule.isLeasedAsExact()) {
        sink.accept(
            rule.fieldsOf(i) + "mode",
            "leased is decided as exact, as requests hold units until they end: these are leased if"
                + " all limits of the rule but local ones hold units, have one key, and are leased");
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
