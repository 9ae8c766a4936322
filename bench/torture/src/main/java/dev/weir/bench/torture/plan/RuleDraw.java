package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;

/** Draws rules: algorithms, limits, modes and failure policies. */
final class RuleDraw {
  private static final int RULES_MOST = 6;

  /** The cells of a table of logs and rings (Site). */
  static final long COUNT_MOST = 1_000;

  private static final long DAY_MS = 86_400_000;

  private static final List<KeyPlan> KEYS =
      List.of(
          KeyPlan.of(0),
          KeyPlan.of(0),
          KeyPlan.of(1),
          KeyPlan.of(2),
          KeyPlan.of(0, 1),
          KeyPlan.of(1, 2),
          KeyPlan.of(0, 1, 2));

  private RuleDraw() {}

  static List<RulePlan> rules(Draw draw) {
    final List<RulePlan> rules = new ArrayList<>();
    final int count = 3 + draw.below(RULES_MOST - 2);
    for (int i = 0; i < count; i++) {
      final int cost = draw.chance(70) ? 1 : 1 + draw.below(4);
      final List<LimitPlan> limits = new ArrayList<>();
      final int limitCount = draw.chance(55) ? 1 : 2 + draw.below(2);
      while (limits.size() < limitCount) {
        final LimitPlan limit = limit(draw, cost);
        // Two of one algorithm, window and key would have one name.
        if (limits.stream().noneMatch(limit::hasBudgetsOf)) {
          limits.add(limit);
        }
      }
      final RulePlan.Mode mode = draw.of(RulePlan.Mode.values());
      if (draw.chance(60) && mode != RulePlan.Mode.LEASED && canQueue(limits)) {
        limits.set(0, limits.get(0).queueing());
      }
      rules.add(
          new RulePlan(
              i,
              RulePlan.Kind.OWN,
              mode,
              List.copyOf(limits),
              CostPlan.of(cost),
              draw.of(RulePlan.OnStoreFailure.values()),
              RuleOptions.NONE.withDryRun(draw.chance(8))));
    }
    if (draw.chance(50)) {
      rules.add(envoys(draw, count));
    }
    return rules;
  }

  /** A queue cannot be combined with other limits. */
  private static boolean canQueue(List<LimitPlan> limits) {
    return limits.size() == 1 && limits.get(0).algorithm() == Algorithm.LEAKY_BUCKET;
  }

  private static RulePlan envoys(Draw draw, int number) {
    final LimitPlan limit =
        new LimitPlan(
            Algorithm.FIXED_WINDOW,
            draw.spread(1, 300),
            draw.of(1_000L, 60_000L, 3_600_000L),
            1,
            KeyPlan.of(0, 1));
    return new RulePlan(
        number,
        RulePlan.Kind.ENVOY,
        draw.of(RulePlan.Mode.LOCAL, RulePlan.Mode.EXACT),
        List.of(limit),
        CostPlan.of(1),
        RulePlan.OnStoreFailure.CLOSED, // Envoy is told, and decides
        RuleOptions.NONE);
  }

  static LimitPlan limit(Draw draw, int cost) {
    final Algorithm algorithm = draw.of(Algorithm.values());
    if (draw.chance(25)) {
      // So much that leases pay: more than four units come back in the life of one.
      final long count = draw.spread(300, COUNT_MOST);
      return new LimitPlan(algorithm, count, 10 * draw.spread(100, 2_000), count, KEYS.get(0));
    }
    final long windowMs =
        draw.chance(25) ? draw.of(60_000L, 3_600_000L, DAY_MS) : 10 * draw.spread(20, 1_500);
    // Clients ask for some 20 units a second of one identity.
    final long asked = Math.max(1, 20 * Math.min(windowMs, 20_000) / 1_000);
    final long count = Math.max(cost, Math.min(500, draw.spread(1, Math.max(2, 2 * asked))));
    final long burst = Math.max(cost, draw.chance(50) ? count : draw.spread(1, Math.max(2, count)));
    return new LimitPlan(algorithm, count, windowMs, burst, draw.of(KEYS));
  }
}
