package dev.weir.proxy.store;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.debt.Debts;

/**
 * The results of an event loop's questions: callbacks are told, requests that passed undecided
 * become debts, refunds are made known, and all are counted. An exception of one callback keeps no
 * other from being told.
 *
 * <p>One per event loop.
 */
final class QuestionResults {
  private static final String CALLBACK = "a request that asked the store";

  private final LoopClock clock;
  private final Debts debts;
  private StoreObserver observer;
  private BudgetListener listener = BudgetListener.NONE;
  private boolean isAsking;

  QuestionResults(LoopClock clock, Debts debts) {
    this.clock = clock;
    this.debts = debts;
  }

  /** Sets who counts from now on. */
  void observer(StoreObserver counts) {
    observer = counts;
  }

  StoreObserver observer() {
    return observer;
  }

  void listener(BudgetListener ofBudgets) {
    listener = ofBudgets;
  }

  BudgetListener listener() {
    return listener;
  }

  /** Somebody asks, or gives back, and is to find nothing changed by others until it is over. */
  void asking(boolean now) {
    isAsking = now;
  }

  boolean isAsking() {
    return isAsking;
  }

  long nowNs() {
    return clock.nowNs();
  }

  /** Tells one that there is no decision; returns whether it passes all the same. */
  boolean tellUnavailable(StoreCallback callback, long ticket, StoreFault fault) {
    assert !isAsking : "a request is told within the question of another";
    observer.storeUnavailable(fault);
    try {
      return callback.unavailable(ticket, fault);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(CALLBACK, bug);
      return false;
    }
  }

  void tellDecided(StoreCallback callback, long ticket, StoreDecision decision) {
    assert !isAsking : "a request is told within the question of another";
    try {
      callback.decided(ticket, decision);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(CALLBACK, bug);
    }
  }

  /**
   * Tells one that was told before that there is no decision: some requests are kept all the same.
   */
  void tellKeptLate(LeaseCallback callback, long ticket, StoreDecision decision) {
    assert !isAsking : "a request is told within the question of another";
    try {
      callback.keptLate(ticket, decision);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(CALLBACK, bug);
    }
  }

  /**
   * Some requests have passed and have not been charged: a budget whose debts find no room keeps no
   * other from being charged.
   */
  void remember(StoreQuestion debt, long passedNs) {
    long nowNs = clock.nowNs();
    for (int i = 0; i < debt.limits.length; i++) {
      int key = debt.first + i;
      long cost = debt.costs[i];
      debts.add(debt.keys, key, debt.limits[i], debt.requests, cost, passedNs, nowNs);
    }
  }

  /** The server may have charged what had passed before it was asked. */
  void debtsCharged(long requests) {
    observer.storeDebts(requests, true);
  }

  /** A refund is on its way. */
  void givingBack(StoreQuestion refund) {
    for (int i = 0; i < refund.keyCount; i++) {
      listener.givenBack(refund.keys, refund.first + i, refund.costs[i]);
    }
  }

  /**
   * The refunds of so many requests have come to their end.
   *
   * @param sent whether the server may have executed them.
   */
  void refunded(long requests, boolean sent) {
    observer.storeRefunds(requests, sent);
  }
}
