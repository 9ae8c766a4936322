package dev.weir.proxy.store;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.ErrorReply.Remedy;

/**
 * The checks that may travel in one call: those of a server, or, in a cluster, of a partition. The
 * first goes at once. While it is away those that come are gathered, and go together when the
 * answer arrives: so nobody waits for a batch to fill, and the batches are as large as the load
 * makes them.
 *
 * <p>One per event loop and server or partition; used by that loop.
 */
final class Shard {
  /** Calls that may be in flight: more than one only if one is full, or waits too long. */
  static final int MAX_IN_FLIGHT = 8;

  /** Checks that have been gathered for so long go with the next that comes. */
  static final long MAX_AGE_NS = 1_000_000;

  private static final String ASKER = "a request that asked the store";

  private final LoopStore store;
  private final StoreLink link;
  private Batch gathering;
  private int inFlight;

  /** Debts that it may carry: {@link Debts} counts them. */
  int debtCount;

  /** Whether the next call has to carry debts: under load there is never a call for them alone. */
  private boolean owes;

  Shard(LoopStore store, StoreLink link) {
    this.store = store;
    this.link = link;
  }

  StoreLink link() {
    return link;
  }

  /** Asks a question; or returns why there is no answer, and nobody is told. */
  StoreFault ask(StoreQuestion question, long nowNs) {
    StoreFault fault = obstacle(question, nowNs);
    if (fault != null) {
      store.observer().storeUnavailable(fault);
      return fault;
    }
    long deadlineNs = question.deadlineNs == 0 ? store.deadlineNs() : question.deadlineNs;
    gathering.add(question, nowNs, nowNs + deadlineNs);
    store.watch(gathering);
    boolean isOld = nowNs - gathering.firstAskedNs() >= MAX_AGE_NS && inFlight < MAX_IN_FLIGHT;
    if (isOld || isDue()) {
      send(nowNs);
    }
    return null;
  }

  /**
   * Gives back what was granted to some requests at one time, if the server can be reached; else
   * returns why not.
   */
  StoreFault refund(StoreQuestion refund) {
    long nowNs = store.nowNs();
    StoreFault fault = obstacle(refund, nowNs);
    if (fault != null) {
      refunded(refund.requests, false);
      return fault;
    }
    gathering.refund(refund);
    for (int i = 0; i < refund.keyCount; i++) {
      store.listener().givenBack(refund.keys, refund.first + i, refund.costs[i]);
    }
    if (isDue()) {
      send(nowNs);
    }
    return null;
  }

  private boolean isDue() {
    return inFlight == 0 || link.breaker().state() == Breaker.State.HALF_OPEN;
  }

  private StoreFault obstacle(StoreQuestion to, long nowNs) {
    return obstacle(to.keyCount, to.keys.length(to.first, to.keyCount), nowNs);
  }

  /** Makes room in the batch that gathers; says what stands against it, or null. */
  private StoreFault obstacle(int keyCount, int byteCount, long nowNs) {
    if (!link.takesCalls()) {
      store.refreshMap(); // the server may have been replaced
      return StoreFault.DISCONNECTED;
    }
    boolean full = gathering != null && !gathering.hasRoom(keyCount, byteCount);
    if (full && inFlight >= MAX_IN_FLIGHT || gathering == null && !store.hasBatch()) {
      return StoreFault.FULL;
    }
    // Last: who passes may be the probe, and has to come to a result.
    if (!link.breaker().tryPass(nowNs)) {
      return StoreFault.BREAKER_OPEN;
    }
    if (full) {
      send(nowNs);
    }
    if (gathering == null) {
      gathering = store.takeBatch(this);
    }
    return null;
  }

  /** Charges what has passed without a decision, if the server is there. */
  void settleDebts(long nowNs) {
    if (debtCount > 0 && link.serverTime().isKnown() && store.debts().owes(this, nowNs)) {
      owes = true;
      if (inFlight == 0 && obstacle(1, StoreKeys.MAX_KEY_BYTES, nowNs) == null) {
        send(nowNs);
      }
    }
  }

