package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.scripts.CheckReply;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * One call of the script to one server: refunds of earlier grants, then checks, and the requests
 * that wait for those. Requests for one budget share a check and are granted in the order they
 * came.
 *
 * <p>A batch is filled, sent, answered or lost, and used again; its owner decides when. It may be
 * sent again only if the server says that it executed none of it. A request that is not decided in
 * time is told so, and its batch goes on without it. What that leads to:
 *
 * <pre>
 * a request             granted             refused             not executed     unknown
 * waits                 is told             is told             is told: none    is told: none
 * was told, and passed  paid                owed                owed             let be
 * was told, no pass     goes back           -                   -                let be
 * went to another batch is not its own any more
 * </pre>
 *
 * <p>Used by one event loop.
 */
final class Batch {
  static final int MAX_KEYS = BatchChecks.MAX_KEYS;
  static final int MAX_KEY_BYTES = 64 * 1024;

  private final QuestionResults outcomes;
  private final BatchChecks checks = new BatchChecks();
  private final BatchRequests requests = new BatchRequests();
  private final BatchCall call;
  private final CheckReply reply = new CheckReply();
  private final StoreDecision decision = new StoreDecision();

  /** Refunds; null until there are any, as few batches have them. */
  private BatchChecks refunds;

  /** Requests granted that have not been assigned yet, by check. */
  private final long[] granted = new long[MAX_KEYS];

  /** Requests granted too late for their askers, by check. */
  private final long[] unused = new long[MAX_KEYS];

  /** A question made from a part of this batch: moved to another batch, a debt, or a refund. */
  private final StoreQuestion again = new StoreQuestion();

  private long unixUs;
  private Shard owner;
  private StoreLink link;
  private int hops;
  private long sentNs;

  /** Links of the list of watched batches, of {@link BatchPool}. */
  Batch previous;

  Batch next;

  Batch(QuestionResults outcomes, EndedCalls ended) {
    this.outcomes = outcomes;
    this.call = new BatchCall(this, ended);
  }

  /**
   * Begins to be filled.
   *
   * @param unixUs the time of this process, for calendar windows in the call.
   */
  Batch begin(Shard owner, long unixUs) {
    this.owner = owner;
    this.unixUs = unixUs;
    checks.begin(unixUs);
    return this;
  }

  /** Clears everything, and keeps the memory. */
  void clear() {
    clearChecks();
    if (refundCount() > 0) {
      refunds.begin(0);
    }
    call.clear();
    owner = null;
    link = null;
    hops = 0;
  }

  private void clearChecks() {
    checks.begin(unixUs);
    requests.clear();
  }

  /** Drops all checks, and keeps the refunds, once no request waits for it. */
  void dropChecks() {
    assert requests.firstDueNs() == Long.MAX_VALUE : "a request still waits";
    rememberUnexecuted();
    clearChecks();
  }

  /** Whether anything is left to send, after checks that no request waits for are dropped. */
  boolean isNeeded() {
    if (isAbandoned()) {
      dropChecks(); // what it gives back still goes
    }
    return entryCount() > 0;
  }

  boolean hasRoom(int moreKeys, int moreBytes) {
    int refundBytes = refunds == null ? 0 : refunds.keys().end();
    return keyCount() + moreKeys <= MAX_KEYS
        && requests.count() < BatchRequests.MAX_COUNT
        && checks.keys().end() + refundBytes + moreBytes <= MAX_KEY_BYTES;
  }

  /**
   * Adds a question.
   *
   * @param dueNs its deadline, at which it fails.
   */
  void add(StoreQuestion question, long nowNs, long dueNs) {
    requests.add(question, checks.add(question), nowNs, dueNs);
  }

  /**
   * Adds a debt: requests that have passed, charged as far as they still count.
   *
   * @param passedNs when they passed, by the event loop's clock.
   * @param of the server that the batch goes to.
   */
  void owe(StoreQuestion debt, long passedNs, ServerTime of) {
    checks.owe(debt, passedNs, of.us(passedNs));
  }

  /** Adds a refund of an earlier check's grant. */
  void refund(StoreQuestion refund) {
    if (refunds == null) {
      refunds = new BatchChecks();
    }
    if (refunds.count() == 0) {
      refunds.begin(unixUs);
    }
    refunds.add(refund);
  }

  /** The number of checks and refunds. */
  int entryCount() {
    return checks.count() + refundCount();
  }

  int checkCount() {
    return checks.count();
  }

  /** The number of refunds. */
  int refundCount() {
    return refunds == null ? 0 : refunds.count();
  }

