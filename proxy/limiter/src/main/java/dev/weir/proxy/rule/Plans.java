package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.Amount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All plans of this process, by number and by what they say: of equal ones there is one, and it
 * keeps its number. Any thread; those that read by number take no lock.
 */
public final class Plans {
  /** The largest number, as tables keep 24 bits of it. */
  public static final int MAX_NUMBER = (1 << 24) - 1;

  private final Map<List<Object>, Plan> known = new HashMap<>();
  private final PlanTable<Plan> byNumber = new PlanTable<>();
  private int count;

  public Plans() {
    add(Plan.NONE, null, Map.of());
  }

  /** The plan of a tier; of none {@link Plan#NONE}. */
  public Plan ofTier(String tier) {
    return of(tier, Map.of());
  }

  /**
   * The plan of a tier and amounts of one's own.
   *
   * @param tier null for none.
   * @param limits amounts by the names of limits.
   * @return the tier's plan if there are too many already.
   */
  public synchronized Plan of(String tier, Map<String, Amount> limits) {
    Plan plan = known.get(key(tier, limits));
    if (plan == null && count > MAX_NUMBER) {
      return limits.isEmpty() ? Plan.NONE : ofTier(tier);
    }
    return plan == null ? add(new Plan(count, tier, Map.copyOf(limits)), tier, limits) : plan;
  }

  private Plan add(Plan plan, String tier, Map<String, Amount> limits) {
    known.put(key(tier, limits), plan);
    byNumber.put(count++, plan);
    return plan;
  }

  private static List<Object> key(String tier, Map<String, Amount> limits) {
    List<Object> key = new ArrayList<>();
    key.add(tier);
    key.add(limits);
    return key;
  }

  /** The plan of a number that this has given. */
  public Plan of(int number) {
    return byNumber.get(number);
  }
}
