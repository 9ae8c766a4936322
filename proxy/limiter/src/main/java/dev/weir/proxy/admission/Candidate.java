package dev.weir.proxy.admission;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.IdentityPart;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;

/**
 * A set of rules that is asked what it would have decided, about a part of the identities. An
 * identity is that by the key of the request's rule, as all requests of a budget have to be in the
 * part or none; without limits it is the client's address. Immutable; any thread.
 */
public final class Candidate {
  /** Stands for requests to which no limit of the candidate applies. */
  private static final Rule BY_ADDRESS =
      Rule.alone(
          RuleSpec.builder("what-if").key(KeySpec.parse("ip")).rate(Rate.parse("1/1s")).build(),
          1,
          null,
          0);

  private final RuleSet rules;
  private final IdentityPart[] parts;
  private final IdentityPart byAddress;

  /**
   * @param permille the part of the identities, 1 to 1,000.
   */
  public Candidate(RuleSet rules, int permille) {
    this.rules = rules;
    parts = new IdentityPart[rules.rules().size()];
    for (Rule rule : rules.rules()) {
      parts[rule.index()] = rule.groupCount() == 0 ? null : IdentityPart.of(rule, permille);
    }
    byAddress = IdentityPart.of(BY_ADDRESS, permille);
  }

  /** The rules. */
  public RuleSet rules() {
    return rules;
  }

  /** The identity of one question at a time, and whether the candidate is asked about it. */
  static final class Asker {
    private final IdentityReader identities;
    private Rule rule;
    private IdentityPart part;
    private boolean isRead;

    Asker(IdentityReader identities) {
      this.identities = identities;
    }

    /** Reads the identity of a question. */
    void read(Candidate of, Question question) {
      String id = question.ruleId();
      rule = id == null ? of.rules.match(identities.matched(question)) : of.rules.find(id);
      part = rule == null ? null : of.parts[rule.index()];
      if (part != null) {
        isRead = read(question);
      }
      if (part == null || !isRead) {
        rule = BY_ADDRESS;
        part = of.byAddress;
        isRead = read(question);
      }
    }

    private boolean read(Question question) {
      RefusalReason fault = identities.read(rule, question, part.group());
      return fault == null;
    }

    /** Whether the candidate is asked; it is if there is no identity. */
    boolean isInPart() {
      return !isRead || part.has(identity().bytes(), identity().length());
    }

    /** Whether the question has an identity. */
    boolean hasIdentity() {
      return isRead;
    }

    Identity identity() {
      return identities.of(part.group());
    }

    KeySpec key() {
      return rule.group(part.group()).key();
    }
  }
}
