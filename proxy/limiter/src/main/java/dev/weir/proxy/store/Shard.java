package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.ErrorReply.Remedy;
import dev.weir.proxy.store.debt.Debts;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.util.function.IntFunction;

/**
 * The partitions whose checks may travel in one call: those of a server, or, in a cluster, one
 * alone. It gathers their batches and sends them. The first check goes at once. While it is away
 * those that come are gathered, and go together when the answer arrives: so nobody waits for a
 * batch to fill, and the batches are as large as the load makes them.
 *
 * <p>One per event loop and server or partition; used by that loop.
 */
final class Shard implements Debts.Carrier {
  /** Calls that may be in flight: more than one only if one is full, or waits too long. */
  static final int MAX_IN_FLIGHT = 8;

  /** Checks that have been gathered for so long go with the next that comes. */
  static final long MAX_AGE_NS = 1_000_000;

  /** Redirections that one batch follows. */
  private static final int MAX_HOPS = 5;

  private final LoopStoreConfig parts;
  private final QuestionResults outcomes;
  private final Debts debts;
  private final Debts.Count ownDebts = new Debts.Count();
  private final BatchPool batches;
  private final StoreLinks links;
  private final StoreLink link;
  private final StoreQuestion debt = new StoreQuestion();
  private Batch gathering;
  private int inFlight;

  /** Whether the next call has to carry debts: under load there is never a call for them alone. */
  private boolean owes;

  Shard(
      LoopStoreConfig parts,
      QuestionResults outcomes,
      Debts debts,
      BatchPool batches,
      StoreLinks links,
      StoreLink link) {
    this.parts = parts;
    this.outcomes = outcomes;
    this.debts = debts;
    this.batches = batches;
    this.links = links;
    this.link = link;
  }

  StoreLink link() {
    return link;
  }

  /** The debts that it may carry. */
  Debts.Count debts() {
    return ownDebts;
  }

  /** Asks a question; or returns why there is no answer, and nobody is told. */
  StoreFault ask(StoreQuestion question, long nowNs) {
    StoreFault fault = obstacle(question, nowNs);
    if (fault != null) {
      outcomes.observer().storeUnavailable(fault);
      return fault;
    }
    long deadlineNs = question.deadlineNs == 0 ? parts.deadlineNs() : question.deadlineNs;
    long sinceNs = question.sinceNs == 0 ? nowNs : question.sinceNs;
    gathering.add(question, sinceNs, sinceNs + deadlineNs);
    batches.watch(gathering);
    if (!question.isFollowed) {
      sendDue(nowNs);
    }
    return null;
  }

  /** Sends what has been gathered, if it need not wait for what is away. */
  void sendDue(long nowNs) {
    if (gathering == null) {
      return;
    }
    boolean isOld = nowNs - gathering.firstAskedNs() >= MAX_AGE_NS && inFlight < MAX_IN_FLIGHT;
    if (isOld || isDue()) {
      send(nowNs);
    }
  }

