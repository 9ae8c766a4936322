package dev.weir.proxy.admission.lease;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.LeaseCallback;
import dev.weir.proxy.store.StoreCallback;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;

/**
 * A request to the store for a lease, until its answer: together with a question that needs units
 * at once, or ahead of any. An answer that comes too late for the question still brings its lease,
 * unless this object has been reused by then; so the one that ended last is reused last.
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

  /** Requests that the lease shall be enough for. */
  long want;

  /** The name of this request in {@link dev.weir.algorithms.lease.Leasing}. */
  long askNs;

  /** The time of day minus the loop's time, when it began. */
  long wallAheadNs;

  /** The question that needs a part of the units; null if the lease is requested ahead. */
  StoreCallback late;

  /** Until when questions wait for its answer before the store is asked about them. */
  long patienceNs;

  /** Its index among those that questions wait for; negative if none waits. */
  int awaitedAt = -1;

  /** Questions that wait for its answer, in the order of arrival. */
  private LeaseWaiter firstWaiting;

  private LeaseWaiter lastWaiting;

  LeaseAsk(LeaseKeeper leases) {
    this.leases = leases;
  }

  /** Adds the request for a lease to a question to the store. */
  public void keepIn(StoreQuestion question) {
    question.keep(want, group.leaseTerms().lifeNs() / NS_PER_US);
  }

  /** Begins another use; returns its ticket. */
  public long begin() {
    return ++generation;
  }

  /** Adds a question that waits for the answer. */
  public void add(LeaseWaiter waiting) {
    if (firstWaiting == null) {
      firstWaiting = waiting;
    } else {
      lastWaiting.nextWaiter = waiting;
    }
    lastWaiting = waiting;
  }

  /** Returns the first of those that wait, and forgets them. */
  LeaseWaiter takeWaiting() {
    LeaseWaiter first = firstWaiting;
    firstWaiting = null;
    lastWaiting = null;
    return first;
  }

  /** Ends a request for a lease that was never sent. */
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
