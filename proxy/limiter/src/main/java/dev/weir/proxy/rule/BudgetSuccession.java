package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Decides which budgets of a rule's next version continue which ones of the version before, so that
 * a reload keeps what was used.
 */
final class BudgetSuccession {
  private BudgetSuccession() {}

  /**
   * The budgets that those of the next version continue, by index; null where there is none.
   *
   * @param before the budgets of the last version that had limits.
   */
  static Budget[] continued(List<BudgetSpec> specs, List<Budget> before) {
    Budget[] continued = new Budget[specs.size()];
    List<Budget> left = new ArrayList<>(before);
    // A budget is known by its key and name; one whose algorithm changed by its rate, or at
    // least its window; one whose window changed, too, by its key.
    pair(specs, left, continued, BudgetSpec::isNamedAs);
    pair(specs, left, continued, BudgetSpec::hasRateOf);
    pair(specs, left, continued, BudgetSpec::hasWindowOf);
    pair(specs, left, continued, BudgetSpec::isDecidedLike);
    pair(specs, left, continued, (one, other) -> one.key().equals(other.key()));
    return continued;
  }

  private static void pair(
      List<BudgetSpec> specs,
      List<Budget> left,
      Budget[] continued,
      BiPredicate<BudgetSpec, BudgetSpec> isSame) {
    for (int i = 0; i < continued.length; i++) {
      BudgetSpec spec = specs.get(i);
      for (int j = 0; continued[i] == null && j < left.size(); j++) {
        BudgetSpec other = left.get(j).spec();
        boolean areBothHeld = spec.limit().isConcurrency() == other.limit().isConcurrency();
        if (areBothHeld && isSame.test(spec, other)) {
          continued[i] = left.remove(j);
        }
      }
    }
  }

  /**
   * Reports changes that would forget what was used: between local counts and the store's, or
   * between whole units and decimals in the store.
   *
   * @param before as in {@link #continued}.
   */
  static void checkChange(RuleSpec to, List<Budget> before, FaultSink sink) {
    Budget[] continued = continued(to.budgets(), before);
    for (int i = 0; i < continued.length; i++) {
      Mode mode = to.budgets().get(i).mode();
      Mode modeBefore = continued[i] == null ? mode : continued[i].spec().mode();
      if (mode.needsStore() != modeBefore.needsStore()) {
        String expected =
            modeBefore + ", as until now: what was used would be forgotten; a restart begins anew";
        sink.fault(to.fieldsOf(i) + "mode", mode.toString(), expected);
      } else if (mode.needsStore() && continued[i] != null) {
        checkUnit(to, i, continued[i].spec().limit(), sink);
      }
    }
  }

  /** Numbers with decimals have a name of their own in the store. */
  private static void checkUnit(RuleSpec to, int index, LimitSpec before, FaultSink sink) {
    LimitSpec limit = to.budgets().get(index).limit();
    if (limit.unit() != before.unit()) {
      String expected =
          (before.unit() == 1 ? "no decimals" : "decimals")
              + " in limit, burst and cost, as until now: what was used would be forgotten;"
              + " a restart begins anew";
      sink.fault(to.fieldsOf(index) + "limit", limit.rate().toString(), expected);
    }
  }

  /**
   * Each budget, followed by its copies under former names.
   *
   * @param isDryRun whether copies that do not fit into a check are left out.
   * @throws BadValueException if some do not fit, and it is not a dry run.
   */
  static List<Budget> withFormers(List<Budget> present, boolean isDryRun) {
    List<Budget> all = new ArrayList<>();
    Set<Object> names = new HashSet<>();
    present.forEach(budget -> names.add(named(budget)));
    for (Budget budget : present) {
      all.add(budget);
      for (Budget.Former former : budget.formers()) {
        Budget under = budget.under(former);
        if (names.size() < RuleSpec.MAX_BUDGETS && names.add(named(under))) {
          all.add(under);
        } else if (!isDryRun) {
          throw new BadValueException(
              "would forget what was used as " + former.storeName(),
              "at most "
                  + RuleSpec.MAX_BUDGETS
                  + " names in the store, former ones included, each of one limit; or a restart,"
                  + " which begins anew");
        }
      }
    }
    return all;
  }

  private static Object named(Budget budget) {
    return List.of(budget.spec().key(), ByteBuffer.wrap(budget.storeName()));
  }
}
