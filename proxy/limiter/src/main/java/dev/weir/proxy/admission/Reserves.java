package dev.weir.proxy.admission;

import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.CostAtEnd;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * How much requests hold until their cost is known, by limit: as the rule says, as was learned, or
 * as a header of the request says if that is more. Owned by one event loop; allocates nothing in
 * requests.
 */
final class Reserves {
  private Long2ObjectHashMap<Reserve> learned = new Long2ObjectHashMap<>();

  /** Replaces the rules. What was learned of a limit that stays is kept, within its new numbers. */
  void use(RuleSet rules) {
    Long2ObjectHashMap<Reserve> before = learned;
    learned = new Long2ObjectHashMap<>();
    rules.rules().forEach(rule -> use(rule, before));
  }

  private void use(Rule rule, Long2ObjectHashMap<Reserve> before) {
    for (BudgetGroup group : rule.groups()) {
      for (int i = 0; i < group.size(); i++) {
        Budget limit = group.budget(i);
        if (limit.isReserveLearned()) {
          learned.put(limit.heldSeed(), new Reserve(limit, before.get(limit.heldSeed())));
        }
      }
    }
  }

  /**
   * Units to hold of a limit whose cost is known at the end of the request.
   *
   * @param head null if there is none.
   */
  long units(Budget limit, RequestView head) {
    CostAtEnd cost = limit.spec().cost().atEnd();
    Reserve known = learned.get(limit.heldSeed());
    long units = known == null ? limit.reserve() : known.units(limit);
    if (cost.reserveHeader() == null || head == null) {
      return units;
    }
    return Math.max(units, limit.units(RequestCost.reserve(cost, head)));
  }

  /**
   * Takes note of what a request has cost, as its service reported it.
   *
   * @param units of the limit, 0 or more.
   */
  void learn(Budget limit, long units) {
    Reserve known = learned.get(limit.heldSeed());
    if (known != null) {
      known.learn(units);
    }
  }
}