  int requestCount() {
    return requests.count();
  }

  int keyCount() {
    return checks.keys().count() + (refundCount() > 0 ? refunds.keys().count() : 0);
  }

  /** The partition of the batch's first key. */
  int partition() {
    return Partitions.of((refundCount() > 0 ? refunds.keys() : checks.keys()).hash(0));
  }

  Shard owner() {
    return owner;
  }

  /** Whether it was filled with a request that wants something now. */
  boolean isAwaited() {
    return requests.isAwaited();
  }

  /** When the first request that still waits was asked; {@link Long#MAX_VALUE} if none waits. */
  long firstAskedNs() {
    return requests.firstAskedNs();
  }

  /** The deadline of the first request that waits; {@link Long#MAX_VALUE} if none waits. */
  long firstDueNs() {
    return requests.firstDueNs();
  }

  /** Whether a request's deadline has passed, since the batch was sent if it was. */
  boolean isExpired() {
    return requests.isExpired();
  }

  /** Whether the deadlines of all requests have passed. */
  boolean isAbandoned() {
    return requests.areAbandoned();
  }

  /** Fails the requests whose deadline has passed. */
  void expire(long nowNs, StoreFault fault) {
    requests.expire(nowNs, fault, checks, outcomes);
  }

  /** Moves one of the refunds to another batch. */
  void moveRefundTo(Batch part, int refund) {
    part.refund(refunds.question(refund, null, 0, again));
    refunds.moved(refund);
  }

  /** Moves the requests that wait for one check, or its debt, to another batch. */
  void moveTo(Batch part, int check, ServerTime of) {
    if (checks.owed(check) > 0) {
      part.owe(debt(check, checks.owed(check)), checks.passedNs(check), of);
      checks.moved(check);
      return;
    }
    for (int at = 0; at < requests.count(); at++) {
      if (requests.checks[at] == check && requests.waits(at)) {
        checks.question(check, requests.callbacks[at], requests.tickets[at], again);
        part.add(again.upTo(requests.wanted[at]), requests.askedNs[at], requests.dueNs[at]);
        requests.moved(at);
      }
    }
  }

  private StoreQuestion debt(int check, long count) {
    return checks.about(check, again.debt()).upTo(count);
  }

  /** Prepares the batch to be written to {@code to}. */
  void prepare(StoreLink to, long nowNs) {
    link = to;
    requests.unexpire();
    sentNs = nowNs;
    decision.sent(nowNs);
    call.prepare();
  }

  BatchCall call() {
    return call;
  }

  /** The link over which the batch was sent last; null if it never was. */
  StoreLink link() {
    return link;
  }

  long sentNs() {
    return sentNs;
  }

  /** Counts a redirection; returns how many there were. */
  int redirect() {
    return ++hops;
  }

  void writeKeys(ByteBuf out) {
    if (refundCount() > 0) {
      refunds.writeKeys(out);
    }
    checks.writeKeys(out);
  }

  /** Bytes of the script's argument. */
  int byteCount() {
    return checks.byteCount() + (refundCount() > 0 ? refunds.byteCount() : 0);
  }

  void writeTo(ByteBuf out) {
    if (refundCount() > 0) {
      refunds.writeTo(out);
    }
    checks.writeTo(out);
  }

  /** The server's time of its decisions; after {@link #deliver}. */
  long decidedAtUs() {
    return reply.nowUs();
  }

  /** Passes each request its decision. Returns false if the answer is malformed. */
  boolean deliver() {
    if (!isPlausible(call.answer())) {
      return false;
    }
    int before = refundCount();
    for (int check = 0; check < checks.count(); check++) {
      granted[check] = reply.granted(before + check);
      unused[check] = 0;
    }
    countExecuted();
    for (int at = 0; at < requests.count(); at++) {
      deliver(at, requests.checks[at], before + requests.checks[at]);
    }
    for (int check = 0; check < checks.count(); check++) {
      if (unused[check] > 0) {
        giveBackUnused(check);
      }
    }
    return true;
  }

  private void giveBackUnused(int check) {
    boolean isMarked = checks.isMarked(check);
    again.giveBack(isMarked ? link.server() : 0, reply.nowUs(), 0);
    checks.about(check, again).upTo(unused[check]);
    for (int limit = 0; isMarked && limit < again.limits.length; limit++) {
      int lease = checks.leaseIndex(check);
      again.mark(limit, reply.grantedMark(lease, limit, again.costs[limit]));
    }
    owner.refund(again);
  }

