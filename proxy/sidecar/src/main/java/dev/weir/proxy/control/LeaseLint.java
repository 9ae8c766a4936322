package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.Locale;
import java.util.function.BiConsumer;

/** Warnings about rules of mode leased: settings that are allowed, and seldom meant. */
final class LeaseLint {
  /**
   * The fewest requests of which any are kept: a sidecar keeps a quarter of the free ones, in whole
   * requests.
   */
  private static final int LEAST_REQUESTS = 4;

  /** The largest part of a limit's window that a life may be without a word. */
  private static final double MOST_HELD_BACK = 0.1;

  private LeaseLint() {}

  /**
   * Tells of a rule's limits that leasing does nothing for, or holds back much of.
   *
   * @param sink takes a field of the rule, and what about it.
   */
  static void check(RuleSpec rule, BiConsumer<String, String> sink) {
    for (int i = 0; i < rule.budgets().size() && rule.action() == RuleAction.LIMIT; i++) {
      BudgetSpec budget = rule.budgets().get(i);
      if (budget.mode() == Mode.LEASED && !rule.holds()) {
        check(rule, budget, rule.fieldsOf(i), sink);
      }
    }
  }

  private static void check(
      RuleSpec rule, BudgetSpec budget, String at, BiConsumer<String, String> sink) {
    if (rule.budgets().stream().anyMatch(other -> other.mode() == Mode.EXACT)) {
      sink.accept(
          at + "mode",
          "leased beside a limit of mode exact is decided as exact: the store is asked for each"
              + " request anyway");
      return;
    }
    double perLife = budget.requestsPerLife();
    if (perLife < LEAST_REQUESTS) {
      sink.accept(
          at + "mode",
          String.format(
              Locale.ROOT,
              "leased seldom pays here: of %s %.1f requests come back in a life of a unit, %s, and"
                  + " of fewer than %d none is kept; such keys are decided as in mode exact",
              budget.limit().rate(),
              perLife,
              budget.leaseLifeText(),
              LEAST_REQUESTS));
    }
    double heldBack = budget.shareHeldBack();
    if (budget.leaseLifeNs() != 0 && heldBack > MOST_HELD_BACK) {
      sink.accept(
          at + "lease-life",
          String.format(
              Locale.ROOT,
              "with %s requests may be refused while up to %.0f %% of the limit is left",
              budget.leaseLifeText(),
              100 * heldBack));
    }
  }
}
