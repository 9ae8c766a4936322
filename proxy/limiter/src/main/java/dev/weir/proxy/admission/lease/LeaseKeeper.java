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

/**
 * Requests leases from the store, stores them, and returns the unused units at the end of their
 * life, when their rule changes, and when the process ends. Leases that may not be used for other
 * reasons are dropped: when a budget is reset, when its server is replaced, and after the machine
 * was suspended. {@link Leasing} decides what is to be done.
 *
 * <p>One per event loop; the lease table is shared. Each event loop returns what it was granted;
 * any may drop any lease.
 */
public final class LeaseKeeper implements BudgetListener {
  /** Time between two looks at the ends of leases. */
  public static final long SWEEP_NS = 10_000_000;

  /** The most requests for leases that one event loop has under way. */
  static final int MAX_ASKS = 1024;

  /** The least gap that shows a suspended machine, as the time of day has millisecond precision. */
  private static final long LEAST_PATIENCE_NS = 2_000_000;

  private final SharedLeases all;
  private final LeaseTable table;
  private final Leasing leasing;
  private final RoundTrips roundTrips;
  private final LoopStore store;
  private final LoopClock clock;
  private final LeaseMetrics counts;

  /** Ended requests, the oldest first, so that a late answer finds its request unused. */
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

  /** When budgets were reset: leases requested earlier are not used. */
  private long forgottenNs;

  /** When leases were last dropped before their end. */
  private long droppedNs;

  /** How long the machine may be suspended without leases being dropped. */
  private long patienceNs = Long.MAX_VALUE;

  public LeaseKeeper(
      SharedLeases all, LoopStore store, long deadlineNs, LoopClock clock, LeaseMetrics counts) {
    this.all = all;
    table = all.table();
    this.roundTrips = new RoundTrips();
    this.leasing = new Leasing(table, roundTrips, deadlineNs);
    this.store = store;
    this.clock = clock;
    this.counts = counts;
    this.sweep = store.wakeUp(this::sweep);
    this.deadlineNs = deadlineNs;
    this.awaited = new LeaseWaiters(table.count(), clock, store);
  }

  /** The requests for leases under way, and the questions that wait for them. */
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
   * Begins a request for a lease, if more units are wanted and none is under way.
   *
   * @param cost units of each request.
   * @return null if none begins.
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
    ask.wallAheadNs = clock.wallNs() - nowNs;
    ask.late = null;
    awaited.begun(ask);
    return ask;
  }

  private LeaseAsk newAsk() {
    askCount++;
    return new LeaseAsk(this);
  }

  /** Begins a request for a lease that goes with a question. */
  public LeaseAsk beginFor(LeaseWaiter late, long nowNs) {
    LeaseAsk ask = begin(late.hand, late.handKey(), late.handGroup(), late.handCost(), nowNs);
    if (ask != null) {
      ask.late = late;
      counts.asked(false);
    }
    return ask;
  }

  /**
   * Requests a lease ahead.
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

  /** A request for a lease was not sent, or its outcome is unknown. */
  void lost(LeaseAsk ask) {
    leasing.lost(ask.hand, ask.askNs);
    freeAsks.add(ask);
  }

  /** The answer to a request for a lease has come in time. */
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

  /** Leased units of a key that may be used now. */
  public long inHand(long key) {
    return table.usable(key, clock.nowNs());
  }

  /**
   * The store has decided on a request, whose key may have leases.
   *
   * @param isCostUsual whether the request takes its rule's own cost.
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

  /** Stores a lease that came in time or late. */
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

  /** Whether the machine was suspended while a lease was requested. */
  private boolean hasStoodSince(LeaseAsk ask, long nowNs) {
    return clock.wallNs() - nowNs - ask.wallAheadNs > patienceNs(ask);
  }

  private static long patienceNs(LeaseAsk ask) {
    return Math.max(LEAST_PATIENCE_NS, ask.group.leaseTerms().lifeNs() / 4);
  }

  /** Counts units of a lease that came too late to be used. */
  void lateForNobody(long units) {
    counts.kept(units);
    counts.died(units);
  }

  /** Frees the ended leases of a hand. */
  private void clearEnded(int hand, long nowNs) {
    for (int place = 0; place < LeaseTable.LEASES_PER_HAND; place++) {
      long lease = table.lease(hand, place);
      if (lease != 0 && !LeaseTable.isAlive(lease, nowNs)) {
        endLease(hand, place, lease);
      }
    }
  }

  /** Ends a lease, and returns what is left of it. */
  private void endLease(int hand, int place, long lease) {
    long units = table.takeOut(hand, place, lease);
    if (units > 0) {
      end(all.receipt(hand, place), units);
      table.free(hand, place);
      leasing.endSpacing(hand);
    }
  }

  /** Returns unused units, if that cannot grant any unit twice. */
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
    if (suspension.isSuspended(clock.wallNs(), nowNs, patienceNs)) {
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
   * Returns all leases of this event loop, as far as the store takes them at once, as the process
   * ends.
   *
   * @return whether nothing is left to return, nor on its way.
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

  /** Ends a lease, unless the store takes no more questions before it has answered some. */
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
    /** Whether the lease stays; if not, it has been dropped or returned on return. */
    boolean stays(LeaseReceipt receipt, long units);
  }

  /** Looks at all leases; for rare events. */
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

  /** Returns leases of limits that have changed, as other rules are in use. */
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

  /**
   * Units were returned to budgets in the store: their keys may ask again at once; their leases
   * stay.
   */
  @Override
  public void givenBack(StoreKeys keys, int key, long cost) {
    int hand = table.find(keys.localKey(key));
    if (hand != LeaseTable.NONE) {
      leasing.endSpacing(hand);
    }
  }

  /** Lets all keys ask again at once; for rare events. */
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

  /**
   * Puts back the units that a refused request took.
   *
   * @param groups a bit for each group that it took units of, the first the lowest.
   */
  public void putBack(Taken[] taken, int groups) {
    for (int group = 0; groups >>> group != 0; group++) {
      if ((groups >>> group & 1) != 0) {
        putBack(taken[group]);
      }
    }
  }

  /**
   * Puts back leased units of a request that did not pass; they stay used if their lease has ended.
   */
  public void putBack(Taken taken) {
    long lost = taken.units() - table.putBack(taken);
    if (lost > 0) {
      counts.died(lost);
    }
  }

  /**
   * Puts back, as {@link #putBack(Taken)} does, units that were taken some time ago: not if leases
   * were dropped since, as another lease with the same end may be in the same place.
   */
  public void putBack(Taken taken, long takenNs) {
    if (takenNs > droppedNs) {
      putBack(taken);
    } else {
      counts.died(taken.units());
    }
  }
}
