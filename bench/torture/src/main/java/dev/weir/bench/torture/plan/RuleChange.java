package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;

/** A change of rules by a reload after which what was used stays used (docs/configuration.md). */
public final class RuleChange {
  private RuleChange() {}

  /** The share of other rules, in percent, that is changed with the first one in a hard run. */
  private static final int MORE_PERCENT = 40;

  /**
   * Changes one rule, and some of the others.
   *
   * @param variant says which rules and how; any number.
   * @param hard whether others are changed with it, and limits come and go more often.
   */
  public static List<RulePlan> apply(List<RulePlan> rules, int variant, boolean hard) {
    final Draw draw = new Draw(variant);
    final List<RulePlan> changed = new ArrayList<>(rules);
    final int first = draw.below(rules.size());
    for (int i = 0; i < rules.size(); i++) {
      if (!rules.get(i).envoy() && (i == first || hard && draw.chance(MORE_PERCENT))) {
        changed.set(i, change(rules.get(i), draw, hard));
      }
    }
    if (draw.chance(30)) {
      // The order of rules with paths of their own means nothing.
      changed.add(changed.remove(0));
    }
    return List.copyOf(changed);
  }

  private static RulePlan change(RulePlan rule, Draw draw, boolean hard) {
    final LimitPlan first = rule.limits().get(0);
    return switch (draw.below(hard ? 8 : 6)) {
      case 0, 1 -> {
        final List<LimitPlan> limits = new ArrayList<>(rule.limits());
        limits.set(0, first.withCount(Math.max(rule.cost(), draw.spread(1, 2 * first.count()))));
        yield rule.withLimits(List.copyOf(limits));
      }
      case 2, 6, 7 -> {
        // A limit beside another one changes the other's name in the store.
        if (hard && rule.limits().size() > 1) {
          yield rule.withLimits(List.of(first));
        }
        final LimitPlan another = Plan.drawLimit(draw, rule.cost());
        if (first.queues()
            || rule.limits().size() > 3
            || rule.limits().stream().anyMatch(another::hasBudgetsOf)) {
          yield rule;
        }
        final List<LimitPlan> limits = new ArrayList<>(rule.limits());
        limits.add(another);
        yield rule.withLimits(List.copyOf(limits));
      }
      case 3 -> rule.withCost(Math.min(rule.cost() % 3 + 1, (int) least(rule)));
      case 4 ->
          switch (rule.mode()) {
            case LOCAL -> rule.withDryRun(!rule.dryRun());
            case EXACT -> first.queues() ? rule : rule.withMode(RulePlan.Mode.LEASED);
            case LEASED -> rule.withMode(RulePlan.Mode.EXACT);
          };
      default -> rule.withOnStoreFailure(draw.of(RulePlan.OnStoreFailure.values()));
    };
  }

  /** The most that one request may cost under all limits of a rule. */
  private static long least(RulePlan rule) {
    return rule.limits().stream()
        .mapToLong(limit -> Math.min(limit.count(), limit.atOnce()))
        .min()
        .orElse(1);
  }
}