  private void send(long nowNs) {
    Batch batch = gathering;
    gathering = null;
    if (owes) {
      store.debts().moveTo(batch, this, nowNs);
      owes = debtCount > 0;
    }
    store.observer().storeSent(batch.entryCount(), batch.requestCount());
    write(batch, link, nowNs);
  }

  private void write(Batch batch, StoreLink to, long nowNs) {
    inFlight++;
    batch.prepare(to, nowNs);
    to.write(batch, nowNs);
  }

  boolean tellUnavailable(StoreTaker taker, long ticket, StoreFault fault) {
    assert !store.isAsking() : "a request is told within the question of another";
    store.observer().storeUnavailable(fault);
    try {
      return taker.unavailable(ticket, fault);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(ASKER, bug);
      return false;
    }
  }

  /** When a request passed, in the time of the server, or a little earlier. */
  long passedAtUs(long passedNs) {
    return link.serverTime().us(passedNs);
  }

  long nowNs() {
    return store.nowNs();
  }

  /** The server may have charged what had passed before it was asked. */
  void debtsCharged(long requests) {
    store.observer().storeDebts(requests, true);
  }

  /**
   * The refunds of so many requests have come to their end.
   *
   * @param sent whether the server may have executed them.
   */
  void refunded(long requests, boolean sent) {
    store.observer().storeRefunds(requests, sent);
  }

  /** What was refused before the server gave back proves nothing: all that is told by now. */
  void tellGivenBack(Refunds refunds) {
    refunds.tell(store.listener());
  }

  void tellDecided(StoreTaker taker, long ticket, StoreDecision decision) {
    assert !store.isAsking() : "a request is told within the question of another";
    try {
      taker.decided(ticket, decision);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(ASKER, bug);
    }
  }

  /** The first requests of a batch did not get their decision in time. */
  void expired(Batch batch, long nowNs) {
    (batch.link() == null ? link : batch.link()).breaker().failed(nowNs);
  }

  /** Nobody waits for a batch any more; what it gives back still goes. */
  void abandoned(Batch batch) {
    if (batch == gathering) { // and it never left
      batch.dropChecks(store.debts());
      if (batch.refundCount() == 0) {
        gathering = null;
        store.release(batch);
      }
    }
  }

  /** The map of the servers has changed, and this shard is no longer in it: another takes over. */
  void retire() {
    debtCount = 0;
    if (gathering == null) {
      return;
    }
    Shard heir = store.shard(gathering.partition());
    long nowNs = store.tick();
    if (heir != null && heir.link.takesCalls() && heir.link.breaker().tryPass(nowNs)) {
      Batch batch = gathering;
      gathering = null;
      store.observer().storeSent(batch.entryCount(), batch.requestCount());
      write(batch, heir.link, nowNs);
    } else {
      dropGathered(StoreFault.NO_OWNER);
    }
  }

  void dropGathered(StoreFault fault) {
    if (gathering != null) {
      Batch batch = gathering;
      gathering = null;
      end(batch, fault, false);
    }
  }

  private void end(Batch batch, StoreFault fault, boolean executed) {
    batch.fail(fault, executed, store.debts());
    store.release(batch);
  }

  /** The server has answered. */
  void answered(Batch batch) {
    final long nowNs = store.tick();
    inFlight--;
    StoreLink from = batch.link();
    from.answered(nowNs);
    boolean isDecided = batch.error() == null;
    if (isDecided) {
      decided(batch, from, nowNs);
    } else if (!remedy(batch, nowNs)) {
      refused(batch, from, nowNs);
    }
    proceed(nowNs, isDecided);
  }

  private void refused(Batch batch, StoreLink by, long nowNs) {
    ErrorReply error = ErrorReply.of(batch.error());
    store.observer().storeRefused();
    store.health().refused(by.name(), batch.error());
    if (error.remedy() == Remedy.FOLLOW) {
      by.breaker().succeeded(); // it is well, and knows better who has the slot
    } else {
      by.breaker().failed(nowNs);
    }
    StoreFault fault = error == ErrorReply.OOM ? StoreFault.OUT_OF_MEMORY : StoreFault.ERROR_REPLY;
    end(batch, fault, error == ErrorReply.OTHER);
  }

