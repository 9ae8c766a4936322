package dev.weir.proxy.rule;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.rule.spec.BanSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * How a rule bans identities ({@code ban}): whom, after how many refusals, and for how long.
 * Immutable; any thread.
 *
 * <p>An identity is banned by the key under which a limit of the rule's own refused it. The key of
 * a ban is a hash of that identity XOR the seed of its group, which follows from the rule's id and
 * the kind of identity: so a ban outlives every other change of the rule.
 */
public final class RuleBans {
  /** Tells this use of the hash from others with a fixed key. */
  private static final SipHash SEEDS = new SipHash(0, 4);

  private static final long NOBODY = 0;

  private final String ruleId;
  private final BudgetGroup[] groups;

  /** The seed of each group; {@link #NOBODY} if its refusals ban nobody. */
  private final long[] seeds;

  private final int after;
  private final long windowMs;
  private final long[] banMs;
  private final long forgetMs;

  /**
   * @param everywhereGroups those of limits of all requests, a bit each, the first the lowest.
   */
  RuleBans(RuleSpec rule, BudgetGroup[] groups, int everywhereGroups) {
    BanSpec ban = rule.ban();
    this.ruleId = rule.id();
    this.groups = groups;
    this.seeds = new long[groups.length];
    for (int group = 0; group < groups.length; group++) {
      boolean isShared = (everywhereGroups >>> group & 1) != 0;
      boolean isAll = groups[group].key().equals(KeySpec.ALL);
      seeds[group] = isShared || isAll ? NOBODY : seed(rule, groups[group]);
    }
    this.after = (int) ban.after().count();
    this.windowMs = TimeUnit.NANOSECONDS.toMillis(ban.after().windowNs());
    this.banMs = ban.forNs().stream().mapToLong(TimeUnit.NANOSECONDS::toMillis).toArray();
    this.forgetMs = TimeUnit.NANOSECONDS.toMillis(ban.forgetNs());
  }

  private static long seed(RuleSpec rule, BudgetGroup group) {
    String kind = new String(group.dimension(), StandardCharsets.US_ASCII);
    byte[] name = (rule.id() + " " + kind).getBytes(StandardCharsets.UTF_8);
    return Math.max(1, SEEDS.hash(new UnsafeBuffer(name), 0, name.length) >>> 1);
  }

  public String ruleId() {
    return ruleId;
  }

  /** The number of groups of budgets of the rule. */
  public int groupCount() {
    return groups.length;
  }

  /** Whether refusals by limits of a group can ban the group's identity. */
  public boolean mayBan(int group) {
    return seeds[group] != NOBODY;
  }

  /** The group's part of the key of its identities' bans. */
  public long seed(int group) {
    return seeds[group];
  }

  /** The first limit of a group, for the answers to who is banned. */
  public Budget budget(int group) {
    return groups[group].budget(0);
  }

  /**
   * The group of which a limit refused; negative if it can ban nobody.
   *
   * @param refusing the limit's policy; null for none.
   */
  public int groupOf(QuotaPolicy refusing) {
    for (int group = 0; group < groups.length && refusing != null; group++) {
      for (int i = 0; i < groups[group].size() && mayBan(group); i++) {
        if (groups[group].budget(i).latest().policy() == refusing) {
          return group;
        }
      }
    }
    return -1;
  }

  /** The number of refusals within {@link #windowMs} that begins a ban: 1 or more. */
  public int after() {
    return after;
  }

  /** The window in which refusals count, from the first of them on. */
  public long windowMs() {
    return windowMs;
  }

  /**
   * How long a ban lasts.
   *
   * @param times of bans with this one: 1 or more.
   */
  public long banMs(int times) {
    return banMs[Math.min(times, banMs.length) - 1];
  }

  /** How long after its end a ban counts for the length of the next one. */
  public long forgetMs() {
    return forgetMs;
  }
}
