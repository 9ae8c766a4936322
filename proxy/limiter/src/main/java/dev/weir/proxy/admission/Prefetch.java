package dev.weir.proxy.admission;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.spec.RuleSpec;
import org.agrona.DirectBuffer;

/**
 * Results found for a question before it is asked: its rule, and whose budgets those are that this
 * node decides on. Reused.
 */
final class Prefetch implements Identities {
  private final Hash[] hashes = new Hash[RuleSpec.MAX_BUDGETS];
  private Question question;
  private RuleSet rules;
  private Rule rule;
  private RefusalReason fault;

  /** An identity by its hash alone, which is all that a node's own tables need. */
  private static final class Hash implements Identity {
    private long hash;

    @Override
    public long hash() {
      return hash;
    }

    @Override
    public DirectBuffer bytes() {
      throw new IllegalStateException("its bytes are not kept");
    }

    @Override
    public int length() {
      throw new IllegalStateException("its bytes are not kept");
    }
  }

  /**
   * @param of which it was found out.
   * @param from which the rule is.
   * @param why the question is to be refused; null if it is not, and then {@code read} has its
   *     identities.
   */
  void set(Question of, RuleSet from, Rule found, RefusalReason why, Identities read) {
    question = of;
    rules = from;
    rule = found;
    fault = why;
    for (int group = 0; why == null && group < found.groupCount(); group++) {
      if (hashes[group] == null) {
        hashes[group] = new Hash();
      }
      hashes[group].hash = read.of(group).hash();
    }
  }

  /** Whether it was found out of a question, and not of another since, by these rules. */
  boolean isOf(Question asked, RuleSet present) {
    return question == asked && rules == present;
  }

  Rule rule() {
    return rule;
  }

  /** Why the question is to be refused; null if it is not. */
  RefusalReason fault() {
    return fault;
  }

  @Override
  public Identity of(int group) {
    return hashes[group];
  }
}
