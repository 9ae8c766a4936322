package dev.weir.proxy.store;

import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.request.StoreFault;

/**
 * The batches of an event loop: those that are unused, and the deadlines of those that requests
 * wait for.
 */
final class BatchPool {
  /** Batches that may exist at one time, gathering and in flight. */
  static final int MAX_COUNT = 1024;

  private final LoopClock clock;
  private final WakeUp wakeUp;

  /** The head of a ring of batches that requests wait for. */
  private final Batch watched;

  private final FreeList<Batch> free;
  private int usedCount;

  BatchPool(LoopStoreConfig parts, QuestionResults outcomes, EndedCalls ended) {
    this.clock = parts.clock();
    this.wakeUp = new WakeUp(parts.eventLoop(), clock, this::expire);
    this.free = new FreeList<>(MAX_COUNT, () -> new Batch(outcomes, ended));
    watched = new Batch(outcomes, ended);
    watched.next = watched;
    watched.previous = watched;
  }

  boolean hasOne() {
    return usedCount < MAX_COUNT;
  }

  /**
   * Takes an unused batch; there must be one.
   *
   * @param server for whose time calendar windows are chosen.
   */
  Batch take(Shard owner, ServerTime server) {
    long nowNs = clock.nowNs();
    long ownUs = (nowNs - LoopClock.unixEpochNs()) / 1_000;
    usedCount++;
    return free.take().begin(owner, server.isKnown() ? server.us(nowNs) : ownUs);
  }

  /** Takes back a batch that has ended. */
  void release(Batch batch) {
    unwatch(batch);
    batch.clear();
    usedCount--;
    free.give(batch);
  }

  /** Watches the deadlines of a batch. */
  void watch(Batch batch) {
    if (batch.previous == null) {
      batch.previous = watched.previous;
      batch.next = watched;
      watched.previous.next = batch;
      watched.previous = batch;
    }
    wakeUp.at(batch.firstDueNs());
  }

  private void unwatch(Batch batch) {
    if (batch.previous != null) {
      batch.previous.next = batch.next;
      batch.next.previous = batch.previous;
      batch.previous = null;
      batch.next = null;
    }
  }

  /** Fails all requests whose deadline has passed. */
  private void expire() {
    long nowNs = clock.tick();
    long firstNs = Long.MAX_VALUE;
    for (Batch batch = watched.next; batch != watched; ) {
      Batch next = batch.next;
      if (batch.firstDueNs() <= nowNs) {
        try {
          expire(batch, nowNs);
        } catch (RuntimeException | Error bug) {
          InternalErrors.caught("a batch whose time is over", bug);
        }
      }
      if (batch.previous != null) { // has not come to its end
        if (batch.firstDueNs() == Long.MAX_VALUE) {
          unwatch(batch);
        } else {
          firstNs = Math.min(firstNs, batch.firstDueNs());
        }
      }
      batch = next.previous == null ? watched.next : next; // the call made even the next one end
    }
    if (firstNs != Long.MAX_VALUE) {
      wakeUp.at(firstNs);
    }
  }

  private static void expire(Batch batch, long nowNs) {
    Shard owner = batch.owner();
    boolean first = !batch.isExpired();
    batch.expire(nowNs, StoreFault.DEADLINE);
    if (first) {
      owner.expired(batch, nowNs);
    }
    if (batch.firstDueNs() == Long.MAX_VALUE) {
      owner.abandoned(batch);
    }
  }
}
