package dev.weir.proxy.admission;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.lease.Leasing;
import dev.weir.algorithms.lease.Taken;
import dev.weir.proxy.admission.hold.HoldKeeper;
import dev.weir.proxy.admission.hold.StoreHold;
import dev.weir.proxy.admission.lease.HandNote;
import dev.weir.proxy.admission.lease.LeaseAsk;
import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.admission.lease.SharedLeases;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LeaseMetrics;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.proxy.store.map.StoreSettings;

/**
 * Decides by leased units, and if there are too few by the store, as {@link ExactGate} does. A
 * request that finds too few waits if a lease for its key is being requested; otherwise it asks the
 * store for itself, and for a lease. So a key for which a lease does not pay is decided as in mode
 * exact, and both kinds of decision can be mixed.
 *
 * <p>Where requests hold units of one key until they end, they take them from those that the store
 * has put in this event loop's hand: {@link HoldKeeper}.
 *
 * <p>Only plain checks with one cost for all limits of a key use leased units. The store decides on
 * peeks, resets, checks with an idempotency key, checks that want each limit's figures, and on
 * rules that also have limits of mode exact.
 *
 * <p>One per event loop.
 */
public final class LeasedGate implements Gate {
  private static final long NOBODY = -1;

  private final ExactGate exact;
  private final HoldKeeper holds;
  private final LeaseKeeper leases;
  private final Leasing leasing;
  private final LeaseTable table;
  private final LoopClock clock;
  private final StoreKeyWriter names;
  private final LeaseMetrics counts;
  private final StoreKeys keys = new StoreKeys(RuleSpec.MAX_BUDGETS);
  private final Verdict verdict = new Verdict();

  /** Leased units that the last request took, by the store's groups. */
  private final Taken[] taken = new Taken[RuleSpec.MAX_BUDGETS];

  private int takenCount;

  /** The ticket of that request, until the next question, or until they are kept. */
  private long takenTicket = NOBODY;

  /** Requests that have waited for a lease and found too few units, in the order of arrival. */
  private LateQuestion firstShort;

  private LateQuestion lastShort;

  /**
   * @param exact asks the store.
   * @param shared by all event loops.
   */
  public LeasedGate(
      ExactGate exact,
      SharedLeases shared,
      LoopStore store,
      StoreSettings settings,
      StoreNames storeNames,
      LoopClock clock,
      LoopMetrics metrics) {
    this.exact = exact;
    this.holds = exact.holds();
    this.counts = metrics.leases();
    this.leases = new LeaseKeeper(shared, store, settings.deadlineNs(), clock, counts);
    this.leasing = leases.leasing();
    this.table = leases.table();
    this.clock = clock;
    this.names = new StoreKeyWriter(storeNames);
    exact.leases(leases, this::serve);
    leases.awaited().afterServing(this::askForShort);
    for (int i = 0; i < taken.length; i++) {
      taken[i] = new Taken();
    }
  }

