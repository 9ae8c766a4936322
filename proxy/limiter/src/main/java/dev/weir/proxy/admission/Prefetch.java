package dev.weir.proxy.admission;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.spec.RuleSpec;

/**
 * The rule of a question, and its identities for this node's budgets, found before the question is
 * asked. Reused.
 */
final class Prefetch implements Identities {
  private final Hash[] hashes = new Hash[RuleSpec.MAX_BUDGETS];
  private final PlannedUser user = new PlannedUser();
  private Question question;
  private RuleSet rules;
  private Rule rule;
  private RefusalReason fault;

  /** An identity as its hash only, which is enough for this node's tables. */
  private static final class Hash implements Identity {
    private long hash;

    @Override
    public long hash() {
      return hash;
    }
  }

  /**
   * @param of the question.
   * @param from the set of rules.
   * @param why the question is to be refused; null if it is not, and then {@code read} has its
   *     identities.
   * @param whose the question's user.
   */
  void set(
      Question of,
      RuleSet from,
      Rule found,
      RefusalReason why,
      Identities read,
      PlannedUser whose) {
    user.set(whose);
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

  /** Whether this was found for this question by these rules. */
  boolean isOf(Question asked, RuleSet present) {
    return question == asked && rules == present;
  }

  Rule rule() {
    return rule;
  }

  /** The question's user. */
  PlannedUser user() {
    return user;
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
