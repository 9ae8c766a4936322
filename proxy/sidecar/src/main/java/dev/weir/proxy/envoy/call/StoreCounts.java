package dev.weir.proxy.envoy.call;

import dev.weir.proxy.envoy.file.Budgets;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;

/**
 * Charges budgets of the store. Each charge is a question of its own; where a domain wants all or
 * none, those that one call reaches are one check, so that nobody ever finds taken what will go
 * back. One per event loop.
 */
final class StoreCounts {
  /** The ticket of the check of charges that are taken together. */
  private static final int TOGETHER = -1;

  private final LoopStore store;
  private final DescriptorKeyWriter names;
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreKeys together = new StoreKeys(CheckCall.MAX_LIMITS);
  private final StoreQuestion question = new StoreQuestion();

  StoreCounts(LoopStore store, DescriptorKeyWriter names) {
    this.store = store;
    this.names = names;
  }

  /**
   * Asks for one of a call's charges, or looks if it takes nothing; it goes with those that are
   * asked until {@link #send}.
   */
  void ask(PendingCall call, int charge, DescriptorIdentity identity, LimitUnit unit, long nowNs) {
    keys.clear();
    names.write(identity, unit, keys);
    if (!call.domain.options().isAllOrNothing()) {
      ask(call, charge, keys, 0, nowNs);
      return;
    }
    call.keep(charge, keys);
    if (!isTogether(call, charge) || !call.together.add(charge)) {
      ask(call, charge, call.keys(), charge, nowNs);
    }
  }

  /** Whether a charge that is refused refuses the call, whatever comes of others. */
  private static boolean isTogether(PendingCall call, int charge) {
    NodeLimit limit = call.verdict.limit(call.charges.descriptor(charge));
    return call.charges.hits(charge) > 0
        && !call.charges.budgets(charge).countsAll()
        && !limit.spec().isShadow()
        && !limit.spec().isQuota();
  }

  private void ask(PendingCall call, int charge, StoreKeys of, int key, long nowNs) {
    Budgets budgets = call.charges.budgets(charge);
    long hits = call.charges.hits(charge);
    if (hits == 0) {
      question.peek(call, charge).of(of, key, budgets.storeLimit().alone());
    } else {
      question.check(call, charge).of(of, key, budgets.storeLimit().alone()).cost(hits);
    }
    ask(call, nowNs);
  }

  private boolean ask(PendingCall call, long nowNs) {
    boolean isAsked = store.ask(question.followed(), nowNs) == null;
    if (isAsked) {
      call.openCount++;
    } else {
      call.undecided();
    }
    return isAsked;
  }

  /** Asks for what a call takes together. Nothing follows any more what was asked. */
  void send(PendingCall call, long nowNs) {
    ChargesTogether charges = call.together;
    if (charges.count() > 0) {
      if (areOneCheck(call)) {
        askTogether(call, nowNs);
      } else {
        for (int i = 0; i < charges.count(); i++) {
          ask(call, charges.charge(i), call.keys(), charges.charge(i), nowNs);
        }
      }
    }
    store.sendGathered(nowNs);
  }

  private boolean areOneCheck(PendingCall call) {
    ChargesTogether charges = call.together;
    if (!charges.areOneCheck(call.keys())) {
      return false;
    }
    together.clear();
    for (int i = 0; i < charges.count(); i++) {
      together.add(call.keys(), charges.charge(i), 1);
    }
    return store.isOneCheck(together);
  }

  private void askTogether(PendingCall call, long nowNs) {
    ChargesTogether charges = call.together;
    charges.asked();
    question.check(call, TOGETHER).of(together, 0, charges.limits(call.charges)).alone();
    for (int i = 0; i < charges.count(); i++) {
      question.cost(i, call.charges.hits(charges.charge(i)));
    }
    boolean goesOn = ask(call, nowNs);
    for (int i = 0; goesOn && i < charges.count(); i++) {
      int charge = charges.charge(i);
      question
          .peek(call, charge)
          .of(call.keys(), charge, call.charges.budgets(charge).storeLimit().alone())
          .cost(call.charges.hits(charge));
      goesOn = ask(call, nowNs);
    }
  }

  /** Notes what the store says of a charge. */
  static void decided(PendingCall call, int charge, StoreDecision decision) {
    CallCharges charges = call.charges;
    if (charge == TOGETHER) {
      call.together.decided(decision);
    } else if (!call.together.looked(charge, charges, decision)) {
      boolean isWait = !decision.allowed() && decision.retryAfterNs() != StoreDecision.NEVER;
      charges.decided(
          charge,
          decision.allowed(),
          charges.budgets(charge).storeLimit().capacity() - decision.remaining(),
          isWait ? decision.retryAfterNs() : decision.resetAfterNs(),
          decision.decidedAtUs());
    }
  }

  /** Gives back what a charge has taken; its key was kept. */
  void giveBack(PendingCall call, int charge, long nowNs) {
    CallCharges charges = call.charges;
    question
        .refund(charges.decidedAt(charge))
        .of(call.keys(), charge, charges.budgets(charge).storeLimit().alone())
        .cost(charges.hits(charge));
    store.ask(question, nowNs);
    charges.givenBack(charge);
  }
}
