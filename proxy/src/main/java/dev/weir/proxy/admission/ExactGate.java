package dev.weir.proxy.admission;

import dev.weir.proxy.admission.StoreAsk.State;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Identities;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.store.BudgetListener;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreKeys;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.StoreSettings;
import dev.weir.proxy.store.StoreTaker;
import dev.weir.proxy.store.Topology;
import dev.weir.scripts.ScriptLimit;

/**
 * Decides by the store, for the whole fleet. A request passes only if the store says so, or if the
 * store says nothing and the rule's policy lets it pass; it is refused without a question only if
 * the store's last answer proves that the answer would be no.
 *
 * <p>The budgets of one key are one check, which the store decides as a whole. So are those of
 * several keys if they are in reach of one call. Else each key has a check of its own, all are
 * asked at once, and what was granted is given back when another refuses; see {@link Repeats}.
 *
 * <p>One per event loop.
 */
public final class ExactGate implements Gate, StoreTaker, BudgetListener {
  private static final int PROOFS = 1 << 14;

  /**
   * How long a refusal proves anything before the store is asked again. What ends it early is a
   * refund: a decision that comes after its deadline finds its request told, and is given back.
   * That is rare, and a key that is hammered on costs each event loop one check in five seconds;
   * but a budget that is free must not be refused for the rest of a long window.
   */
  private static final long PROOF_NS = 5_000_000_000L;

  /** Spreads costs over the keys of proofs. */
  private static final long COST_SEED = 0x9E37_79B9_7F4A_7C15L;

  private final LoopStore store;
  private final StoreMetrics metrics;
  private final LoopClock clock;
  private final FailurePolicy policy;
  private final StoreKeyWriter names;
  private final ProvenRefusals proofs = new ProvenRefusals(PROOFS);
  private final StoreKeys keys = new StoreKeys(RuleSpec.MAX_BUDGETS);
  private final StoreQuestion question = new StoreQuestion();
  private final Verdict verdict = new Verdict();

  /**
   * The same where requests that come together take from each other what they give back at once: it
   * would have been by then.
   */
  private final long proofNsOfSeveralKeys;

  /** When budgets were given back by hand: what was asked until then proves nothing. */
  private long forgottenNs;

  /** By parking place: what was asked for the ticket that has it, under a rule with one key. */
  private final long[] tickets = new long[AdmissionHandler.PARKING_PLACES];

  private final Rule[] rules = new Rule[AdmissionHandler.PARKING_PLACES];
  private final long[] identityHashes = new long[AdmissionHandler.PARKING_PLACES];
  private final long[] hashes = new long[RuleSpec.MAX_BUDGETS];

  /** What was asked under rules with several keys. */
  private final StoreAsk[] asks = new StoreAsk[AdmissionHandler.PARKING_PLACES];

  private final int[] freeAsks = new int[AdmissionHandler.PARKING_PLACES];
  private int askCount;
  private int freeAskCount;
  private final Repeats repeats;
  private Outcome outcome;

  /** What was decided and is being told: of one key, or of several; null while neither is. */
  private StoreDecision telling;

  /** The rule and the ticket of the first. */
  private Rule toldRule;

  private long toldTicket;

  private StoreAsk tellingAsk;

  /**
   * @param local decides while the store does not, where the rule says so.
   */
  public ExactGate(
      LoopStore store,
      StoreSettings settings,
      StoreNames storeNames,
      LocalGate local,
      LoopClock clock,
      StoreMetrics metrics) {
    this.store = store;
    this.clock = clock;
    this.metrics = metrics;
    this.policy = new FailurePolicy(local, clock, metrics);
    this.names = new StoreKeyWriter(storeNames);
    boolean isOneServer =
        settings.topology() == Topology.STANDALONE || settings.topology() == Topology.SENTINEL;
    this.proofNsOfSeveralKeys = isOneServer ? PROOF_NS : 2 * settings.deadlineNs();
    this.repeats = new Repeats(clock, settings.deadlineNs(), store::wakeUp, this::askAgain);
    store.listener(this);
  }

