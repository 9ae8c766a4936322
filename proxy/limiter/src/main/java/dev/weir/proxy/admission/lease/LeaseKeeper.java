package dev.weir.proxy.admission.lease;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.lease.Leasing;
import dev.weir.algorithms.lease.RoundTrips;
import dev.weir.algorithms.lease.SuspensionWatch;
import dev.weir.algorithms.lease.Taken;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.metrics.LeaseMetrics;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.BudgetListener;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * Asks the store for units to keep, takes them in, and gives back what is left of them at the end
 * of their life, when their rule changes, and when the process ends. What may not be used any
 * longer for other reasons is dropped: when a budget is reset, when its server has become another
 * one, and after the machine stood still. What {@link Leasing} decides on is done here.
 *
 * <p>One per event loop; the hands are all loops'. Each gives back what it was granted, at the end;
 * any may drop any.
 */
public final class LeaseKeeper implements BudgetListener {
  /** Between two looks at the ends of leases. */
  public static final long SWEEP_NS = 10_000_000;

  /** Asks of one event loop that may be under way. */
  static final int MAX_ASKS = 1024;

  /** The time of day is known to a millisecond: less than two tell nothing. */
  private static final long LEAST_PATIENCE_NS = 2_000_000;

  private final SharedLeases all;
  private final LeaseTable table;
  private final Leasing leasing;
  private final RoundTrips roundTrips;
  private final LoopStore store;
  private final LoopClock clock;
  private final LongSupplier wallNs;
  private final LeaseMetrics counts;

  /** Asks that have ended, the first of them first: a late answer is to find its ask unused. */
  private final ArrayDeque<LeaseAsk> freeAsks = new ArrayDeque<>();

  private int askCount;
  private final LeasesByEnd ends = new LeasesByEnd();
  private final SuspensionWatch suspension = new SuspensionWatch();
  private final WakeUp sweep;
  private final long deadlineNs;

  private final LeaseWaiters awaited;

  private final StoreQuestion question = new StoreQuestion();
  private final LeaseReceipt direct = new LeaseReceipt();
  private final StoreKeys named = new StoreKeys(1);

  /** When budgets were reset: what was asked for until then is not taken in. */
  private long forgottenNs;

  /** When units were last taken out of hands that had not ended. */
  private long droppedNs;

  /** The longest that the machine may stand still without a hand being dropped. */
  private long patienceNs = Long.MAX_VALUE;

  /**
   * @param wallNs the time of day.
   */
  public LeaseKeeper(
      SharedLeases all,
      LoopStore store,
      long deadlineNs,
      LoopClock clock,
      LongSupplier wallNs,
      LeaseMetrics counts) {
    this.all = all;
    table = all.table();
    this.roundTrips = new RoundTrips();
    this.leasing = new Leasing(table, roundTrips, deadlineNs);
    this.store = store;
    this.clock = clock;
    this.wallNs = wallNs;
    this.counts = counts;
    this.sweep = store.wakeUp(this::sweep);
    this.deadlineNs = deadlineNs;
    this.awaited = new LeaseWaiters(table.count(), clock, store);
  }

  /** The asks under way, and those that wait for them. */
  public LeaseWaiters awaited() {
    return awaited;
  }

  public Leasing leasing() {
    return leasing;
  }

  public LeaseTable table() {
    return table;
  }

  /**
   * Begins an ask for units to keep, if more of them are wanted and none is under way.
   *
   * @param cost units of each request.
   * @return null if there is none to begin.
   */
  public LeaseAsk begin(int hand, long key, BudgetGroup group, long cost, long nowNs) {
    if (freeAsks.isEmpty() && askCount == MAX_ASKS) {
      return null;
    }
    long want = leasing.want(hand, group.leaseTerms(), cost, nowNs);
    if (want == 0) {
      return null;
    }
    LeaseAsk ask = askCount < MAX_ASKS ? newAsk() : freeAsks.poll();
    ask.hand = hand;
    ask.key = key;
    ask.group = group;
    ask.cost = cost;
    ask.want = want;
    ask.askNs = leasing.askNs(nowNs);
    ask.patienceNs = nowNs + deadlineNs / 2;
    ask.wallAheadNs = wallNs.getAsLong() - nowNs;
    ask.late = null;
    awaited.begun(ask);
    return ask;
  }

  private LeaseAsk newAsk() {
    askCount++;
    return new LeaseAsk(this);
  }

  /** Begins an ask as {@link #begin} does, beside what a request needs at once. */
  public LeaseAsk beginFor(LeaseWaiter late, long nowNs) {
    LeaseAsk ask = begin(late.hand, late.handKey(), late.handGroup(), late.handCost(), nowNs);
    if (ask != null) {
      ask.late = late;
      counts.asked(false);
    }
    return ask;
  }

  /**
   * Asks ahead.
   *
   * @param keys of the budgets, from the first on.
   */
  public void ask(LeaseAsk ask, StoreKeys keys, long nowNs) {
    question.lease(ask, ask.begin()).of(keys, 0, ask.group.storeLimits()).cost(ask.cost).upTo(0);
    ask.keepIn(question);
    counts.asked(true);
    if (store.ask(question, nowNs) != null) {
      awaited.ended(ask);
      lost(ask);
    }
  }

