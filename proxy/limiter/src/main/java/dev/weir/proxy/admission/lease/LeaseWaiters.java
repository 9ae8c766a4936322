package dev.weir.proxy.admission.lease;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.map.StoreKeys;

/**
 * The requests for leases under way, and the questions that wait for their units. A question waits
 * until the request ends; or, as it needs time to be asked itself, until half a deadline after the
 * request was sent. One per event loop.
 */
public final class LeaseWaiters {
  private final LoopClock clock;

  /** The request under way, by hand. */
  private final LeaseAsk[] underWay;

  /** The requests that questions wait for. */
  private final LeaseAsk[] awaited = new LeaseAsk[LeaseKeeper.MAX_ASKS];

  private int awaitedCount;
  private final WakeUp patience;

  /** Runs when all that waited for one request have been served. */
  private Runnable allServed;

  /**
   * @param handCount slots of the lease table.
   * @param store for timers.
   */
  LeaseWaiters(int handCount, LoopClock clock, LoopStore store) {
    this.clock = clock;
    underWay = new LeaseAsk[handCount];
    patience = store.wakeUp(this::letGo);
  }

  /**
   * Sets what runs when all that waited for one request have been served; call this before the
   * first request.
   */
  public void afterServing(Runnable task) {
    allServed = task;
  }

  /** A request for a lease begins: questions for its key may wait for it. */
  void begun(LeaseAsk ask) {
    underWay[ask.hand] = ask;
  }

  /**
   * Lets a question wait for the lease that this event loop is requesting for its key, if there is
   * one, until half a deadline after that was sent. As much is then left to ask for itself.
   *
   * @return whether it waits, and will be served.
   */
  public boolean join(LeaseWaiter late, StoreKeys keys, long nowNs) {
    LeaseAsk ask = underWay[late.hand];
    if (ask == null
        || ask.key != late.handKey()
        || nowNs >= ask.patienceNs
        || late.deadlineNs < ask.askNs) {
      return false;
    }
    late.waits(keys);
    ask.add(late);
    if (ask.awaitedAt < 0) {
      ask.awaitedAt = awaitedCount;
      awaited[awaitedCount++] = ask;
      patience.at(ask.patienceNs);
    }
    return true;
  }

  /** A request for a lease has ended; returns the first question that waited for it. */
  LeaseWaiter ended(LeaseAsk ask) {
    if (underWay[ask.hand] == ask) {
      underWay[ask.hand] = null;
    }
    return stopWaiting(ask);
  }

  /** Lets no question wait for a request any more; returns the first that did. */
  private LeaseWaiter stopWaiting(LeaseAsk ask) {
    if (ask.awaitedAt >= 0) {
      LeaseAsk last = awaited[--awaitedCount];
      awaited[ask.awaitedAt] = last;
      last.awaitedAt = ask.awaitedAt;
      ask.awaitedAt = -1;
    }
    return ask.takeWaiting();
  }

  /** Serves questions that have waited: each takes leased units, or is asked itself. */
  void serve(LeaseWaiter first) {
    LeaseWaiter next;
    for (LeaseWaiter waiter = first; waiter != null; waiter = next) {
      next = waiter.nextWaiter;
      waiter.nextWaiter = null;
      waiter.served();
    }
    if (first != null) {
      allServed.run();
    }
  }

  /** Serves the questions that have waited long enough. */
  private void letGo() {
    long nowNs = clock.tick();
    for (int i = awaitedCount - 1; i >= 0; i--) {
      if (i < awaitedCount && awaited[i].patienceNs <= nowNs) { // others may have ended meanwhile
        serve(stopWaiting(awaited[i]));
      }
    }
    for (int i = 0; i < awaitedCount; i++) {
      patience.at(awaited[i].patienceNs);
    }
  }
}
