package dev.weir.proxy.admission;

import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityReader;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The first steps of a question: its rule, and the identities by the rule's keys. They are found
 * when it is asked; or ahead, for all questions of one turn, so that the memory that their
 * decisions read is prefetched together. A result that was found ahead is used only for that
 * question and under the same rules. One per event loop.
 */
final class QuestionRules {
  private final IdentityReader identities;
  private final LoopUsers users;
  private RuleSet rules = RuleSet.EMPTY;

  /**
   * What is wrong with the identity that says whether refusals take effect for the last question
   * that was read; null if it was read, or the rule is not enforced in part.
   */
  private RefusalReason enforcedFault;

  /** Prefetches, as many as the most questions that one turn has had. */
  private Prefetch[] prefetches = {};

  /**
   * @param onlyLooks whether nothing that is found changes what is known of users.
   * @param nowNs by the clock of the checks.
   */
  QuestionRules(IdentityReader identities, Users users, boolean onlyLooks, LongSupplier nowNs) {
    this.identities = identities;
    this.users = new LoopUsers(users, identities, onlyLooks, nowNs);
  }

  /** Has questions wait for users who are being read. */
  void waitFor(RecordedUsers.Waiter told) {
    users.waitFor(told);
  }

  /** Whether the last question whose rule was {@linkplain #find found} waits for its user. */
  boolean isUserAwaited() {
    return users.waitsUntilNs() != LoopUsers.WAITS_NOT;
  }

  /** Until when that question waits at the latest; {@link LoopUsers#WAITS_NOT} if it does not. */
  long waitsUntilNs() {
    return users.waitsUntilNs();
  }

  /** Has a question that waits for its user wait with others. */
  void await(long ticket, Question question, AwaitedUsers others) {
    others.add(ticket, question, users.awaited(), users.waitsUntilNs());
  }

  /** Replaces the rules. */
  void use(RuleSet newRules) {
    rules = newRules;
    users.use(newRules);
  }

  /**
   * The rule and identities found ahead for a question; null if there are none, or they may be
   * stale.
   */
  Prefetch ahead(Question question) {
    return question.prefetched() instanceof Prefetch found && found.isOf(question, rules)
        ? found
        : null;
  }

  /**
   * The rule of a question, under the plan of its user; null if there is none. A question that has
   * no end of its own is not asked about limits of which it would hold units.
   */
  Rule find(Question question) {
    return find(question, true);
  }

  /** The same of a question that waits no longer, whether its user is known or not. */
  Rule findKnown(Question question) {
    return find(question, false);
  }

  private Rule find(Question question, boolean mayWait) {
    Rule rule = findWhole(question, mayWait);
    if (rule == null || !rule.holds() || question.operation() != Operation.CHECK) {
      return rule;
    }
    if (question.isMessage()) {
      return rule.ofMessages();
    }
    return question.purpose() == Purpose.TRAFFIC ? rule : rule.withoutSlots();
  }

  /**
   * The rule of a question with all that it could be charged to. What a program asks is charged to
   * those limits of all requests whose keys it has given; it resets them only under their own rule.
   */
  private Rule findWhole(Question question, boolean mayWait) {
    String ruleId = question.ruleId();
    Rule found = ruleId == null ? rules.match(identities.matched(question)) : rules.find(ruleId);
    Rule rule = found == null ? null : users.under(found, question, mayWait);
    if (rule != null && question.isOfGivenKeys()) {
      int shared = rule.spec().isEverywhere() ? 0 : rule.everywhereGroups();
      Rule given = rule.without(shared | IdentityReader.notGiven(rule, question));
      return question.limitName() == null ? given : given.ofLimit(question.limitName());
    }
    if (rule == null || rule.everywhereGroups() == 0 || question.purpose() == Purpose.TRAFFIC) {
      return rule;
    }
    boolean isReset = question.operation() == Operation.RESET && !rule.spec().isEverywhere();
    Rule asked =
        rule.without(isReset ? rule.everywhereGroups() : identities.missing(rule, question));
    return asked.spec().isEverywhere() && asked.passesAll() ? null : asked;
  }

  /** Which of the lists decides on a question; it may have no request. */
  AddressLists.Listed find(AddressLists lists, Question question) {
    return lists.find(identities.matched(question));
  }

  /** Reads the identities of a question; returns the reason to refuse it, or null. */
  RefusalReason read(Rule rule, Question question) {
    RefusalReason fault = identities.read(rule, question);
    enforcedFault =
        fault == null || !rule.isEnforcedInPart()
            ? null
            : identities.read(rule, question, rule.enforcedGroup());
    return fault;
  }

  /**
   * The rule as it is for the last question that was {@linkplain #read}: a dry run, if its refusals
   * take effect for others only.
   */
  Rule toward(Rule rule) {
    if (!rule.isEnforcedInPart()) {
      return rule;
    }
    if (enforcedFault != null) {
      return rule.toward(enforcedFault);
    }
    Identity identity = identities.of(rule.enforcedGroup());
    return rule.toward(identity.bytes(), identity.length());
  }

  /** The user of the last question whose rule was {@linkplain #find found}. */
  PlannedUser user() {
    return users.user();
  }

  /** The identities of the last question that was {@linkplain #read}. */
  Identities identities() {
    return identities;
  }

  /** Finds rules and identities of questions ahead, and has the gate prefetch memory. */
  void lookAhead(Question[] questions, int count, Gate gate) {
    if (prefetches.length < count) {
      int known = prefetches.length;
      prefetches = Arrays.copyOf(prefetches, count);
      for (int i = known; i < count; i++) {
        prefetches[i] = new Prefetch();
      }
    }
    Question before = null;
    Rule rule = null;
    for (int i = 0; i < count; i++) {
      Question question = questions[i];
      if (question != null) {
        boolean isNext = before == null || rules.dependsOnIdentities() || rules.users() != null;
        if (isNext || !isOfSameRule(question, before)) {
          rule = find(question);
        }
        if (!isUserAwaited()) {
          lookAhead(question, rule, prefetches[i], gate);
        }
        before = question;
      }
    }
    gate.fetch();
  }

  /**
   * Whether two questions find one rule, as they have one path, method and operation; unless rules
   * {@linkplain RuleSet#dependsOnIdentities depend on more}.
   */
  private static boolean isOfSameRule(Question one, Question other) {
    return one.request() == other.request()
        && one.operation() == other.operation()
        && Objects.equals(one.ruleId(), other.ruleId());
  }

  private void lookAhead(Question question, Rule rule, Prefetch into, Gate gate) {
    if (rule != null
        && rule.groupCount() != 0
        && !rule.mayBePartlyRehearsed()
        && rule.bans() == null
        && rule.localGroupCount() == rule.groupCount()
        && !question.isOnce()) {
      RefusalReason fault = read(rule, question);
      into.set(question, rules, toward(rule), fault, identities, user());
      question.prefetched(into);
      if (fault == null) {
        gate.prefetch(rule, identities);
      }
    }
  }
}