  private void decided(Batch batch, StoreLink from, long nowNs) {
    if (batch.isExpired()) {
      store.observer().storeAnsweredLate();
    } else {
      store.observer().storeAnswered(nowNs - batch.sentNs());
    }
    if (!batch.deliver(store.debts())) {
      batch.fail(StoreFault.MALFORMED_REPLY, true, store.debts());
      from.breaker().failed(nowNs);
      from.reset("an answer that is no decision");
    } else {
      from.serverTime().answered(batch.decidedAtUs(), nowNs);
      if (!batch.isExpired()) {
        from.breaker().succeeded();
      }
    }
    store.release(batch);
  }

  /** Whether the batch is under way again. */
  private boolean remedy(Batch batch, long nowNs) {
    ErrorReply error = ErrorReply.of(batch.error());
    if (error == ErrorReply.MOVED || error.remedy() == Remedy.REFRESH) {
      store.refreshMap();
    }
    if (batch.isAbandoned() && error.remedy() != Remedy.NONE) {
      batch.dropChecks(store.debts()); // none was executed
      if (batch.refundCount() == 0) {
        return false;
      }
    }
    StoreLink from = batch.link();
    if (error.remedy() == Remedy.SEND_SOURCE && batch.trySource()) {
      store.observer().storeResent();
      write(batch, batch.link(), nowNs);
      return true;
    }
    if (error.remedy() == Remedy.SPLIT && batch.entryCount() > 1) {
      from.breaker().succeeded();
      split(batch, nowNs);
      return true;
    }
    if (error.remedy() == Remedy.FOLLOW
        && batch.redirect(error == ErrorReply.ASK) <= LoopStore.MAX_HOPS) {
      from.breaker().succeeded(); // this call ends here, and it may have been the probe
      StoreLink to = store.linkOf(batch.error(), from);
      if (to != null && to.takesCalls() && to.breaker().tryPass(nowNs)) {
        store.observer().storeResent();
        write(batch, to, nowNs);
        return true;
      }
    }
    return false;
  }

  /** Sends every check by itself: those of keys that are nowhere yet may not travel together. */
  private void split(Batch batch, long nowNs) {
    while (batch.refundCount() > 0 && store.hasBatch()) {
      Batch part = store.takeBatch(this);
      batch.moveRefundTo(part);
      store.observer().storeResent();
      write(part, link, nowNs);
    }
    for (int check = 0; check < batch.checkCount() && store.hasBatch(); check++) {
      Batch part = store.takeBatch(this);
      batch.moveTo(part, check);
      if (part.checkCount() == 0) {
        store.release(part);
        continue;
      }
      if (part.requestCount() > 0) {
        store.watch(part);
      }
      store.observer().storeResent();
      write(part, link, nowNs);
    }
    end(batch, StoreFault.ERROR_REPLY, false);
  }

  /** A call has come to its end, and may be told of it. */
  void ended(Batch batch) {
    store.ended().add(batch);
  }

  /** The connection was lost with the batch on it. */
  void lost(Batch batch) {
    inFlight--;
    batch.link().lostCall();
    end(batch, StoreFault.DISCONNECTED, batch.isEncoded());
    proceed(store.tick(), false);
  }

  /** The batch was not written to any connection. */
  void unsent(Batch batch) {
    inFlight--;
    end(batch, StoreFault.DISCONNECTED, false);
    proceed(store.tick(), false);
  }

  /**
   * What was gathered meanwhile goes.
   *
   * @param isDecided whether the call before was: a debt that was not taken would not be now, and
   *     the link offers it again in a while.
   */
  private void proceed(long nowNs, boolean isDecided) {
    if (!link.takesCalls()) {
      dropGathered(StoreFault.DISCONNECTED);
    } else if (inFlight == 0 && gathering != null) {
      send(nowNs);
    } else if (isDecided) {
      settleDebts(nowNs);
    }
  }
}