  @Override
  public Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome) {
    takenTicket = NOBODY;
    takenCount = 0;
    if (charges.areHeldOfHand()) {
      return askToHold(ticket, charges, charges.localGroupCount(), nowNs, outcome);
    }
    if (!charges.areLeased()) {
      return exact.ask(ticket, charges, nowNs, outcome);
    }
    int first = charges.localGroupCount();
    return charges.groupCount() - first == 1
        ? askOne(ticket, charges, first, nowNs, outcome)
        : askSeveral(ticket, charges, first, nowNs, outcome);
  }

  /** Lets a request hold units in hand; if there are too few, the store decides. */
  private Verdict askToHold(long ticket, Charges charges, int group, long nowNs, Outcome outcome) {
    StoreHold hold = holds.beginInHand(charges.leaseKey(group), charges.group(group), nowNs);
    if (hold != null) {
      hold.firstCharge = charges.firstCharge(group);
      for (int i = 0; i < hold.group().size(); i++) {
        hold.cost(i, charges.cost(hold.firstCharge + i));
      }
    }
    if (hold == null || !holds.take(hold, nowNs)) {
      counts.byStore();
      return exact.ask(ticket, charges, nowNs, outcome);
    }
    counts.byHand(0); // none is used before the end
    Budget budget = hold.group().budget(hold.notedLimit());
    long capacity = budget.storeLimit().capacity();
    long resetAfterNs = Math.max(0, hold.resetAtNs() - nowNs);
    long remaining = Math.min(hold.remaining(), capacity);
    exact.hold(charges, hold);
    return verdict.allow(budget.policy(), capacity, remaining, resetAfterNs);
  }

  @Override
  public boolean decidesInOne(Charges charges) {
    return exact.decidesInOne(charges);
  }

  private Verdict askOne(long ticket, Charges charges, int group, long nowNs, Outcome outcome) {
    BudgetGroup budgets = charges.group(group);
    LeaseTerms terms = budgets.leaseTerms();
    long key = charges.leaseKey(group);
    long cost = charges.cost(charges.firstCharge(group));
    int hand = leasing.arrived(key, terms, nowNs);
    if (hand == LeaseTable.NONE) {
      counts.byStore();
      return exact.ask(ticket, charges, nowNs, outcome);
    }
    if (table.take(hand, key, cost, nowNs, taken[0])) {
      takenCount = 1;
      takenTicket = ticket;
      counts.byHand(cost);
      if (leasing.isAlmostEmpty(terms, taken[0], nowNs)) {
        askAhead(charges, group, hand, key, cost, nowNs);
      }
      return allow(budgets, hand, taken[0].left(), nowNs);
    }
    if (charges.isCostUsual() && leasing.isSpaced(hand, terms, nowNs)) {
      counts.bySpacing();
      return refuse(budgets, hand, nowNs);
    }
    counts.byStore();
    return exact.ask(ticket, charges, nowNs, outcome, hand, null, 0);
  }

  /**
   * Serves a request that has waited for a lease: it takes leased units now, after those that came
   * before it.
   */
  private void serve(LateQuestion late) {
    if (!late.outcome.awaits(late.ticket)) {
      exact.leave(late);
    } else if (table.take(late.hand, late.handKey(), late.handCost(), clock.nowNs(), taken[0])) {
      counts.served(late.handCost());
      tellTaken(late, clock.nowNs());
    } else {
      counts.waitedInVain();
      if (firstShort == null) {
        firstShort = late;
      } else {
        lastShort.next = late;
      }
      lastShort = late;
    }
  }

  /** Asks the store together about the questions for which one lease brought too few units. */
  private void askForShort() {
    LateQuestion first = firstShort;
    firstShort = null;
    lastShort = null;
    if (first != null) {
      exact.askTogether(first);
    }
  }

  /** Lets a request pass by the units that it has taken. */
  private void tellTaken(LateQuestion late, long nowNs) {
    takenCount = 1;
    takenTicket = late.ticket;
    try {
      Verdict allowed = allow(late.handGroup(), late.hand, taken[0].left(), nowNs);
      late.outcome.settle(late.ticket, allowed);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a request that waited for an ask", bug);
    } finally {
      takenTicket = NOBODY;
      exact.leave(late);
    }
  }

  /**
   * Takes leased units of all keys. The store decides on the keys that have too few; the units of
   * the others are put back unless it grants those.
   */
  private Verdict askSeveral(long ticket, Charges charges, int first, long nowNs, Outcome outcome) {
    int groups = charges.groupCount() - first;
    int takenGroups = take(charges, first, nowNs, nowNs);
    if (takenGroups == (1 << groups) - 1) {
      return allowSeveral(ticket, charges, first, nowNs);
    }
    if (takenGroups != 0) {
      leases.putBack(taken, takenGroups);
      takenGroups = take(charges, first, nowNs, exact.dueNs(charges, nowNs)); // may pass until then
    }
    Verdict proven = exact.proven(charges, takenGroups, nowNs);
    if (proven != null) {
      leases.putBack(taken, takenGroups);
      countEmpty(charges, first, takenGroups, nowNs);
      return proven;
    }
    for (int i = 0; i < groups; i++) {
      if ((takenGroups >>> i & 1) == 0) {
        askAheadIfDue(charges, first + i, nowNs);
      }
    }
    counts.byStore();
    return exact.ask(ticket, charges, nowNs, outcome, LeaseTable.NONE, taken, takenGroups);
  }

  /**
   * Takes what the request costs from the lease of each key.
   *
   * @param untilNs until when the units have to be valid.
   * @return a bit for each of the store's groups that had enough, the first the lowest.
   */
  private int take(Charges charges, int first, long nowNs, long untilNs) {
    int takenGroups = 0;
    for (int group = first; group < charges.groupCount(); group++) {
      long key = charges.leaseKey(group);
      long cost = charges.cost(charges.firstCharge(group));
      int hand = leasing.find(key, charges.group(group).leaseTerms());
      if (hand != LeaseTable.NONE && table.take(hand, key, cost, untilNs, taken[group - first])) {
        takenGroups |= 1 << group - first;
      }
    }
    return takenGroups;
  }

  private Verdict allowSeveral(long ticket, Charges charges, int first, long nowNs) {
    Verdict least = null;
    long units = 0;
    for (int group = first; group < charges.groupCount(); group++) {
      BudgetGroup budgets = charges.group(group);
      Taken from = taken[group - first];
      long cost = charges.cost(charges.firstCharge(group));
      table.arrived(from.hand(), budgets.leaseTerms(), nowNs);
      if (leasing.isAlmostEmpty(budgets.leaseTerms(), from, nowNs)) {
        askAhead(charges, group, from.hand(), charges.leaseKey(group), cost, nowNs);
      }
      units += cost;
      least = least(least, budgets, from.hand(), from.left(), nowNs);
    }
    takenCount = charges.groupCount() - first;
    takenTicket = ticket;
    counts.byHand(units);
    return least;
  }

  /** Counts the keys that had too few units as demand, whatever the verdict. */
  private void countEmpty(Charges charges, int first, int takenGroups, long nowNs) {
    for (int group = first; group < charges.groupCount(); group++) {
      if ((takenGroups >>> group - first & 1) == 0 && exact.isProven(charges, group, nowNs)) {
        exact.countArrival(charges, group, nowNs);
      }
    }
  }

  private void askAheadIfDue(Charges charges, int group, long nowNs) {
    long key = charges.leaseKey(group);
    int hand = leasing.find(key, charges.group(group).leaseTerms());
    if (hand != LeaseTable.NONE && leasing.mayAskAhead(hand, nowNs)) {
      askAhead(charges, group, hand, key, charges.cost(charges.firstCharge(group)), nowNs);
    }
  }

  private Verdict least(Verdict before, BudgetGroup of, int hand, long left, long nowNs) {
    long remaining = remaining(of, hand, left);
    double share = (double) remaining / budget(of, hand).storeLimit().capacity();
    boolean isLess = before == null || share < before.shareLeft();
    return isLess ? allow(of, hand, left, nowNs) : before;
  }

  private void askAhead(Charges charges, int group, int hand, long key, long cost, long nowNs) {
    LeaseAsk ask = leases.begin(hand, key, charges.group(group), cost, nowNs);
    if (ask != null) {
      keys.clear();
      names.write(charges.group(group), charges.identity(group), keys);
      leases.ask(ask, keys, nowNs);
    }
  }

  /** The limit that the store's last answer was about. */
  private Budget budget(BudgetGroup budgets, int hand) {
    return budgets.budget(HandNote.limit(table.remaining(hand)));
  }

  /** Units that the store said are left, and leased units. */
  private long remaining(BudgetGroup budgets, int hand, long left) {
    long known = HandNote.remaining(table.remaining(hand));
    return Math.min(known + left, budget(budgets, hand).storeLimit().capacity());
  }

  private Verdict allow(BudgetGroup budgets, int hand, long left, long nowNs) {
    Budget budget = budget(budgets, hand);
    return verdict.allow(
        budget.policy(),
        budget.storeLimit().capacity(),
        remaining(budgets, hand, left),
        Math.max(0, table.resetAtNs(hand) - nowNs));
  }

  private Verdict refuse(BudgetGroup budgets, int hand, long nowNs) {
    Budget budget = budget(budgets, hand);
    long retryAtNs =
        Math.max(leasing.spacedUntilNs(hand), HandNote.retryAtNs(table.remaining(hand)));
    return verdict.refuse(
        RefusalReason.OVER_LIMIT,
        budget.policy(),
        budget.storeLimit().capacity(),
        0,
        Math.max(0, table.resetAtNs(hand) - nowNs),
        Math.max(1, retryAtNs - nowNs));
  }

  @Override
  public boolean keep(long ticket, RefundSlip into) {
    boolean isKept = exact.keep(ticket, into);
    if (ticket != takenTicket) {
      return isKept;
    }
    takenTicket = NOBODY;
    for (int i = 0; i < takenCount; i++) {
      into.add(taken[i]);
    }
    return true;
  }

  @Override
  public void giveBack(RefundSlip charge, long nowNs) {
    exact.giveBack(charge, nowNs);
    for (int i = 0; i < charge.takenCount; i++) {
      leases.putBack(charge.taken[i]);
    }
  }

  @Override
  public void rulesChanged() {
    leases.rulesChanged();
    exact.rulesChanged();
  }

  @Override
  public boolean ending() {
    clock.tick();
    return leases.giveBackAll();
  }
}