  @Override
  public void ask(long ticket, Rule rule, Identities identities, long nowNs, Outcome asker) {
    outcome = asker;
    if (isRefusedByProof(ticket, rule, identities, nowNs)) {
      return;
    }
    keys.clear();
    for (int i = 0; i < rule.groupCount(); i++) {
      names.write(rule.group(i), identities.of(i), keys);
    }
    if (rule.groupCount() > 1) {
      askSeveral(ticket, rule, identities, nowNs);
      return;
    }
    int place = (int) ticket;
    tickets[place] = ticket;
    rules[place] = rule;
    identityHashes[place] = identities.of(0).hash();
    question.check(this, ticket).of(keys, 0, rule.storeLimits()).cost(rule.cost());
    if (!rule.coalesces()) {
      question.alone();
    }
    StoreFault fault = store.ask(question, nowNs);
    if (fault != null && unavailable(ticket, fault)) {
      owe(keys, 0, rule.storeLimits(), rule.cost());
    }
  }

  // ---- what is known already

  private boolean isRefusedByProof(long ticket, Rule rule, Identities identities, long nowNs) {
    int longest = -1;
    Budget refusing = null;
    for (int i = 0; i < rule.groupCount(); i++) {
      BudgetGroup group = rule.group(i);
      long hash = identities.of(i).hash();
      for (int j = 0; j < group.size(); j++) {
        int proof = proofs.find(proofKey(hash ^ group.budget(j).storeSeed(), rule.cost()), nowNs);
        if (proof >= 0 && (longest < 0 || proofs.retryAtNs(proof) > proofs.retryAtNs(longest))) {
          longest = proof;
          refusing = group.budget(j);
        }
      }
    }
    if (longest < 0) {
      return false;
    }
    metrics.refusedByProof();
    outcome.settle(
        ticket,
        verdict.refuse(
            RefusalReason.OVER_LIMIT,
            refusing.policy(),
            refusing.storeLimit().capacity(),
            proofs.remaining(longest),
            Math.max(0, proofs.resetAtNs(longest) - nowNs),
            proofs.retryAtNs(longest) - nowNs));
    return true;
  }

  /** The same for as long as the budget's limit and the cost are. */
  private static long proofKey(long budgetKey, long cost) {
    return budgetKey ^ cost * COST_SEED;
  }

  /**
   * Notes a refusal. The store decided when it was asked or later: what it says of the future holds
   * until then.
   */
  private void note(Rule rule, Budget budget, long hash, StoreDecision decision) {
    if (decision.retryAfterNs() == StoreDecision.NEVER || decision.sentNs() <= forgottenNs) {
      return;
    }
    proofs.note(
        proofKey(hash ^ budget.storeSeed(), rule.cost()),
        decision.sentNs() + (rule.groupCount() == 1 ? PROOF_NS : proofNsOfSeveralKeys),
        decision.sentNs() + decision.retryAfterNs(),
        decision.sentNs() + decision.resetAfterNs(),
        decision.remaining());
  }

  @Override
  public void givenBack(StoreKeys given, int key, long cost) {
    proofs.forget(proofKey(given.localKey(key), cost));
  }

  @Override
  public void forgetAll() {
    proofs.clear();
    forgottenNs = clock.tick();
  }

  // ---- one key

  @Override
  public void decided(long ticket, StoreDecision decision) {
    int place = (int) ticket;
    if (!isAwaited(ticket)) {
      drop(ticket);
      return;
    }
    Rule rule = rules[place];
    rules[place] = null;
    Budget budget = rule.group(0).budget(decision.limitIndex());
    if (decision.allowed()) {
      verdict.allow(
          budget.policy(),
          budget.storeLimit().capacity(),
          decision.remaining(),
          decision.resetAfterNs());
      if (decision.waitNs() > 0) {
        outcome.hold(ticket, verdict, clock.nowNs() + decision.waitNs());
        return;
      }
      toldRule = rule;
      toldTicket = ticket;
      telling = decision;
    } else {
      note(rule, budget, identityHashes[place], decision);
      boolean never = decision.retryAfterNs() == StoreDecision.NEVER;
      verdict.refuse(
          never ? RefusalReason.NEVER_SATISFIABLE : RefusalReason.OVER_LIMIT,
          budget.policy(),
          budget.storeLimit().capacity(),
          decision.remaining(),
          decision.resetAfterNs(),
          never ? 0 : decision.retryAfterNs());
    }
    try {
      outcome.settle(ticket, verdict);
    } finally {
      telling = null;
    }
  }

