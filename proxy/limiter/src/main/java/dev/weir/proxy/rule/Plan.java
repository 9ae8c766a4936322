package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BudgetSpec;
import java.util.Map;

/**
 * What a user has: a tier, and amounts of some limits in the place of what the tier or the limit
 * says. Of equal plans there is one ({@link Plans}). Immutable; any thread.
 */
public final class Plan {
  /** The plan of a user of whom nothing is known, where there are no tiers: each limit's own. */
  public static final Plan NONE = new Plan(0, null, Map.of());

  private final int number;
  private final String tier;
  private final Map<String, Amount> limits;

  Plan(int number, String tier, Map<String, Amount> limits) {
    this.number = number;
    this.tier = tier;
    this.limits = limits;
  }

  /** The number by which tables name it: 0 to {@link Plans#MAX_NUMBER}; 0 is {@link #NONE}. */
  public int number() {
    return number;
  }

  /** The tier; null for none. */
  public String tier() {
    return tier;
  }

  /**
   * How much of a limit a user of this plan has.
   *
   * @param name the limit's name in answers.
   * @return null for what the limit itself says.
   */
  Amount amount(BudgetSpec limit, String name) {
    Amount own = limits.get(name);
    return own != null && limit.limit().fits(own) ? own : limit.tiers().get(tier);
  }

  /** The tier, or the numbers, as text. */
  @Override
  public String toString() {
    return (tier == null ? "" : tier) + (limits.isEmpty() ? "" : limits);
  }
}
