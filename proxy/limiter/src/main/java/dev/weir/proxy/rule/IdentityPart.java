package dev.weir.proxy.rule;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.rule.spec.Enforcement;
import dev.weir.proxy.rule.spec.KeySpec;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A part of a rule's identities: those for whom its refusals take effect ({@code enforce}), or
 * those about whom a candidate is asked ({@code what-if}). It follows from the rule's id and the
 * identity alone, by a hash without a secret: so it is the same on every sidecar and after a
 * restart, it differs between rules, and a larger part has all of a smaller one. Immutable; any
 * thread.
 */
public final class IdentityPart {
  /** Tells this use of the hash from others with a fixed key. */
  private static final long USE = 3;

  private final SipHash hash;
  private final int permille;
  private final int group;

  private IdentityPart(byte[] ruleId, int permille, int group) {
    long ofRule = new SipHash(0, USE).hash(new UnsafeBuffer(ruleId), 0, ruleId.length);
    this.hash = new SipHash(ofRule, USE);
    this.permille = permille;
    this.group = group;
  }

  /**
   * The identities for whom refusals take effect.
   *
   * @param groups of the rule, one of which has the key by which identities are divided.
   */
  IdentityPart(byte[] ruleId, Enforcement enforcement, BudgetGroup[] groups) {
    this(ruleId, enforcement.permille(), groupOf(enforcement.key(), ruleId, groups));
  }

  /**
   * A part of the identities by the rule's own key, or by that of its first limit. All callers
   * together ({@code key: all}) are one identity, and always in it.
   *
   * @param rule with a limit or more.
   */
  public static IdentityPart of(Rule rule, int permille) {
    int own = groupOf(rule.spec().enforcement().key(), rule.idUtf8(), rule.groups());
    int group = own == rule.groupCount() ? 0 : own;
    boolean isOne = rule.group(group).key().equals(KeySpec.ALL);
    return new IdentityPart(rule.idUtf8(), isOne ? Enforcement.EVERYBODY : permille, group);
  }

  /** The rule's own group with a key; the number of its groups if there is none. */
  static int groupOf(KeySpec key, byte[] ruleId, BudgetGroup[] groups) {
    int of = 0;
    while (of < groups.length
        && !(groups[of].key().equals(key) && Arrays.equals(groups[of].ruleId(), ruleId))) {
      of++;
    }
    return of;
  }

  /** The group whose identity is divided. */
  public int group() {
    return group;
  }

  /** Whether it has nobody. */
  boolean isEmpty() {
    return permille == 0;
  }

  /** Whether an identity of {@link #group}, whose bytes begin at 0, is in it. */
  public boolean has(DirectBuffer identity, int length) {
    return permille == Enforcement.EVERYBODY
        || Long.remainderUnsigned(hash.hash(identity, 0, length), Enforcement.EVERYBODY) < permille;
  }
}