  private boolean isPlausible(ByteBuffer answer) {
    int leases = checks.leaseCount();
    int holds = checks.holdCount();
    if (answer == null || answer.remaining() != CheckReply.length(entryCount(), leases, holds)) {
      return false;
    }
    reply.wrap(answer, entryCount(), leases, holds);
    int before = refundCount();
    for (int refund = 0; refund < before; refund++) {
      if (!refunds.isPlausible(refund, reply, refund)) {
        return false;
      }
    }
    for (int check = 0; check < checks.count(); check++) {
      if (!checks.isPlausible(check, reply, before + check)) {
        return false;
      }
    }
    return true;
  }

  /** Passes a request its part of what its check was granted. */
  private void deliver(int at, int check, int entry) {
    boolean isForeign = reply.status(entry) == CheckReply.FOREIGN;
    long wanted = requests.wanted[at];
    long grant = Math.min(granted[check], wanted);
    granted[check] -= grant;
    if (requests.waits(at) && isForeign) {
      StoreFault fault = StoreFault.MALFORMED_REPLY;
      outcomes.tellUnavailable(requests.callbacks[at], requests.tickets[at], fault);
    } else if (requests.waits(at)) {
      decide(at, check, entry, grant, grant == wanted);
      outcomes.tellDecided(requests.callbacks[at], requests.tickets[at], decision);
    } else if (requests.hasPassed(at) && grant < wanted && !isForeign) {
      outcomes.remember(debt(check, wanted - grant), requests.firstPassedNs());
    } else if (requests.isUndecided(at) && checks.isGivenBack(check)) {
      unused[check] += grant;
    }
    if (checks.isLease(check)
        && requests.isTold(at)
        && requests.callbacks[at] instanceof LeaseCallback lease
        && reply.kept(checks.leaseIndex(check)) > 0) {
      decide(at, check, entry, 0, true);
      outcomes.tellKeptLate(lease, requests.tickets[at], decision);
    }
  }

  private void decide(int at, int check, int entry, long grant, boolean isAll) {
    decision.read(reply, entry, checks, check, grant, isAll, left(check, entry));
    if (checks.isMarked(check)) {
      decision.readMarks(reply, checks, check, link.server());
    }
    if (checks.isHold(check)) {
      decision.readHold(reply, checks, check, link.server());
    }
    if (checks.isLease(check) && requests.callbacks[at] instanceof LeaseCallback) {
      decision.readLease(reply, checks, check);
    }
  }

  /** The units left after a request has its part; those behind it have not taken theirs yet. */
  private long left(int check, int entry) {
    long left = reply.remaining(entry);
    return granted[check] == 0
        ? left
        : left + granted[check] * checks.cost(check, reply.limitIndex(entry));
  }

  /**
   * Fails every request that still waits.
   *
   * @param executed whether the server may have charged them.
   */
  void fail(StoreFault fault, boolean executed) {
    expire(Long.MAX_VALUE, fault);
    if (executed) {
      countExecuted();
    } else {
      rememberUnexecuted();
      countRefunds(false);
    }
  }

  /** Keeps as debts the requests that have passed and were not charged, and its own debts. */
  private void rememberUnexecuted() {
    for (int at = 0; at < requests.count(); at++) {
      if (requests.hasPassed(at)) {
        outcomes.remember(debt(requests.checks[at], requests.wanted[at]), requests.firstPassedNs());
      }
    }
    for (int check = 0; check < checks.count(); check++) {
      if (checks.owed(check) > 0) {
        outcomes.remember(debt(check, checks.owed(check)), checks.passedNs(check));
      }
    }
  }

  /** Drops the refunds that another server cannot take, as the batch goes to that one. */
  void dropRefundsNotFor(long server) {
    if (refundCount() > 0 && !refunds.areAllFor(server)) {
      countRefunds(false);
      refunds.begin(unixUs);
    }
  }

  /** Counts debts and refunds as executed. */
  private void countExecuted() {
    for (int check = 0; check < checks.count(); check++) {
      if (checks.owed(check) > 0) {
        outcomes.debtsCharged(checks.owed(check));
      }
    }
    countRefunds(true);
  }

  private void countRefunds(boolean sent) {
    long requests = refundCount() > 0 ? refunds.requestCount() : 0;
    if (requests > 0) {
      outcomes.refunded(requests, sent);
      if (sent) {
        refunds.tellGivenBack(outcomes);
      }
    }
  }

  @Override
  public String toString() {
    return checks.count() + " checks for " + requests.count() + " requests";
  }
}