  /** An ask never left, or nobody knows what became of it. */
  void lost(LeaseAsk ask) {
    leasing.lost(ask.hand, ask.askNs);
    freeAsks.add(ask);
  }

  /** An ask has its answer in time. */
  void answered(LeaseAsk ask, boolean isAhead, StoreDecision decision) {
    long units = decision.kept() * ask.cost;
    LeaseTerms terms = ask.group.leaseTerms();
    note(ask.hand, decision);
    leasing.answered(
        ask.hand,
        terms,
        ask.askNs,
        units,
        ask.want * ask.cost,
        isAhead,
        decision.isWindowEnd(),
        clock.nowNs());
    if (units > 0) {
      kept(ask, decision);
    }
    freeAsks.add(ask);
  }

  /** Units of a key that may be used here. */
  public long inHand(long key) {
    return table.usable(key, clock.nowNs());
  }

  /**
   * The store has decided on a request, whose key may have a hand.
   *
   * @param isCostUsual whether the request takes what its rule says.
   */
  public void decided(LeaseWaiter late, boolean isCostUsual, StoreDecision decision) {
    roundTrips.add(clock.nowNs() - decision.sentNs());
    if (late.hand == LeaseTable.NONE) {
      return;
    }
    note(late.hand, decision);
    if (isCostUsual && decision.sentNs() > forgottenNs) {
      LeaseTerms terms = late.handGroup().leaseTerms();
      long retryNs = decision.retryAfterNs();
      long provenNs = retryNs == StoreDecision.NEVER ? 0 : decision.sentNs() + retryNs;
      leasing.decided(
          late.hand, terms, decision.isShort(), decision.sentNs(), provenNs, clock.nowNs());
    }
  }

  private void note(int hand, StoreDecision decision) {
    boolean isRefused = decision.retryAfterNs() != 0;
    table.note(
        hand,
        isRefused
            ? HandNote.ofRefusal(
                decision.limitIndex(),
                decision.remaining(),
                decision.retryAfterNs() == StoreDecision.NEVER
                    ? 0
                    : decision.sentNs() + decision.retryAfterNs())
            : HandNote.of(decision.limitIndex(), decision.remaining()),
        decision.sentNs() + decision.resetAfterNs());
  }

  /** Takes in what was kept, in time or late. */
  void kept(LeaseAsk ask, StoreDecision decision) {
    long units = decision.kept() * ask.cost;
    long nowNs = clock.nowNs();
    counts.kept(units);
    if (decision.sentNs() <= forgottenNs || hasStoodSince(ask, nowNs)) {
      counts.died(units);
      return;
    }
    clearEnded(ask.hand, nowNs);
    boolean isUseful =
        decision.leaseEndNs() - nowNs > 0 && units <= LeaseTable.MAX_UNITS && ask.group.isCurrent();
    int place = isUseful ? table.reserve(ask.hand, ask.key) : LeaseTable.NO_PLACE;
    if (place == LeaseTable.NO_PLACE) {
      direct.set(ask.group, decision);
      end(direct, units);
      return;
    }
    all.receipt(ask.hand, place).set(ask.group, decision);
    long lease = table.publish(ask.hand, place, units, decision.leaseEndNs());
    ends.add(ask.hand, place, lease);
    patienceNs = Math.min(patienceNs, patienceNs(ask));
    sweep.at(nowNs + SWEEP_NS);
  }

  /** Whether the machine stood still while an ask was under way, and its life did not go on. */
  private boolean hasStoodSince(LeaseAsk ask, long nowNs) {
    return wallNs.getAsLong() - nowNs - ask.wallAheadNs > patienceNs(ask);
  }

  private static long patienceNs(LeaseAsk ask) {
    return Math.max(LEAST_PATIENCE_NS, ask.group.leaseTerms().lifeNs() / 4);
  }

  /** Units came so late that nobody knows any more for whom. */
  void lateForNobody(long units) {
    counts.kept(units);
    counts.died(units);
  }

  /** The leases of a hand that are over make room. */
  private void clearEnded(int hand, long nowNs) {
    for (int place = 0; place < LeaseTable.LEASES_PER_HAND; place++) {
      long lease = table.lease(hand, place);
      if (lease != 0 && !LeaseTable.isAlive(lease, nowNs)) {
        endLease(hand, place, lease);
      }
    }
  }

  /** Ends a lease, and gives back what is left of it. */
  private void endLease(int hand, int place, long lease) {
    long units = table.takeOut(hand, place, lease);
    if (units > 0) {
      end(all.receipt(hand, place), units);
      table.free(hand, place);
      leasing.endSpacing(hand);
    }
  }

  /** Gives back units that will not be used, where that issues nothing twice. */
  private void end(LeaseReceipt receipt, long units) {
    ended(units, giveBack(receipt, units));
  }