  /** Whether the place still belongs to that ticket, and somebody waits there. */
  private boolean isAwaited(long ticket) {
    int place = (int) ticket;
    return tickets[place] == ticket && rules[place] != null && outcome.awaits(ticket);
  }

  /** The client is gone: the verdict finds nobody, and is counted. */
  private void drop(long ticket) {
    if (outcome != null) {
      outcome.settle(ticket, verdict.allowUnlimited());
    }
  }

  @Override
  public boolean unavailable(long ticket, StoreFault fault) {
    int place = (int) ticket;
    if (!isAwaited(ticket)) {
      drop(ticket);
      return false;
    }
    Rule rule = rules[place];
    rules[place] = null;
    hashes[0] = identityHashes[place];
    return policy.decide(ticket, rule, hashes, outcome);
  }

  // ---- several keys

  private void askSeveral(long ticket, Rule rule, Identities identities, long nowNs) {
    StoreAsk ask = takeAsk();
    if (ask == null) {
      metrics.storeUnavailable(StoreFault.FULL);
      for (int i = 0; i < rule.groupCount(); i++) {
        hashes[i] = identities.of(i).hash();
      }
      if (policy.decide(ticket, rule, hashes, outcome)) {
        owe(keys, 0, rule.storeLimits(), rule.cost());
      }
      return;
    }
    for (int i = 0; i < rule.groupCount(); i++) {
      ask.hashes[i] = identities.of(i).hash();
    }
    ask.begin(ticket, rule, keys, store.isOneCheck(keys) ? 1 : rule.groupCount(), nowNs);
    askFrom(ask, 0, nowNs);
  }

  /** Asks its checks from one on; the earlier ones have been granted. */
  private void askFrom(StoreAsk ask, int from, long nowNs) {
    for (int check = from; check < ask.checkCount; check++) {
      int first = ask.firstKey(check);
      boolean passed = ask.state == State.PASSED;
      if (ask.state == State.OPEN) {
        question.check(ask, check).of(ask.keys, first, ask.limits(check)).cost(ask.rule.cost());
        if (store.ask(question, nowNs) == null) {
          continue;
        }
        passed = undecided(ask);
      }
      ask.openCount--;
      if (passed) {
        owe(ask.keys, first, ask.limits(check), ask.rule.cost());
      }
    }
    ended(ask);
  }

  private void askAgain(StoreAsk ask) {
    int from = ask.firstRefused();
    ask.beginFrom(from);
    if (!outcome.awaits(ask.ticket)) {
      ask.state = State.REFUSED;
      giveBackAll(ask);
      drop(ask.ticket);
    }
    askFrom(ask, from, clock.nowNs());
  }

  /** Null if there is none: clients that go leave theirs behind until the answers come. */
  private StoreAsk takeAsk() {
    if (freeAskCount > 0) {
      return asks[freeAsks[--freeAskCount]];
    }
    if (askCount == asks.length) {
      return null;
    }
    StoreAsk ask = new StoreAsk(this, askCount);
    asks[askCount++] = ask;
    return ask;
  }

  private void owe(StoreKeys of, int first, ScriptLimit[] limits, long cost) {
    store.ask(question.debt().of(of, first, limits).cost(cost), clock.nowNs());
  }

  private void refund(StoreKeys of, int first, ScriptLimit[] limits, long cost, long decidedAtUs) {
    store.ask(question.refund(decidedAtUs).of(of, first, limits).cost(cost), clock.nowNs());
  }

