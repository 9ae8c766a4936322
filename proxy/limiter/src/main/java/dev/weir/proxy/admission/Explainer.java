package dev.weir.proxy.admission;

import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.admission.ban.LoopBans;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.ConsideredRule;
import dev.weir.proxy.rule.MatchExplanation;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySource;
import dev.weir.proxy.rule.identity.IdentityText;
import dev.weir.proxy.rule.spec.RuleAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.ExpandableArrayBuffer;

/**
 * Explains how a request is decided: takes the steps of {@link AdmissionHandler} up to the gate, by
 * the classes that take them for requests, and writes down what each finds. It asks no gate, so it
 * charges nothing. One thread.
 */
public final class Explainer {
  private final IdentityReader identities;
  private final AddressLists lists;
  private final LoopBans bans;
  private final IdentityText text;
  private final QuestionRules rules;
  private final Question question = new Question();

  /** An explainer that knows no bans and no users. */
  public Explainer(IdentityReader identities, AddressLists lists, IdentityText text) {
    this(identities, lists, null, new Users(), text);
  }

  /**
   * @param identities of its own, which no event loop uses.
   * @param bans of all event loops; null if they are not known.
   * @param users of all event loops.
   * @param text how identities are shown.
   */
  public Explainer(
      IdentityReader identities, AddressLists lists, Bans bans, Users users, IdentityText text) {
    this.identities = identities;
    this.lists = lists;
    this.bans = bans == null ? null : new LoopBans(bans);
    this.text = text;
    rules = new QuestionRules(identities, users, true, LoopClock::timeNs);
  }

  /** Explains the decision on a proxied request. */
  public Explanation explain(RuleSet set, RequestView request) {
    rules.use(set);
    question.traffic(request);
    AddressLists.Listed listed = rules.find(lists, question);
    List<ConsideredRule> considered = MatchExplanation.of(set, identities.matched(question));
    Rule rule = listed == AddressLists.Listed.NEITHER ? rules.find(question) : null;
    if (rule == null || rule.groupCount() == 0) {
      RefusalReason refusal =
          listed == AddressLists.Listed.BLOCKED
              ? RefusalReason.ADDRESS_BLOCKED
              : rule != null && rule.action() == RuleAction.DENY ? RefusalReason.DENIED : null;
      boolean isEnforced = rule == null || !rule.dryRun();
      return new Explanation(
          listed, considered, rule, refusal, 0, isEnforced, false, null, List.of(), List.of());
    }
    List<Explanation.Key> keys = keys(rule);
    RefusalReason fault = rules.read(rule, question);
    fault = fault == null ? AdmissionHandler.onceFault(rule, question) : fault;
    fault = rule.action() == RuleAction.DENY ? RefusalReason.DENIED : fault;
    Rule decisive = rules.toward(rule);
    Verdict banned = fault == null ? banned(set, decisive) : null;
    fault = banned == null ? fault : banned.refusal();
    Charges charges = new Charges();
    List<Explanation.Limit> limits =
        fault == null
            ? limits(rule, charges, keys, !decisive.dryRun())
            : decisive.isPartlyRehearsed()
                ? limits(decisive.everywhereAlone(), charges)
                : List.of();
    return new Explanation(
        listed,
        considered,
        rule,
        fault,
        banned == null ? 0 : banned.retryAfterNs(),
        !decisive.dryRun(),
        fault == null && question.isOnce(),
        limits.isEmpty() ? null : charges.costFault(),
        keys.stream().distinct().toList(),
        limits);
  }

  /** The refusal of an identity that is banned now; null if none is. A look changes no ban. */
  private Verdict banned(RuleSet set, Rule rule) {
    if (bans == null || rule.bans() == null) {
      return null;
    }
    bans.use(set);
    return bans.ask(rule.bans(), identities, Operation.CHECK, LoopClock.timeNs());
  }

  private List<Explanation.Key> keys(Rule rule) {
    List<Explanation.Key> keys = new ArrayList<>();
    for (int group = 0; group < rule.groupCount(); group++) {
      keys.add(key(rule, group));
    }
    return keys;
  }

  private Explanation.Key key(Rule rule, int group) {
    BudgetGroup budgets = rule.group(group);
    RefusalReason fault = identities.read(rule, question, group);
    String key = budgets.key().toString();
    if (fault != null) {
      return new Explanation.Key(key, null, null, fault);
    }
    Identity identity = identities.of(group);
    ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(IdentityText.MAX_BYTES);
    int end = text.write(budgets.key(), identity, buffer, 0);
    String shown = new String(buffer.byteArray(), 0, end, StandardCharsets.US_ASCII);
    String source = IdentitySource.of(budgets.key(), identity, identities, question);
    return new Explanation.Key(key, shown, source, null);
  }

  /** The limits of all requests, which hold although a dry run would refuse the request. */
  private List<Explanation.Limit> limits(Rule ofAll, Charges charges) {
    List<Explanation.Key> keys = keys(ofAll);
    return rules.read(ofAll, question) == null ? limits(ofAll, charges, keys, true) : List.of();
  }

  /** The charges of the request whose identities were read last. */
  private List<Explanation.Limit> limits(
      Rule rule, Charges charges, List<Explanation.Key> keys, boolean isEnforced) {
    charges.set(rule, identities, question);
    List<Explanation.Limit> limits = new ArrayList<>();
    int charge = 0;
    for (int group = 0; group < rule.groupCount(); group++) {
      boolean isOfAll = (rule.everywhereGroups() >>> group & 1) != 0;
      for (int i = 0; i < rule.group(group).size(); i++) {
        Budget budget = rule.group(group).budget(i);
        if (!budget.isFormer()) {
          limits.add(
              new Explanation.Limit(
                  budget,
                  charges.row(charge, budget),
                  keys.get(group),
                  charges.cost(charge),
                  isOfAll,
                  isOfAll || isEnforced));
        }
        charge++;
      }
    }
    return limits;
  }
}