  private StoreFault giveBack(LeaseReceipt receipt, long units) {
    return receipt.group().takesBack()
        ? store.ask(receipt.giveBack(units, question), clock.nowNs())
        : StoreFault.NO_OWNER;
  }

  private void ended(long units, StoreFault fault) {
    if (fault == null) {
      counts.givenBack(units);
    } else {
      counts.died(units);
    }
  }

  private void sweep() {
    long nowNs = clock.tick();
    if (suspension.isSuspended(wallNs.getAsLong(), nowNs, patienceNs)) {
      dropAll();
    }
    for (int i = ends.count() - 1; i >= 0; i--) {
      if (!LeaseTable.isAlive(ends.lease(i), nowNs)) {
        endLease(ends.hand(i), ends.place(i), ends.lease(i));
        ends.remove(i);
      }
    }
    if (ends.count() > 0) {
      sweep.at(nowNs + SWEEP_NS);
    } else {
      suspension.forget();
    }
  }

  /**
   * Gives back all that this event loop was granted, as far as the store takes it at once: the
   * process ends.
   *
   * @return whether nothing is left to give back, nor on its way.
   */
  public boolean giveBackAll() {
    for (int i = ends.count() - 1; i >= 0; i--) {
      if (!giveBackNow(ends.hand(i), ends.place(i), ends.lease(i))) {
        return false;
      }
      ends.remove(i);
    }
    return store.isIdle();
  }

  /** Ends a lease, unless the store takes no more before it has answered. */
  private boolean giveBackNow(int hand, int place, long lease) {
    long units = table.takeOut(hand, place, lease);
    if (units > 0) {
      StoreFault fault = giveBack(all.receipt(hand, place), units);
      if (fault == StoreFault.FULL) {
        table.restore(hand, place, lease, units);
        return false;
      }
      ended(units, fault);
      table.free(hand, place);
    }
    return true;
  }

  /** Decides which leases stay. */
  private interface Sieve {
    /** Whether it stays; else it is gone when this returns. */
    boolean stays(LeaseReceipt receipt, long units);
  }

  /** Looks at all leases: for what seldom happens. */
  private void sift(Sieve sieve) {
    droppedNs = clock.nowNs();
    for (int hand = 0; hand < table.count(); hand++) {
      table.forgetEmptied(hand);
      for (int place = 0; place < LeaseTable.LEASES_PER_HAND; place++) {
        long lease = table.lease(hand, place);
        long units = lease == 0 ? 0 : table.takeOut(hand, place, lease);
        if (units == 0) {
          continue;
        }
        if (sieve.stays(all.receipt(hand, place), units)) {
          table.restore(hand, place, lease, units);
        } else {
          table.free(hand, place);
        }
      }
    }
  }

  private boolean drop(long units) {
    counts.died(units);
    return false;
  }

  private void dropAll() {
    sift((receipt, units) -> drop(units));
  }

  /** Other rules are in use: what is in hand under limits that have changed is not used. */
  public void rulesChanged() {
    sift(
        (receipt, units) -> {
          if (!receipt.group().isCurrent()) {
            end(receipt, units);
            return false;
          }
          return true;
        });
  }

  /** There is more in the store, and keys may ask for it; what is in hand stays what it is. */
  @Override
  public void givenBack(StoreKeys keys, int key, long cost) {
    int hand = table.find(keys.localKey(key));
    if (hand != LeaseTable.NONE) {
      leasing.endSpacing(hand);
    }
  }

  /** All keys may ask at once: for what seldom happens. */
  private void endSpacings() {
    for (int hand = 0; hand < table.count(); hand++) {
      leasing.endSpacing(hand);
    }
  }

  @Override
  public void forget(byte[] name, int partition) {
    named.clear();
    named.add(name, partition);
    long hash = named.hash(0);
    forgottenNs = clock.tick();
    endSpacings();
    sift((receipt, units) -> !names(receipt.keys(), hash) || drop(units));
  }

  private static boolean names(StoreKeys keys, long hash) {
    for (int key = 0; key < keys.count(); key++) {
      if (keys.hash(key) == hash) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void forgetAll() {
    forgottenNs = clock.tick();
    endSpacings();
    dropAll();
  }

  @Override
  public void serversChanged() {
    endSpacings();
    sift(
        (receipt, units) -> {
          long server = store.server(receipt.keys().partition(0));
          return server == 0 || server == receipt.server() || drop(units);
        });
  }

  /** Puts back what a request took that did not pass; it stays charged if its lease has ended. */
  public void putBack(Taken taken) {
    long lost = taken.units() - table.putBack(taken);
    if (lost > 0) {
      counts.died(lost);
    }
  }

  /**
   * Puts back as {@link #putBack(Taken)} does what was taken some time ago: not if anything was
   * dropped since, as a lease that was granted after that may end at the same time as the one that
   * is gone.
   */
  public void putBack(Taken taken, long takenNs) {
    if (takenNs > droppedNs) {
      putBack(taken);
    } else {
      counts.died(taken.units());
    }
  }
}
