package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Draws what rules may have beside limits: conditions, names, costs, decimals, parts of the users,
 * retries, and limits of all requests.
 */
final class RuleFeatures {
  /** The number of the limits of all requests. */
  static final int EVERYWHERE = 90;

  /** Limits of all requests are as many times larger. */
  private static final int LARGER = 8;

  /** In longer windows few decimals are exact in the microseconds of the store. */
  private static final long DECIMALS_MOST_MS = 60_000;

  private static final long HOUR_MS = 3_600_000;

  private RuleFeatures() {}

  static List<RulePlan> added(List<RulePlan> rules, Draw draw) {
    final List<RulePlan> all = new ArrayList<>();
    for (RulePlan rule : rules) {
      final Draw own = draw.split();
      all.add(rule.isOwn() ? refusing(added(rule, own), own) : rule);
    }
    if (draw.chance(40)) {
      all.add(everywhere(draw));
    }
    return List.copyOf(all);
  }

  /** The rule with what it does about those whom it refuses. */
  private static RulePlan refusing(RulePlan rule, Draw draw) {
    final boolean knowsAll = rule.limits().stream().noneMatch(limit -> limit.key().isAll());
    final boolean mayBan = knowsAll && !rule.queues() && !rule.options().refusesNobody();
    return rule.withOptions(rule.options().withRefusal(RefusalPlan.draw(draw, mayBan)));
  }

  private static RulePlan added(RulePlan rule, Draw draw) {
    final RuleOptions options =
        new RuleOptions(
            draw.chance(35) ? Condition.draw(draw) : List.of(),
            rule.options().dryRun(),
            100,
            false,
            false,
            draw.chance(25) ? 20 + draw.below(80) : 0);
    if (rule.queues()) {
      return rule.withOptions(options); // cannot be combined with other limits
    }
    final RulePlan counting = counting(rule, draw);
    final LimitPlan first = counting.limits().get(0);
    final boolean isSingle = counting.limits().size() == 1 && !first.key().isAll();
    if (isSingle && !options.dryRun() && draw.chance(40)) {
      return counting.withOptions(options.withEnforcePercent(draw.of(0, 10, 30, 50, 80)));
    }
    if (isSingle
        && rule.mode() == RulePlan.Mode.EXACT
        && counting.cost().most() == 0
        && !options.dryRun()) {
      return counting.withOptions(options.withIdempotency(true));
    }
    final RuleOptions all = options.withEverywhere(draw.chance(85));
    final boolean mayHold =
        rule.mode() != RulePlan.Mode.LEASED && !options.dryRun() && counting.limits().size() <= 2;
    return counting.withOptions(
        mayHold && draw.chance(50) ? all.withConcurrency(1 + draw.below(3)) : all);
  }

  /** The rule with other keys, names and costs. */
  private static RulePlan counting(RulePlan rule, Draw draw) {
    final List<LimitPlan> limits = new ArrayList<>();
    for (LimitPlan limit : rule.limits()) {
      LimitPlan next = limit.withKey(new KeyPlan(limit.key().parts(), draw.chance(50)));
      final LimitPlan ofAll = limit.withKey(KeyPlan.of());
      if (draw.chance(10) && limits.stream().noneMatch(ofAll::hasBudgetsOf)) {
        next = ofAll;
      }
      if (limit.algorithm() == Algorithm.TOKEN_BUCKET
          && limit.windowMs() <= DECIMALS_MOST_MS
          && draw.chance(50)) {
        next = next.inThousandths(1 + 10 * draw.between(20, 270), draw.below(1_000));
      } else if (draw.chance(15)) {
        next = next.withCost(1 + draw.below(4));
      }
      if (draw.chance(15)) {
        next = next.withName("n" + limits.size());
      }
      limits.add(next);
    }
    final RulePlan counting = rule.withLimits(List.copyOf(limits));
    final int units = rule.cost().units();
    final long most = Math.min(counting.mostByRule(), units + draw.below(6));
    return draw.chance(20) ? counting.withCost(new CostPlan(units, (int) most)) : counting;
  }

  /**
   * Two leased limits that pace, of windows that outlast the episode: one is soon used up by each
   * of many identities, and each sidecar asks the store once before it knows. The other one, which
   * may be on another server, must not stay charged for that. Of so few units none is leased ahead.
   */
  static RulePlan pacedTwice(RulePlan rule, Draw draw) {
    final List<Algorithm> pacing =
        List.of(Algorithm.GCRA, Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET);
    final long most = draw.between(100, 200);
    final long least = draw.between(1, 2);
    return new RulePlan(
        rule.number(),
        RulePlan.Kind.OWN,
        RulePlan.Mode.LEASED,
        List.of(
            new LimitPlan(draw.of(pacing), most, HOUR_MS, most, KeyPlan.of(0)),
            new LimitPlan(draw.of(pacing), least, HOUR_MS, least, KeyPlan.of(1, 2))),
        CostPlan.of(1),
        RulePlan.OnStoreFailure.CLOSED,
        RuleOptions.NONE);
  }

  private static RulePlan everywhere(Draw draw) {
    final List<LimitPlan> limits = new ArrayList<>();
    for (int i = 1 + draw.below(2); i > 0; i--) {
      final LimitPlan small = RuleDraw.limit(draw, 2);
      final LimitPlan limit =
          small
              .withCount(Math.min(RuleDraw.COUNT_MOST, LARGER * small.count()))
              .withKey(draw.chance(40) ? KeyPlan.of() : small.key())
              .withName("e" + i);
      if (limits.stream().noneMatch(limit::hasBudgetsOf)) {
        limits.add(draw.chance(20) ? limit.withCost(2) : limit);
      }
    }
    return new RulePlan(
        EVERYWHERE,
        RulePlan.Kind.EVERYWHERE,
        draw.of(RulePlan.Mode.values()),
        List.copyOf(limits),
        CostPlan.of(1),
        draw.of(RulePlan.OnStoreFailure.values()),
        RuleOptions.NONE);
  }
}
