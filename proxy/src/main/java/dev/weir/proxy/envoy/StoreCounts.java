package dev.weir.proxy.envoy;

import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreKeys;
import dev.weir.proxy.store.StoreQuestion;

/** Charges budgets of the store: each is a question of its own. One per event loop. */
final class StoreCounts {
  private final LoopStore store;
  private final DescriptorKeyWriter names;
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();

  StoreCounts(LoopStore store, DescriptorKeyWriter names) {
    this.store = store;
    this.names = names;
  }

  /**
   * Asks for one of a call's charges, or looks if it takes nothing; it goes with those that are
   * asked until {@link #send}.
   *
   * @return whether the call will be told.
   */
  boolean ask(
      PendingCall call, int charge, DescriptorIdentity identity, LimitUnit unit, long nowNs) {
    keys.clear();
    names.write(identity, unit, keys);
    if (call.domain.options().isAllOrNothing()) {
      call.keep(charge, keys);
    }
    Budgets budgets = call.charges.budgets(charge);
    long hits = call.charges.hits(charge);
    if (hits == 0) {
      question.peek(call, charge).of(keys, 0, budgets.storeLimit().alone());
    } else {
      question.check(call, charge).of(keys, 0, budgets.storeLimit().alone()).cost(hits);
    }
    return store.ask(question.followed(), nowNs) == null;
  }

  /** Nothing follows any more what was asked. */
  void send(long nowNs) {
    store.sendGathered(nowNs);
  }

  /** Notes what the store says of a charge. */
  static void decided(CallCharges charges, int charge, StoreDecision decision) {
    boolean isWait = !decision.allowed() && decision.retryAfterNs() != StoreDecision.NEVER;
    charges.decided(
        charge,
        decision.allowed(),
        charges.budgets(charge).storeLimit().capacity() - decision.remaining(),
        isWait ? decision.retryAfterNs() : decision.resetAfterNs(),
        decision.decidedAtUs());
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
