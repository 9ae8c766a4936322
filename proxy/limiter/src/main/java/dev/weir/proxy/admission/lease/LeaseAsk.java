package dev.weir.proxy.admission.lease;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.LeaseCallback;
import dev.weir.proxy.store.StoreCallback;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;

/**
 * An ask for units to keep, until its answer: for a request that needs some at once, or ahead of
 * any. An answer that comes too late for the request still brings what was kept, unless the ask has
 * been made another one by then; so those that ended last are reused last.
 */
public final class LeaseAsk implements LeaseCallback {
  private static final int NS_PER_US = 1_000;

  private final LeaseKeeper leases;

  /** How often it has been used: an answer to an earlier use has another ticket. */
  private int generation;

  public int hand;
  long key;
  public BudgetGroup group;

  /** Units that each request takes. */
  public long cost;

  /** Requests to keep. */
  long want;

  /** The name by which {@link dev.weir.algorithms.lease.Leasing} knows the ask. */
  long askNs;

  /** The time of day minus the loop's time, when it was begun. */
  long wallAheadNs;

  /** The request that needs a part of it; null if it is asked ahead. */
  StoreCallback late;

  /** Until when requests wait for its answer before they are asked themselves. */
  long patienceNs;

  /** The ask's place among those that requests wait for; negative if none waits for it. */
  int awaitedAt = -1;

  /** Requests that found the hand empty since, in the order in which they came. */
  private LeaseWaiter firstWaiting;

  private LeaseWaiter lastWaiting;

  LeaseAsk(LeaseKeeper leases) {
    this.leases = leases;
  }

  /** Makes a question one that asks for requests to keep. */
  public void keepIn(StoreQuestion question) {
    question.keep(want, group.leaseTerms().lifeNs() / NS_PER_US);
  }

  /** Begins another use; returns its ticket. */
  public long begin() {
    return ++generation;
  }

  /** Has a request wait for the answer. */
  public void add(LeaseWaiter waiting) {
    if (firstWaiting == null) {
      firstWaiting = waiting;
    } else {
      lastWaiting.nextWaiter = waiting;
    }
    lastWaiting = waiting;
  }

  /** Those that wait, the first of them; from now on none does. */
  LeaseWaiter takeWaiting() {
    LeaseWaiter first = firstWaiting;
    firstWaiting = null;
    lastWaiting = null;
    return first;
  }

  /** Ends an ask that was never sent; its request knows. */
  public void unsent() {
    late = null;
    leases.awaited().ended(this);
    leases.lost(this);
  }

  @Override
  public void decided(long ticket, StoreDecision decision) {
    StoreCallback needs = late;
    LeaseWaiter waiting = leases.awaited().ended(this);
    late = null;
    try {
      leases.answered(this, needs == null, decision);
      if (needs != null) {
        needs.decided(0, decision);
      }
    } finally {
      leases.awaited().serve(waiting);
    }
  }

  @Override
  public boolean unavailable(long ticket, StoreFault fault) {
    StoreCallback needs = late;
    LeaseWaiter waiting = leases.awaited().ended(this);
    late = null;
    leases.lost(this);
    try {
      return needs != null && needs.unavailable(0, fault);
    } finally {
      leases.awaited().serve(waiting);
    }
  }

  @Override
  public void keptLate(long ticket, StoreDecision decision) {
    if (ticket == generation) {
      leases.kept(this, decision);
    } else {
      leases.lateForNobody(decision.kept());
    }
  }
}
