package dev.weir.proxy.rule;

import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All plans of this process, by number and by what they say: of equal ones there is one, and it
 * keeps its number. Any thread; who reads by number takes no lock.
 */
public final class Plans {
  /** The largest number, as tables keep 24 bits of it. */
  public static final int MAX_NUMBER = (1 << 24) - 1;

  private final Map<List<Object>, Plan> known = new HashMap<>();
  private final PlanTable<Plan> byNumber = new PlanTable<>();
  private int count;

  public Plans() {
    add(Plan.NONE);
    add(new Plan(count, null, UserRecord.EMPTY));
  }

  /** The plan of a tier, or of somebody without one: not {@link Plan#NONE}, as that is nobody's. */
  public Plan ofTier(String tier) {
    return of(tier, UserRecord.EMPTY);
  }

  /** The plan of a user of whom nothing says a tier. */
  public Plan usual(UsersSpec users) {
    return ofTier(users.tiers().isEmpty() ? null : users.tiers().get(0));
  }

  /** The plan of a record; while it names no tier, it is {@link #under a tier's}. */
  public Plan of(UserRecord record) {
    return of(null, record);
  }

  /**
   * The plan of a tier and a record.
   *
   * @param tier that holds if the record names none; null for none.
   * @return the tier's plan if there are too many already.
   */
  synchronized Plan of(String tier, UserRecord record) {
    String named = record.tier() == null ? tier : null;
    Plan plan = known.get(key(named, record));
    if (plan != null) {
      return plan;
    }
    if (count > MAX_NUMBER) {
      return record.equals(UserRecord.EMPTY) ? Plan.NONE : ofTier(tier);
    }
    return add(new Plan(count, named, record));
  }

  private Plan add(Plan plan) {
    known.put(key(plan.tierOfRequest(), plan.record()), plan);
    byNumber.put(count++, plan);
    return plan;
  }

  private static List<Object> key(String tier, UserRecord record) {
    return Arrays.asList(tier, record);
  }

  /** The plan of a number that this has given. */
  public Plan of(int number) {
    return byNumber.get(number);
  }

  /** The plan of the tier that a plan has of its request; {@link Plan#NONE} if it has none. */
  public Plan tierOf(Plan plan) {
    return ofTier(plan.tierOfRequest());
  }

  /**
   * A plan as it is for a request now.
   *
   * @param tier the plan of the tier that the request has, if the record names none.
   * @param nowMs since 1970: an override that has ended is none.
   */
  public Plan now(Plan plan, Plan tier, long nowMs) {
    Plan present = plan.untilMs() <= nowMs ? plan.usual(this) : plan;
    return present.record().tier() == null ? present.under(tier, this) : present;
  }
}
