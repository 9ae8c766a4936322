package dev.weir.proxy.rule;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.rule.spec.Enforcement;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The part of a rule's identities for whom its refusals take effect ({@code enforce}). It follows
 * from the rule's id and the identity alone, by a hash without a secret: so it is the same on every
 * sidecar and after a restart, it differs between rules, and a larger part has all of a smaller
 * one. Immutable; any thread.
 */
final class EnforcedPart {
  /** Tells this use of the hash from others with a fixed key. */
  private static final long USE = 3;

  private final SipHash hash;
  private final int permille;
  private final int group;

  /**
   * @param groups of the rule, one of which has the key by which identities are divided.
   */
  EnforcedPart(byte[] ruleId, Enforcement enforcement, BudgetGroup[] groups) {
    long ofRule = new SipHash(0, USE).hash(new UnsafeBuffer(ruleId), 0, ruleId.length);
    this.hash = new SipHash(ofRule, USE);
    this.permille = enforcement.permille();
    int of = 0;
    while (!groups[of].key().equals(enforcement.key())
        || !Arrays.equals(groups[of].ruleId(), ruleId)) {
      of++;
    }
    this.group = of;
  }

  /** The group whose identity says whether refusals take effect. */
  int group() {
    return group;
  }

  /** Whether it has nobody. */
  boolean isEmpty() {
    return permille == 0;
  }

  boolean has(DirectBuffer identity, int length) {
    long number = hash.hash(identity, 0, length);
    return Long.remainderUnsigned(number, Enforcement.EVERYBODY) < permille;
  }
}