  /**
   * Gives back what was granted to some requests at one time, if the server can be reached; else
   * returns why not.
   */
  StoreFault refund(StoreQuestion refund) {
    long nowNs = outcomes.nowNs();
    boolean isElsewhere = refund.server != 0 && refund.server != link.server();
    StoreFault fault = isElsewhere ? StoreFault.DISCONNECTED : obstacle(refund, nowNs);
    if (fault != null) {
      outcomes.refunded(refund.requests, false);
      return fault;
    }
    gathering.refund(refund);
    outcomes.givingBack(refund);
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
      parts.refreshMap().run(); // the server may have been replaced
      return StoreFault.DISCONNECTED;
    }
    boolean full = gathering != null && !gathering.hasRoom(keyCount, byteCount);
    if (full && inFlight >= MAX_IN_FLIGHT || gathering == null && !batches.hasOne()) {
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
      gathering = batches.take(this, link.serverTime());
    }
    return null;
  }

  /** Charges what has passed without a decision, if the server is there. */
  void settleDebts(long nowNs) {
    if (ownDebts.debts() > 0 && link.serverTime().isKnown() && debts.owes(ownDebts, nowNs)) {
      owes = true;
      if (inFlight == 0 && obstacle(1, StoreKeys.MAX_KEY_BYTES, nowNs) == null) {
        send(nowNs);
      }
    }
  }

  @Override
  public boolean take(StoreKeys key, ScriptLimit[] limit, long requests, long cost, long passedNs) {
    if (!gathering.hasRoom(1, key.length(0))) {
      return false;
    }
    debt.debt().of(key, 0, limit).cost(cost).upTo(requests);
    gathering.owe(debt, passedNs, link.serverTime());
    return true;
  }

  private void send(long nowNs) {
    if (owes) {
      debts.moveTo(this, ownDebts, nowNs);
      owes = ownDebts.debts() > 0;
    }
    Batch batch = gathering;
    gathering = null;
    outcomes.observer().storeSent(batch.entryCount(), batch.requestCount());
    write(batch, link, nowNs);
  }

  private void write(Batch batch, StoreLink to, long nowNs) {
    inFlight++;
    batch.prepare(to, nowNs);
    to.write(batch.call(), nowNs);
  }

  /** The first requests of a batch did not get their decision in time. */
  void expired(Batch batch, long nowNs) {
    (batch.link() == null ? link : batch.link()).breaker().failed(nowNs);
  }

  /** Nobody waits for a batch any more; what it gives back still goes. */
  void abandoned(Batch batch) {
    if (batch == gathering) { // and it never left
      batch.dropChecks();
      if (batch.refundCount() == 0) {
        gathering = null;
        batches.release(batch);
      }
    }
  }

  /**
   * The map of the servers has changed, and this shard is no longer in it: another takes over.
   *
   * @param heirs by partition, the shards that are.
   */
  void retire(IntFunction<Shard> heirs) {
    if (gathering == null) {
      return;
    }
    Shard heir = heirs.apply(gathering.partition());
    long nowNs = parts.clock().tick();
    if (heir != null && heir.link.takesCalls() && heir.link.breaker().tryPass(nowNs)) {
      Batch batch = gathering;
      gathering = null;
      batch.dropRefundsNotFor(heir.link.server());
      outcomes.observer().storeSent(batch.entryCount(), batch.requestCount());
      write(batch, heir.link, nowNs);
    } else {
      dropGathered(StoreFault.NO_OWNER);
    }
  }

  /** Whether no batch gathers or is on its way. */
  boolean isIdle() {
    return gathering == null && inFlight == 0;
  }

  void dropGathered(StoreFault fault) {
    if (gathering != null) {
      Batch batch = gathering;
      gathering = null;
      end(batch, fault, false);
    }
  }

  private void end(Batch batch, StoreFault fault, boolean executed) {
    batch.fail(fault, executed);
    batches.release(batch);
  }

  /** The server has answered. */
  void answered(Batch batch) {
    final long nowNs = parts.clock().tick();
    inFlight--;
    StoreLink from = batch.link();
    from.answered(nowNs);
    boolean isDecided = batch.call().error() == null;
    if (isDecided) {
      decided(batch, from, nowNs);
    } else if (!remedy(batch, nowNs)) {
      refused(batch, from, nowNs);
    }
    proceed(nowNs, isDecided);
  }

  private void refused(Batch batch, StoreLink by, long nowNs) {
    ErrorReply error = ErrorReply.of(batch.call().error());
    outcomes.observer().storeRefused();
    parts.health().refused(by.name(), batch.call().error());
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
      outcomes.observer().storeAnsweredLate();
    } else {
      outcomes.observer().storeAnswered(nowNs - batch.sentNs());
    }
    if (!batch.deliver()) {
      batch.fail(StoreFault.MALFORMED_REPLY, true);
      from.breaker().failed(nowNs);
      from.reset("an answer that is no decision");
    } else {
      from.serverTime().answered(batch.decidedAtUs(), nowNs);
      if (!batch.isExpired()) {
        from.breaker().succeeded();
      }
    }
    batches.release(batch);
  }

  /** Whether the batch is under way again. */
  private boolean remedy(Batch batch, long nowNs) {
    ErrorReply error = ErrorReply.of(batch.call().error());
    if (error == ErrorReply.MOVED || error.remedy() == Remedy.REFRESH) {
      parts.refreshMap().run();
    }
    if (error.remedy() != Remedy.NONE && !batch.isNeeded()) { // none was executed
      return false;
    }
    StoreLink from = batch.link();
    if (error.remedy() == Remedy.SEND_SOURCE && batch.call().trySource()) {
      outcomes.observer().storeResent();
      write(batch, batch.link(), nowNs);
      return true;
    }
    if (error.remedy() == Remedy.SPLIT && batch.entryCount() > 1) {
      from.breaker().succeeded();
      split(batch, nowNs);
      return true;
    }
    if (error.remedy() == Remedy.FOLLOW && batch.redirect() <= MAX_HOPS) {
      from.breaker().succeeded(); // this call ends here, and it may have been the probe
      batch.call().asking(error == ErrorReply.ASK);
      StoreLink to = links.redirected(batch.call().error(), from);
      if (to != null && to != from) {
        batch.dropRefundsNotFor(to.server());
      }
      if (to != null && to.takesCalls() && batch.entryCount() > 0 && to.breaker().tryPass(nowNs)) {
        outcomes.observer().storeResent();
        write(batch, to, nowNs);
        return true;
      }
    }
    return false;
  }

  /** Sends every check by itself: those of keys that are nowhere yet may not travel together. */
  private void split(Batch batch, long nowNs) {
    while (batch.refundCount() > 0 && batches.hasOne()) {
      Batch part = batches.take(this, link.serverTime());
      batch.moveRefundTo(part);
      outcomes.observer().storeResent();
      write(part, link, nowNs);
    }
    for (int check = 0; check < batch.checkCount() && batches.hasOne(); check++) {
      Batch part = batches.take(this, link.serverTime());
      batch.moveTo(part, check, link.serverTime());
      if (part.checkCount() == 0) {
        batches.release(part);
        continue;
      }
      if (part.requestCount() > 0) {
        batches.watch(part);
      }
      outcomes.observer().storeResent();
      write(part, link, nowNs);
    }
    end(batch, StoreFault.ERROR_REPLY, false);
  }

  /** The connection was lost with the batch on it. */
  void lost(Batch batch) {
    inFlight--;
    batch.link().lostCall();
    end(batch, StoreFault.DISCONNECTED, batch.call().isEncoded());
    proceed(parts.clock().tick(), false);
  }

  /** The batch was not written to any connection. */
  void unsent(Batch batch) {
    inFlight--;
    end(batch, StoreFault.DISCONNECTED, false);
    proceed(parts.clock().tick(), false);
  }

  /**
   * Sends what was gathered meanwhile.
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
