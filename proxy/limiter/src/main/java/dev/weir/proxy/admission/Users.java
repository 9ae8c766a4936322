package dev.weir.proxy.admission;

import dev.weir.algorithms.UserTable;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.rule.Plans;
import dev.weir.proxy.rule.RuleSet;
import java.util.concurrent.TimeUnit;

/**
 * What is known of users, for all event loops together. Memory is taken when rules first say who
 * the users are. Any thread.
 */
public final class Users implements AutoCloseable {
  /** The users whose plans are remembered; beyond, those not met for the longest are forgotten. */
  static final int MAX_USERS = 1_000_000;

  private final Plans plans = new Plans();
  private final int most;
  private volatile UserTable table;
  private volatile RecordedUsers records;
  private RuleSet rules = RuleSet.EMPTY;

  public Users() {
    this(MAX_USERS);
  }

  Users(int most) {
    this.most = most;
  }

  /** Makes room for the users of rules, if they know any. */
  synchronized void use(RuleSet newRules) {
    rules = newRules;
    if (records != null) {
      records.use(rules);
    }
    if (rules.users() != null && table == null) {
      table = new UserTable(most);
    }
  }

  /** Milliseconds since 1970, of a time by the clock of the checks. */
  static long unixMs(long nowNs) {
    return TimeUnit.NANOSECONDS.toMillis(nowNs - LoopClock.unixEpochNs());
  }

  synchronized void recorded(RecordedUsers by) {
    by.use(rules);
    records = by;
  }

  /** The reader of users' records; null if there are none. */
  public RecordedUsers records() {
    return records;
  }

  /** All plans. */
  Plans plans() {
    return plans;
  }

  /** The users by the hash of their identity; null while no rules know users. */
  UserTable table() {
    return table;
  }

  /** Users who were forgotten, as others took their place; they are asked for when they come. */
  public long forgottenCount() {
    UserTable present = table;
    return present == null ? 0 : present.forgottenCount();
  }

  /** Different plans that users have, or had until lately. */
  public long planCount() {
    return plans.count();
  }

  /** How often a user got a tier only, as there were too many plans. */
  public long plansRefusedCount() {
    return plans.refusedCount();
  }

  /** Releases the memory; nobody decides any more. */
  @Override
  public synchronized void close() {
    if (table != null) {
      table.close();
    }
  }
}
