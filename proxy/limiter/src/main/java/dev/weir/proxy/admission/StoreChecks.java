package dev.weir.proxy.admission;

import dev.weir.proxy.admission.hold.HoldKeeper;
import dev.weir.proxy.admission.hold.StoreHold;
import dev.weir.proxy.admission.lease.LeaseAsk;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;

/** Sends the checks of questions to the store, and passes on their results. One per event loop. */
final class StoreChecks {
  private final LoopStore store;
  private final HoldKeeper holds;
  private final StoreQuestion question = new StoreQuestion();

  StoreChecks(LoopStore store, HoldKeeper holds) {
    this.store = store;
    this.holds = holds;
  }

  /**
   * Asks one of the checks.
   *
   * @param keys of all checks.
   * @param lease that is requested with it; null for none.
   * @return null if an answer will come; else the reason why none will.
   */
  StoreFault ask(LateQuestion late, int check, StoreKeys keys, long nowNs, LeaseAsk lease) {
    if (lease != null) {
      return askToKeep(late, keys, nowNs, lease);
    }
    if (isOver(late, nowNs)) {
      return StoreFault.DEADLINE;
    }
    int first = late.firstKey(check);
    ScriptLimit[] limits = late.limits(check);
    if (late.charges.operation() == Operation.CHECK && late.group(check).holds()) {
      return askToHold(late, check, keys, nowNs);
    }
    switch (late.charges.operation()) {
      case CHECK -> {
        question.check(late, check).of(keys, first, limits);
        if (late.charges.isOnce()) {
          question.once();
        } else if (!late.charges.coalesces()) {
          question.alone();
        }
        addCosts(late, check);
      }
      case PEEK -> {
        question.peek(late, check).of(keys, first, limits);
        for (int i = 0; i < limits.length; i++) {
          if (late.budgetOf(check, i).holds()) {
            question.withHeld(i);
          }
        }
        addCosts(late, check);
      }
      case RESET -> question.reset(late, check).of(keys, first, limits.length);
    }
    return ask(late, nowNs);
  }

  /** Asks for units that the request holds until it ends. */
  private StoreFault askToHold(LateQuestion late, int check, StoreKeys keys, long nowNs) {
    int charge = late.firstCharge(check);
    int group = late.groupOf(check, 0);
    BudgetGroup of = late.charges.group(group);
    StoreHold hold =
        holds.begin(late.charges.leaseKey(group), of, keys, late.firstKey(check), nowNs);
    if (hold == null) {
      return StoreFault.FULL;
    }
    for (int i = 0; i < of.size(); i++) {
      hold.cost(i, late.charges.cost(charge + i));
    }
    hold.firstCharge = charge;
    late.holds(check, hold);
    boolean isFollowed = late.charges.isFollowed();
    return holds.ask(hold, late, check, late.deadlineNs, isFollowed, nowNs);
  }

  private StoreFault askToKeep(LateQuestion late, StoreKeys keys, long nowNs, LeaseAsk lease) {
    question.lease(lease, lease.begin()).of(keys, 0, late.limits(0)).cost(lease.cost);
    lease.keepIn(question);
    StoreFault fault = isOver(late, nowNs) ? StoreFault.DEADLINE : ask(late, nowNs);
    if (fault != null) {
      lease.unsent();
    }
    return fault;
  }

  /**
   * Asks for the figures of one limit as they are after the checks that were asked before; the
   * answer has the index after the last check.
   *
   * @param key of the limit, among those of all checks.
   */
  StoreFault askRow(LateQuestion late, int key, StoreKeys keys, long nowNs) {
    ScriptLimit limit = late.budgetOf(0, key).storeLimit();
    question.peek(late, late.checkCount + key).of(keys, key, limit.alone());
    if (late.budgetOf(0, key).holds()) {
      question.withHeld(0);
    }
    question.cost(late.charges.cost(late.firstCharge(0) + key));
    return ask(late, nowNs);
  }

  private StoreFault ask(LateQuestion late, long nowNs) {
    long sinceNs = late.hasWaited ? late.askedNs : nowNs;
    question.since(sinceNs);
    if (isLimited(late)) {
      question.within(Math.max(1, late.deadlineNs - sinceNs));
    }
    if (late.charges.isFollowed()) {
      question.followed();
    }
    return store.ask(question, nowNs);
  }

  private static boolean isOver(LateQuestion late, long nowNs) {
    return isLimited(late) && nowNs >= late.deadlineNs;
  }

  /** Whether the question's own deadline is earlier than the store's. */
  private static boolean isLimited(LateQuestion late) {
    return late.retryCount > 0
        || late.hasWaited
        || late.charges.deadlineNs() != Question.NO_DEADLINE;
  }

  /**
   * Charges a check without a decision, of a request that has passed, once the store decides again.
   */
  void owe(LateQuestion late, int check, StoreKeys keys, long nowNs) {
    question.debt().of(keys, late.firstKey(check), late.limits(check));
    addCosts(late, check);
    store.ask(question, nowNs);
  }

  /**
   * Charges all budgets of a request that has passed without asking, once the store decides again.
   */
  void owe(Charges charges, StoreKeys keys, long nowNs) {
    question.debt().of(keys, 0, charges.storeLimits());
    int first = charges.firstCharge(charges.localGroupCount());
    addCosts(charges, first, charges.storeLimits().length);
    store.ask(question, nowNs);
  }

  /** Refunds what a check was granted at that time. */
  void refund(LateQuestion late, int check, long grantedAtUs, long nowNs) {
    ScriptLimit[] limits = late.limits(check);
    question.giveBack(late.server(check), grantedAtUs, 0);
    question.of(late.keys(), late.firstKey(check), limits);
    for (int i = 0; i < limits.length; i++) {
      question.mark(i, late.mark(check, i));
    }
    addCosts(late, check);
    store.ask(question, nowNs);
  }

  /** Refunds one of the checks of a slip. */
  void refund(RefundSlip kept, int check, long nowNs) {
    int first = kept.firstKeys[check];
    ScriptLimit[] limits = kept.storeLimits[check];
    question.giveBack(kept.servers[check], kept.decidedAtUs[check], 0);
    question.of(kept.storeKeys, first, limits);
    for (int i = 0; i < limits.length; i++) {
      question.cost(i, kept.storeCosts[first + i]).mark(i, kept.marks[first + i]);
    }
    store.ask(question, nowNs);
  }

  private void addCosts(LateQuestion late, int check) {
    addCosts(late.charges, late.firstCharge(check), late.limits(check).length);
  }

  private void addCosts(Charges charges, int first, int count) {
    if (charges.isUniform()) {
      question.cost(charges.cost(first));
      return;
    }
    for (int i = 0; i < count; i++) {
      question.cost(i, charges.cost(first + i));
    }
  }
}
