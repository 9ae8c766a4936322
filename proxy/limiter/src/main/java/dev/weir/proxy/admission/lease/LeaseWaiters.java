package dev.weir.proxy.admission.lease;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.map.StoreKeys;

/**
 * The asks for units that are under way, and the requests that wait for what they bring. An ask is
 * awaited until it ends or, as a request needs time to ask for itself, until half a deadline after
 * it was sent. One per event loop.
 */
public final class LeaseWaiters {
  private final LoopClock clock;

  /** The ask under way that requests may wait for, by hand. */
  private final LeaseAsk[] underWay;

  /** Those that requests wait for. */
  private final LeaseAsk[] awaited = new LeaseAsk[LeaseKeeper.MAX_ASKS];

  private int awaitedCount;
  private final WakeUp patience;

  /** Is run when all that waited for one ask have been served. */
  private Runnable allServed;

  /**
   * @param handCount keys that may have a hand.
   * @param store who wakes this up.
   */
  LeaseWaiters(int handCount, LoopClock clock, LoopStore store) {
    this.clock = clock;
    underWay = new LeaseAsk[handCount];
    patience = store.wakeUp(this::letGo);
  }

  /** Sets what is run when all that waited for one ask have been served; before the first ask. */
  public void afterServing(Runnable task) {
    allServed = task;
  }

  /** An ask begins: requests of its hand may wait for it. */
  void begun(LeaseAsk ask) {
    underWay[ask.hand] = ask;
  }

  /**
   * Has a request wait for the ask of this event loop that is under way for its key, if there is
   * one, until half a deadline after that was sent: as much at least is left to ask for itself.
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

  /** An ask has come to its end; returns the first of those that waited for it, to be served. */
  LeaseWaiter ended(LeaseAsk ask) {
    if (underWay[ask.hand] == ask) {
      underWay[ask.hand] = null;
    }
    return stopWaiting(ask);
  }

  /** Nobody waits for an ask from now on; returns the first of those that did. */
  private LeaseWaiter stopWaiting(LeaseAsk ask) {
    if (ask.awaitedAt >= 0) {
      LeaseAsk last = awaited[--awaitedCount];
      awaited[ask.awaitedAt] = last;
      last.awaitedAt = ask.awaitedAt;
      ask.awaitedAt = -1;
    }
    return ask.takeWaiting();
  }

  /** Those that have waited take what there is now, or ask for themselves. */
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

  /** Those that have waited long enough for an answer wait no longer. */
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
