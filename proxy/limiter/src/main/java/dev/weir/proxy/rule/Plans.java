package dev.weir.proxy.rule;

import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * All plans of this process, by number and by what they say: of equal ones there is one, and it
 * keeps its number for as long as a user may have it. Plans that nobody has any more are
 * {@linkplain #reclaim reclaimed}: each override has an end of its own, so that others come for
 * ever. Any thread; who reads by number takes no lock.
 */
public final class Plans {
  /** The largest number, as tables keep 24 bits of it. */
  public static final int MAX_NUMBER = (1 << 24) - 1;

  /** The most plans at a time: the numbers that are left are those of further tiers. */
  public static final int MAX_COUNT = MAX_NUMBER - (1 << 16);

  /** The least plans that are looked through for some that nobody has. */
  static final int LEAST_RECLAIMED = 1024;

  /** The part of all plans that nobody has for which they are looked through again soon: 1/4. */
  private static final int LEAST_PART = 4;

  /** How long a plan stays that nobody has, as somebody may be about to be given it. */
  public static final long GRACE_NS = TimeUnit.SECONDS.toNanos(10);

  private final int most;
  private final Map<List<Object>, Plan> known = new HashMap<>();
  private final PlanTable<Plan> byNumber = new PlanTable<>();
  private final LongAdder refused = new LongAdder();
  private int lastNumber = MAX_NUMBER;

  /** Plans that nobody had when they were looked through last. */
  private BitSet unnamed = new BitSet();

  private volatile int count;
  private volatile int reclaimAt = LEAST_RECLAIMED;
  private volatile long reclaimedNs;

  public Plans() {
    this(MAX_COUNT);
  }

  /**
   * @param most plans at a time, before those of tiers only are made.
   */
  Plans(int most) {
    this.most = most;
    add(null, UserRecord.EMPTY, Plan.NONE);
    int number = nextNumber();
    add(null, UserRecord.EMPTY, new Plan(number, null, UserRecord.EMPTY));
  }

  /** The plan of a tier, or of somebody without one: not {@link Plan#NONE}, as that is nobody's. */
  public Plan ofTier(String tier) {
    return of(tier, UserRecord.EMPTY);
  }

  /** The plan of a user of whom nothing says a tier. */
  public Plan usual(UsersSpec users) {
    return ofTier(users.tiers().isEmpty() ? null : users.tiers().get(0));
  }

  /**
   * The plan of a tier and a record.
   *
   * @param tier that holds if the record names none; null for none.
   * @return the tier's plan if there are too many already.
   */
  synchronized Plan of(String tier, UserRecord record) {
    String named = record.tier() == null ? tier : null;
    UserRecord decisive = withoutReason(record);
    Plan plan = known.get(key(named, decisive));
    if (plan != null) {
      unnamed.clear(plan.number()); // somebody is about to be given it
      return plan;
    }
    boolean isOfTier = decisive.equals(UserRecord.EMPTY);
    if (count >= (isOfTier ? MAX_NUMBER : most)) {
      refused.increment();
      return isOfTier
          ? Plan.NONE
          : of(record.tier() == null ? tier : record.tier(), UserRecord.EMPTY);
    }
    return add(named, decisive, new Plan(nextNumber(), named, decisive));
  }

  /** A record as far as it decides anything. */
  private static UserRecord withoutReason(UserRecord record) {
    UserOverride override = record.override();
    return override == null || override.reason().isEmpty()
        ? record
        : record.withOverride(
            new UserOverride(
                override.until(),
                "",
                override.tier(),
                override.limits(),
                override.factorThousandths()));
  }

  /** The next number in a circle that no plan has: so one is given anew as late as can be. */
  private int nextNumber() {
    do {
      lastNumber = lastNumber + 1 & MAX_NUMBER;
    } while (byNumber.get(lastNumber) != null);
    return lastNumber;
  }

  private Plan add(String tier, UserRecord record, Plan plan) {
    known.put(key(tier, record), plan);
    byNumber.put(plan.number(), plan);
    count++;
    return plan;
  }

  private static List<Object> key(String tier, UserRecord record) {
    return Arrays.asList(tier, record);
  }

  /** The plan of a number that this has given; {@link Plan#NONE} once it has been reclaimed. */
  public Plan of(int number) {
    Plan plan = byNumber.get(number);
    return plan == null ? Plan.NONE : plan;
  }

  /** How many plans there are. */
  public int count() {
    return count;
  }

  /** How often a user got the plan of a tier only, as there were too many plans. */
  public long refusedCount() {
    return refused.sum();
  }

  /** Whether so many plans were made that nobody may have some of them any more. */
  public boolean isReclaimDue(long nowNs) {
    return count >= reclaimAt && nowNs - reclaimedNs >= GRACE_NS;
  }

  /**
   * Forgets plans that no user has: those that nobody had the last time either, and not what is
   * made of a plan that stays. Plans of tiers stay.
   *
   * @param named the numbers of the plans that users have.
   * @return the numbers of the plans that are left.
   */
  public synchronized BitSet reclaim(BitSet named, long nowNs) {
    BitSet had = new BitSet();
    for (Plan plan : known.values()) {
      if (named.get(plan.number()) || plan.record().equals(UserRecord.EMPTY)) {
        plan.addTo(had);
      }
    }
    had.set(Plan.NONE.number());
    BitSet kept = (BitSet) had.clone();
    for (Plan plan : known.values()) {
      if (!unnamed.get(plan.number())) {
        plan.addTo(kept);
      }
    }
    known.values().removeIf(plan -> !kept.get(plan.number()));
    byNumber.retain(kept::get);
    unnamed = (BitSet) kept.clone();
    unnamed.andNot(had);
    count = kept.cardinality();
    boolean areMany = unnamed.cardinality() >= count / LEAST_PART;
    reclaimAt = areMany ? LEAST_RECLAIMED : Math.max(LEAST_RECLAIMED, 2 * count);
    reclaimedNs = nowNs;
    return kept;
  }

  /** The plan of the tier that a plan has of its request; {@link Plan#NONE} if it has none. */
  public Plan tierOf(Plan plan) {
    return ofTier(plan.tierOfRequest());
  }

  /**
   * The plan of a record now.
   *
   * @param tier the plan of the tier that holds if the record names none.
   * @param nowMs since 1970: an override that has ended is none.
   */
  public Plan now(UserRecord record, Plan tier, long nowMs) {
    UserOverride override = record.override();
    boolean hasEnded = override != null && override.until().toEpochMilli() <= nowMs;
    return of(tier.tierOfRequest(), hasEnded ? record.withOverride(null) : record);
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
