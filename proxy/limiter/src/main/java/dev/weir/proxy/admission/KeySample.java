package dev.weir.proxy.admission;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.metrics.HeavyHitters;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityText;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The keys of a question that was chosen to be counted, from there to its verdict: of each group of
 * budgets the identity, as it is written in names in the store. Reused.
 */
final class KeySample {
  private static final int UNKNOWN = -1;

  private final BudgetGroup[] groups = new BudgetGroup[RuleSpec.MAX_BUDGETS];
  private final long[] keys = new long[RuleSpec.MAX_BUDGETS];
  private final int[] lengths = new int[RuleSpec.MAX_BUDGETS];
  private final UnsafeBuffer texts = new UnsafeBuffer(new byte[IdentityText.MAX_BYTES]);
  private int count;
  private long weight;

  /** Takes the identities of a question under its rule. */
  KeySample set(Rule rule, Identities of, long weighs, IdentityText text) {
    weight = weighs;
    count = rule.groupCount();
    if (texts.capacity() < count * IdentityText.MAX_BYTES) {
      texts.wrap(new byte[RuleSpec.MAX_BUDGETS * IdentityText.MAX_BYTES]);
    }
    for (int group = 0; group < count; group++) {
      Identity identity = of.of(group);
      int at = group * IdentityText.MAX_BYTES;
      groups[group] = rule.group(group);
      keys[group] = SipHash.mix(identity.hash() ^ groups[group].countSeed());
      lengths[group] = text.write(groups[group].key(), identity, texts, at) - at;
    }
    return this;
  }

  /** Counts the question for each of its keys, once. */
  void countAll(HeavyHitters into, long nowNs) {
    for (int group = 0; group < count; group++) {
      if (first(keys[group]) == group) {
        count(into, group, nowNs);
      }
    }
  }

  /** The first group of a key: those of several gates may have one. */
  private int first(long key) {
    int group = 0;
    while (keys[group] != key) {
      group++;
    }
    return group;
  }

  /**
   * Counts the question for the key of one limit.
   *
   * @param policy of the limit.
   */
  void count(HeavyHitters into, QuotaPolicy policy, long nowNs) {
    int group = count == 1 ? 0 : groupOf(policy);
    if (group != UNKNOWN) {
      count(into, group, nowNs);
    }
  }

  private int groupOf(QuotaPolicy policy) {
    for (int group = 0; group < count; group++) {
      for (int i = 0; i < groups[group].size(); i++) {
        Budget budget = groups[group].budget(i);
        if (budget.policy() == policy || budget.latest().policy() == policy) {
          return group;
        }
      }
    }
    return UNKNOWN;
  }

  private void count(HeavyHitters into, int group, long nowNs) {
    into.add(
        keys[group],
        weight,
        groups[group].budget(0).ruleId(),
        groups[group].key(),
        texts,
        group * IdentityText.MAX_BYTES,
        lengths[group],
        nowNs);
  }

  /** Drops the references to the limits. */
  void clear() {
    Arrays.fill(groups, 0, count, null);
    count = 0;
  }
}
