package dev.weir.proxy.store;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.StoreKeys;
import java.util.ArrayList;
import java.util.List;

/**
 * Passes on the results of an event loop's questions: makes callbacks, keeps debts for requests
 * that passed undecided, reports refunds, and counts. An exception of one callback does not keep
 * others from being called.
 *
 * <p>One per event loop.
 */
final class QuestionResults implements BudgetListener {
  private static final String CALLBACK = "a request that asked the store";

  private final LoopClock clock;
  private final Debts debts;
  private StoreObserver observer;
  private final List<BudgetListener> listeners = new ArrayList<>();
  private boolean isAsking;

  QuestionResults(LoopClock clock, Debts debts) {
    this.clock = clock;
    this.debts = debts;
  }

  /** Sets the observer that counts from now on. */
  void observer(StoreObserver counts) {
    observer = counts;
  }

  StoreObserver observer() {
    return observer;
  }

  /** Adds a listener, which is told from now on. */
  void listen(BudgetListener ofBudgets) {
    listeners.add(ofBudgets);
  }

  @Override
  public void givenBack(StoreKeys keys, int key, long cost) {
    for (int i = 0; i < listeners.size(); i++) { // an iterator would be garbage
      listeners.get(i).givenBack(keys, key, cost);
    }
  }

  @Override
  public void forget(byte[] name, int partition) {
    listeners.forEach(listener -> listener.forget(name, partition));
  }

  @Override
  public void forgetAll() {
    listeners.forEach(BudgetListener::forgetAll);
  }

  @Override
  public void serversChanged() {
    listeners.forEach(BudgetListener::serversChanged);
  }

  /**
   * Sets whether a question or refund is being made, during which no callback may change anything.
   */
  void asking(boolean now) {
    isAsking = now;
  }

  boolean isAsking() {
    return isAsking;
  }

  long nowNs() {
    return clock.nowNs();
  }

  /**
   * Tells a callback that there is no decision; returns whether the request passes all the same.
   */
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

  /** Passes on a lease that came too late for its request, which has failed before. */
  void tellKeptLate(LeaseCallback callback, long ticket, StoreDecision decision) {
    assert !isAsking : "a request is told within the question of another";
    try {
      callback.keptLate(ticket, decision);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(CALLBACK, bug);
    }
  }

  /**
   * Keeps a debt: requests that have passed and have not been charged. If one budget's debts find
   * no room, others are still kept.
   */
  void remember(StoreQuestion debt, long passedNs) {
    long nowNs = clock.nowNs();
    for (int i = 0; i < debt.limits.length; i++) {
      int key = debt.first + i;
      long cost = debt.costs[i];
      if (cost == 0) {
        continue; // what a request held, and did not use
      }
      debts.add(debt.keys, key, debt.limits[i], debt.requests, cost, passedNs, nowNs);
    }
  }

  /** Counts debts that the server may have charged. */
  void debtsCharged(long requests) {
    observer.storeDebts(requests, true);
  }

  /** Reports a refund that is being sent. */
  void givingBack(StoreQuestion refund) {
    for (int i = 0; i < refund.keyCount; i++) {
      givenBack(refund.keys, refund.first + i, refund.costs[i]);
    }
  }

  /**
   * Counts refunds that have ended.
   *
   * @param sent whether the server may have executed them.
   */
  void refunded(long requests, boolean sent) {
    observer.storeRefunds(requests, sent);
  }
}
