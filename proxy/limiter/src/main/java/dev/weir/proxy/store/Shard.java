package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.ErrorReply.Remedy;
import dev.weir.proxy.store.map.StoreKeys;
import java.util.function.IntFunction;

/**
 * The partitions whose checks may be in one call: those of a server, or in a cluster a single one.
 * Gathers their batches and sends them. The first check goes at once; checks that come while a
 * batch is away are gathered, and go together when its answer arrives. So no check waits for a
 * batch to fill, and batches are as large as the load makes them. A batch that nobody waits for, of
 * refunds, debts, and ends of what was held, keeps no check waiting.
 *
 * <p>One per event loop and server or partition.
 */
final class Shard {
  /**
   * The most calls in flight: more than one that requests wait for only if a batch is full, or has
   * waited too long.
   */
  static final int MAX_IN_FLIGHT = 8;

  /** Checks that have been gathered for this long go with the next one that comes. */
  static final long MAX_AGE_NS = 1_000_000;

  /** The most redirections that one batch follows. */
  private static final int MAX_HOPS = 5;

  private final LoopStoreConfig parts;
  private final QuestionResults outcomes;
  private final Debts debts;
  private final BatchPool batches;
  private final StoreLinks links;
  private final StoreLink link;

  /** The number of its debts, which {@link Debts} keeps. */
  int debtCount;

  private Batch gathering;
  private int inFlight;

  /** Calls in flight that requests wait for. */
  private int awaitedInFlight;

  /** Whether the next call has to carry debts: under load there is never a call with debts only. */
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

  /** Asks a question; or returns why there will be no answer, and no callback follows. */
  StoreFault ask(StoreQuestion question, long nowNs) {
    StoreFault fault = obstacle(question, nowNs);
    if (fault != null) {
      outcomes.observer().storeUnavailable(fault);
      return fault;
    }
    long deadlineNs = question.deadlineNs == 0 ? parts.deadlineNs() : question.deadlineNs;
    long sinceNs = question.sinceNs == 0 ? nowNs : question.sinceNs;
    boolean isAdded = false;
    try {
      gathering.add(question, sinceNs, sinceNs + deadlineNs);
      isAdded = true;
    } finally {
      if (!isAdded) {
        notAdded(nowNs);
      }
    }
    batches.watch(gathering);
    if (!question.isFollowed) {
      sendDue(nowNs);
    }
    return null;
  }

  /** Sends what has been gathered, unless it has to wait for a batch that is away. */
  void sendDue(long nowNs) {
    if (gathering == null) {
      return;
    }
    boolean isOld = nowNs - gathering.firstAskedNs() >= MAX_AGE_NS && inFlight < MAX_IN_FLIGHT;
    if (isOld || isDue()) {
      send(nowNs);
    }
  }

  /** Refunds a grant, if the server can be reached; otherwise returns why not. */
  StoreFault refund(StoreQuestion refund) {
    long nowNs = outcomes.nowNs();
    boolean isElsewhere = refund.server != 0 && refund.server != link.server();
    StoreFault fault = isElsewhere ? StoreFault.DISCONNECTED : obstacle(refund, nowNs);
    if (fault != null) {
      outcomes.refunded(refund.requests, false);
      return fault;
    }
    boolean isAdded = false;
    try {
      gathering.refund(refund);
      isAdded = true;
    } finally {
      if (!isAdded) {
        notAdded(nowNs);
      }
    }
    outcomes.givingBack(refund);
    if (isDue()) {
      send(nowNs);
    }
    return null;
  }

  /** A question was refused by the batch that was to take it: no empty one goes, nor a probe. */
  private void notAdded(long nowNs) {
    if (gathering.entryCount() == 0) {
      batches.release(gathering);
      gathering = null;
      if (inFlight == 0 && link.breaker().state() == Breaker.State.HALF_OPEN) {
        link.breaker().failed(nowNs); // as nothing else comes to a result
      }
    }
  }

  private boolean isDue() {
    return inFlight == 0
        || awaitedInFlight == 0 && gathering.isAwaited() && inFlight < MAX_IN_FLIGHT
        || link.breaker().state() == Breaker.State.HALF_OPEN;
  }

  private StoreFault obstacle(StoreQuestion to, long nowNs) {
    return obstacle(to.batchKeyCount(), to.batchKeyBytes(), nowNs);
  }

  /** Makes room in the gathering batch; returns why that is impossible, or null. */
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

  /** Sends debts, if the server decides. */
  void settleDebts(long nowNs) {
    if (debtCount > 0 && link.serverTime().isKnown() && debts.owes(this, nowNs)) {
      owes = true;
      if (inFlight == 0 && obstacle(1, StoreKeys.MAX_KEY_BYTES, nowNs) == null) {
        send(nowNs);
      }
    }
  }

  private void send(long nowNs) {
    if (owes) {
      debts.moveTo(gathering, this, nowNs);
      owes = debtCount > 0;
    }
    Batch batch = gathering;
    gathering = null;
    outcomes.observer().storeSent(batch.entryCount(), batch.requestCount());
    write(batch, link, nowNs);
  }

  private void write(Batch batch, StoreLink to, long nowNs) {
    count(batch, 1);
    batch.prepare(to, nowNs);
    to.write(batch.call(), nowNs);
  }

  private void count(Batch ofFlight, int more) {
    inFlight += more;
    awaitedInFlight += ofFlight.isAwaited() ? more : 0;
  }

  /** The deadline of a batch's first requests has passed. */
  void expired(Batch batch, long nowNs) {
    (batch.link() == null ? link : batch.link()).breaker().failed(nowNs);
  }

  /** The deadlines of all requests of a batch have passed; its refunds are still sent. */
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
   * Retires this shard, as it is not in the new map of the servers.
   *
   * @param heirs the shards of the new map, by partition.
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

  /** Whether no batch is being gathered or under way. */
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

  /** The server has answered a batch. */
  void answered(Batch batch) {
    final long nowNs = parts.clock().tick();
    count(batch, -1);
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

  /** Tries to get a decision in spite of an error; returns whether the batch is under way again. */
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

  /** Sends every check in a batch of its own, as keys of a moving slot may not be in one call. */
  private void split(Batch batch, long nowNs) {
    for (int refund = 0; refund < batch.refundCount() && batches.hasOne(); refund++) {
      Batch part = batches.take(this, link.serverTime());
      batch.moveRefundTo(part, refund);
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

  /** The connection was lost while the batch was on it. */
  void lost(Batch batch) {
    count(batch, -1);
    batch.link().lostCall();
    end(batch, StoreFault.DISCONNECTED, batch.call().isEncoded());
    proceed(parts.clock().tick(), false);
  }

  /** The batch was not written to any connection. */
  void unsent(Batch batch) {
    count(batch, -1);
    end(batch, StoreFault.DISCONNECTED, false);
    proceed(parts.clock().tick(), false);
  }

  /**
   * Sends what was gathered meanwhile.
   *
   * @param isDecided whether the call before succeeded: otherwise debts are not sent now; the link
   *     offers them again.
   */
  private void proceed(long nowNs, boolean isDecided) {
    if (!link.takesCalls()) {
      dropGathered(StoreFault.DISCONNECTED);
    } else if (gathering != null && isDue()) {
      send(nowNs);
    } else if (isDecided) {
      settleDebts(nowNs);
    }
  }
}
