package dev.weir.proxy.rule;

import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BudgetSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/**
 * What a user has: a tier, and what the user's record says beside it. Of equal plans there is one
 * ({@link Plans}). Immutable; any thread.
 */
public final class Plan {
  /** Who says how much of a limit a user has; the first that speaks wins. */
  public enum Says {
    /** An override that has not ended. */
    OVERRIDE,
    /** A limit of the user's own. */
    USER,
    /** The value that the limit has for the user's tier. */
    TIER,
    /** The limit itself. */
    LIMIT
  }

  /** No plan: that of rules without users, and of a user whom nobody has met. */
  public static final Plan NONE = new Plan(0, null, UserRecord.EMPTY);

  private final int number;
  private final String tier;
  private final UserRecord record;

  /** This plan under other tiers, as requests have named them: most plans have one at most. */
  private volatile List<Plan> ofTiers = List.of();

  /** The plan as it is without its override; null until it was asked for. */
  private volatile Plan usual;

  /**
   * @param tier that holds if the record names none; null for none.
   */
  Plan(int number, String tier, UserRecord record) {
    this.number = number;
    this.tier = tier;
    this.record = record;
  }

  /** The number by which tables name it: 0 to {@link Plans#MAX_NUMBER}; 0 is {@link #NONE}. */
  public int number() {
    return number;
  }

  /** The tier; null for none. */
  public String tier() {
    UserOverride override = record.override();
    return override != null && override.tier() != null
        ? override.tier()
        : record.tier() != null ? record.tier() : tier;
  }

  /** The tier that holds if the record names none; null for none. */
  String tierOfRequest() {
    return tier;
  }

  /** The user's record. */
  public UserRecord record() {
    return record;
  }

  /** Whether it has an override, which ends at {@link #untilMs}. */
  public boolean hasOverride() {
    return record.override() != null;
  }

  /** When its override ends, in milliseconds since 1970; never without one. */
  public long untilMs() {
    return hasOverride() ? record.override().until().toEpochMilli() : Long.MAX_VALUE;
  }

  /** This plan when its override has ended. */
  Plan usual(Plans plans) {
    if (usual == null) {
      usual = plans.of(tier, record.withOverride(null));
    }
    return usual;
  }

  /** Adds its number, and those of the plans that were made of it. */
  void addTo(BitSet numbers) {
    if (!numbers.get(number)) {
      numbers.set(number);
      Plan without = usual;
      if (without != null) {
        without.addTo(numbers);
      }
      for (Plan plan : ofTiers) {
        plan.addTo(numbers);
      }
    }
  }

  /**
   * This plan, of a request that names a tier.
   *
   * @param other the plan of the tier alone.
   */
  Plan under(Plan other, Plans plans) {
    if (this == NONE) {
      return other;
    }
    if (isOfTier(other)) {
      return this;
    }
    List<Plan> known = ofTiers;
    for (int i = 0; i < known.size(); i++) {
      if (known.get(i).isOfTier(other)) {
        return known.get(i);
      }
    }
    return make(other, plans);
  }

  private boolean isOfTier(Plan other) {
    return Objects.equals(tier, other.tier);
  }

  private synchronized Plan make(Plan other, Plans plans) {
    Plan made = plans.of(other.tier, record);
    if (made.isOfTier(other) && !ofTiers.contains(made)) {
      List<Plan> more = new ArrayList<>(ofTiers);
      more.add(made);
      ofTiers = List.copyOf(more);
    }
    return made;
  }

  /**
   * Who says how much of a limit a user has, as text.
   *
   * @param limit under this plan.
   * @return null if it is the limit itself.
   */
  private String saidOf(Budget limit) {
    return switch (says(limit)) {
      case OVERRIDE -> "an override until " + record.override().until();
      case USER -> "the user's own limit";
      case TIER -> "tier " + tier();
      case LIMIT -> null;
    };
  }

  /** Who says how much somebody has, as text; null if it is the limit itself. */
  public static String saidBy(Budget limit) {
    return limit.plan().saidOf(limit);
  }

  /** Who says how much of a limit a user of this plan has. */
  public Says says(Budget limit) {
    return says(limit.base().spec(), limit.policy().name());
  }

  private Says says(BudgetSpec limit, String name) {
    UserOverride override = record.override();
    if (override != null
        && (override.factorThousandths() != 0
            || has(limit, override.limits().get(name))
            || override.tier() != null && limit.tiers().containsKey(override.tier()))) {
      return Says.OVERRIDE;
    }
    if (has(limit, record.limits().get(name))) {
      return Says.USER;
    }
    return limit.tiers().containsKey(tier()) ? Says.TIER : Says.LIMIT;
  }

  private static boolean has(BudgetSpec limit, Amount amount) {
    return amount != null && limit.takes(amount);
  }

  /**
   * How much of a limit a user of this plan has.
   *
   * @param name the limit's name in answers.
   * @return null for what the limit itself says.
   */
  Amount amount(BudgetSpec limit, String name) {
    UserOverride override = record.override();
    if (override != null && has(limit, override.limits().get(name))) {
      return override.limits().get(name);
    }
    boolean isOfTier = override != null && limit.tiers().containsKey(override.tier());
    Amount own = record.limits().get(name);
    Amount usual = !isOfTier && has(limit, own) ? own : limit.tiers().get(tier());
    if (override == null || override.factorThousandths() == 0) {
      return usual;
    }
    Amount before = usual == null ? limit.limit().amount() : usual;
    Amount times = before.times(override.factorThousandths());
    return limit.takes(times) ? times : usual;
  }

  /** The tier, and what the record says, as text. */
  @Override
  public String toString() {
    String name = tier() == null ? "" : tier();
    return record.equals(UserRecord.EMPTY) ? name : name + record.toJson();
  }
}
