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
      if (rules.get(i).kind() != RulePlan.Kind.ENVOY
          && (i == first || hard && draw.chance(MORE_PERCENT))) {
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
    final int way = draw.below(hard ? 11 : 9);
    if (!rule.isOwn()) {
      return way < 5 ? withOtherCount(rule, draw) : withOtherPolicy(rule, draw);
    }
    return switch (way) {
      case 0, 1 -> withOtherCount(rule, draw);
      case 2, 9, 10 -> withOtherLimits(rule, draw, hard);
      case 3 -> withOtherCost(rule);
      case 4 -> withOtherMode(rule);
      case 5 -> withOtherPolicy(rule, draw);
      case 6 -> withOtherName(rule);
      case 7 -> withOtherReach(rule);
      default -> withAnotherWayToSayTheKey(rule);
    };
  }

  private static RulePlan withFirst(RulePlan rule, LimitPlan first) {
    final List<LimitPlan> limits = new ArrayList<>(rule.limits());
    limits.set(0, first);
    return rule.withLimits(List.copyOf(limits));
  }

  private static RulePlan withOtherCount(RulePlan rule, Draw draw) {
    final LimitPlan first = rule.limits().get(0);
    final long most = Math.min(RuleDraw.COUNT_MOST * first.scale(), 2 * first.count());
    final long least = first.units(rule.cost().highest());
    return withFirst(rule, first.withCount(Math.max(least, draw.spread(1, most))));
  }

  private static RulePlan withOtherLimits(RulePlan rule, Draw draw, boolean hard) {
    final LimitPlan first = rule.limits().get(0);
    // A limit beside another one changes the other's name in the store.
    if (hard && rule.limits().size() > 1) {
      return rule.withLimits(List.of(first));
    }
    final LimitPlan another = RuleDraw.limit(draw, rule.cost().highest());
    if (rule.queues()
        || rule.options().idempotency()
        || rule.options().enforcePercent() < 100
        || rule.options().concurrency() > 0
        || rule.limits().size() > 3
        || rule.limits().stream().anyMatch(another::hasBudgetsOf)) {
      return rule;
    }
    final List<LimitPlan> limits = new ArrayList<>(rule.limits());
    limits.add(another);
    return rule.withLimits(List.copyOf(limits));
  }

  private static RulePlan withOtherCost(RulePlan rule) {
    if (rule.options().idempotency()) {
      return rule; // keys that were granted would get 400 under another cost
    }
    final int next = Math.min(rule.cost().units() % 3 + 1, (int) Math.min(3, rule.mostByRule()));
    return rule.withCost(new CostPlan(next, rule.cost().most() < next ? 0 : rule.cost().most()));
  }

  private static RulePlan withOtherMode(RulePlan rule) {
    if (rule.options().idempotency()) {
      return rule;
    }
    return switch (rule.mode()) {
      case LOCAL ->
          rule.options().enforcePercent() < 100
              ? rule
              : rule.withOptions(rule.options().withDryRun(!rule.options().dryRun()));
      case EXACT -> rule.queues() ? rule : rule.withMode(RulePlan.Mode.LEASED);
      case LEASED -> rule.withMode(RulePlan.Mode.EXACT);
    };
  }

  private static RulePlan withOtherPolicy(RulePlan rule, Draw draw) {
    return rule.withOnStoreFailure(draw.of(RulePlan.OnStoreFailure.values()));
  }

  private static RulePlan withOtherName(RulePlan rule) {
    final LimitPlan first = rule.limits().get(0);
    // More than two would soon have more names than a rule may charge.
    return rule.limits().size() > 2
        ? rule
        : withFirst(rule, first.withName(first.name().isEmpty() ? "n0" : ""));
  }

  /** More of the users are refused, or the limits of all requests come or go. */
  private static RulePlan withOtherReach(RulePlan rule) {
    final RuleOptions options = rule.options();
    if (options.enforcePercent() < 100) {
      return rule.withOptions(
          options.withEnforcePercent(Math.min(99, options.enforcePercent() + 25)));
    }
    return rule.queues() || options.idempotency()
        ? rule
        : rule.withOptions(options.withEverywhere(!options.everywhere()));
  }

  /** A name for a list of sources keeps the budgets of the list; a first-of begins others. */
  private static RulePlan withAnotherWayToSayTheKey(RulePlan rule) {
    final LimitPlan first = rule.limits().get(0);
    final KeyPlan key = first.key();
    return key.parts().size() < 2
        ? rule
        : withFirst(rule, first.withKey(new KeyPlan(key.parts(), !key.named())));
  }
}