  /** One of the checks of a request with several keys was decided. */
  void decided(StoreAsk ask, int check, StoreDecision decision) {
    if (!decision.allowed()) {
      long hash = ask.hashes[ask.groupOf(check, decision.limitIndex())];
      note(ask.rule, ask.budgetOf(check, decision.limitIndex()), hash, decision);
      ask.refused(check, decision);
    } else {
      ask.granted(check, decision);
      if (ask.state == State.REFUSED) {
        giveBack(ask, check);
      }
    }
    ended(ask);
  }

  /** One of the checks of a request with several keys was not; whether the request has passed. */
  boolean unavailable(StoreAsk ask) {
    boolean passed = undecided(ask);
    ended(ask);
    return passed;
  }

  /** One of the checks has no decision; returns whether the request has passed all the same. */
  private boolean undecided(StoreAsk ask) {
    if (ask.state == State.OPEN && !ask.isRefused()) {
      // The other checks may still come: what they say changes nothing for the client.
      ask.state = State.REFUSED;
      if (!outcome.awaits(ask.ticket)) {
        drop(ask.ticket);
      } else if (policy.decide(ask.ticket, ask.rule, ask.hashes, outcome)) {
        ask.state = State.PASSED;
      }
      if (ask.state == State.REFUSED) {
        giveBackAll(ask);
      }
    }
    return ask.state == State.PASSED;
  }

  /** One of the checks has come to its end. */
  private void ended(StoreAsk ask) {
    if (--ask.openCount > 0) {
      return;
    }
    if (ask.state == State.OPEN && isToBeRepeated(ask)) {
      for (int check = ask.firstRefused() + 1; check < ask.checkCount; check++) {
        giveBack(ask, check);
      }
      repeats.add(ask);
      return;
    }
    if (ask.state == State.OPEN) {
      ask.state = ask.isRefused() ? State.REFUSED : State.PASSED;
      if (ask.isRefused()) {
        giveBackAll(ask);
      }
      tellingAsk = ask.isRefused() ? null : ask;
      try {
        outcome.settle(ask.ticket, ask.verdict(verdict));
      } finally {
        tellingAsk = null;
      }
    }
    ask.rule = null;
    freeAsks[freeAskCount++] = ask.index;
  }

  /**
   * Whether it holds the first of its keys, so that it is not one of those that have to give way.
   */
  private boolean isToBeRepeated(StoreAsk ask) {
    return ask.isRefused() && ask.holdsFirst() && repeats.takes(ask) && outcome.awaits(ask.ticket);
  }

  private void giveBackAll(StoreAsk ask) {
    for (int check = 0; check < ask.checkCount; check++) {
      giveBack(ask, check);
    }
  }

  /** Gives back what a check holds, once: it holds nothing after that. */
  private void giveBack(StoreAsk ask, int check) {
    long atUs = ask.grantedAtUs(check);
    if (atUs >= 0) {
      ask.givenBack(check);
      refund(ask.keys, ask.firstKey(check), ask.limits(check), ask.rule.cost(), atUs);
    }
  }

  // ---- what is given back though it was granted and told

  @Override
  public boolean keep(long ticket, Charge into) {
    if (telling != null && toldTicket == ticket) {
      into.cost = toldRule.cost();
      into.add(telling.keys(), telling.firstKey(), toldRule.storeLimits(), telling.decidedAtUs());
    } else if (tellingAsk != null && tellingAsk.ticket == ticket) {
      into.cost = tellingAsk.rule.cost();
      for (int check = 0; check < tellingAsk.checkCount; check++) {
        into.add(
            tellingAsk.keys,
            tellingAsk.firstKey(check),
            tellingAsk.limits(check),
            tellingAsk.grantedAtUs(check));
      }
    }
    return into.checkCount > 0;
  }

  @Override
  public void giveBack(Charge charge, long nowNs) {
    for (int check = 0; check < charge.checkCount; check++) {
      refund(
          charge.storeKeys,
          charge.firstKeys[check],
          charge.storeLimits[check],
          charge.cost,
          charge.decidedAtUs[check]);
    }
  }
}
