package dev.weir.proxy.admission;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.Taken;
import dev.weir.proxy.admission.LateQuestion.State;
import dev.weir.proxy.admission.hold.HoldKeeper;
import dev.weir.proxy.admission.hold.StoreHold;
import dev.weir.proxy.admission.lease.LeaseAsk;
import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import java.util.function.Consumer;

/**
 * Decides by the store, for the whole fleet. A request passes only if the store says so, or if the
 * store says nothing and the charge's failure policy lets it pass; it is refused without a question
 * only if the store's last answer proves that the answer would be no: {@link RefusalProofs}.
 *
 * <p>The budgets of one key are one check, which the store decides as a whole. So are those of
 * several keys if they are in reach of one call. Else each key has a check of its own, all are
 * asked at once, and what was granted is given back when another refuses; see {@link RetryQueue}.
 *
 * <p>What becomes of a {@link LateQuestion}:
 *
 * <pre>
 * OPEN    -> all checks granted             -> PASSED
 * OPEN    -> all decided, one refused       -> asked again from that one on, or REFUSED
 * OPEN    -> one has no decision in time    -> as its failure policy says, whatever others say
 * REFUSED -> what is granted goes back
 * </pre>
 *
 * <p>One per event loop.
 */
public final class ExactGate implements Gate {
  /** Late questions at one time; those of clients that have gone count until the answers come. */
  private static final int MAX_LATE = AdmissionHandler.MAX_LATE;

  private final LoopStore store;
  private final LoopClock clock;
  private final LocalGate local;
  private final FailurePolicy failurePolicy;
  private final StoreKeyWriter names;
  private final RefusalProofs proofs;
  private final StoreMetrics metrics;
  private final StoreChecks checks;
  private final HoldKeeper holds;
  private final StoreKeys keys = new StoreKeys(RuleSpec.MAX_BUDGETS + 1); // and a record
  private final Verdict verdict = new Verdict();
  private final FreeList<LateQuestion> lates;
  private int lateCount;
  private final RetryQueue retries;
  private final long deadlineNs;

  /** The question that is being asked, with its verdict if that is known at once. */
  private LateQuestion asked;

  private Verdict known;

  /** The question that has passed and whose verdict is being passed on. */
  private LateQuestion telling;

  /** The leases of this event loop; null if there are none. */
  private LeaseKeeper leases;

  private Consumer<LateQuestion> afterWaiting;

  /**
   * @param local decides while the store does not, under the failure policy {@code local-share}.
   */
  public ExactGate(
      LoopStore store,
      StoreSettings settings,
      StoreNames storeNames,
      LocalGate local,
      LoopClock clock,
      StoreMetrics metrics) {
    this.store = store;
    this.clock = clock;
    this.local = local;
    this.deadlineNs = settings.deadlineNs();
    this.metrics = metrics;
    this.holds = new HoldKeeper(store, clock, metrics.holds(), MAX_LATE);
    this.checks = new StoreChecks(store, holds);
    this.failurePolicy = new FailurePolicy(local, clock, metrics);
    this.names = new StoreKeyWriter(storeNames);
    boolean isOneServer =
        settings.topology() == Topology.STANDALONE || settings.topology() == Topology.SENTINEL;
    this.proofs =
        new RefusalProofs(clock, isOneServer ? RefusalProofs.PROOF_NS : 2 * settings.deadlineNs());
    this.lates = new FreeList<>(MAX_LATE, () -> new LateQuestion(this));
    this.retries = new RetryQueue(clock, settings.deadlineNs(), store::wakeUp, this::askAgain);
    store.listen(proofs);
  }

  /**
   * Sets the leases, before the first question.
   *
   * @param served receives each request that has waited for a lease that was being requested.
   */
  void leases(LeaseKeeper ofHands, Consumer<LateQuestion> served) {
    leases = ofHands;
    afterWaiting = served;
    store.listen(ofHands);
  }

  @Override
  public Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome) {
    return ask(ticket, charges, nowNs, outcome, LeaseTable.NONE, null, 0);
  }

  @Override
  public boolean decidesInOne(Charges charges) {
    nameBudgets(charges);
    return store.isOneCheck(keys) && !isHeldApart(charges);
  }

  /** Whether several keys are asked about apart, as each has a holder of its own. */
  private static boolean isHeldApart(Charges charges) {
    return charges.groupCount() - charges.localGroupCount() > 1 && charges.holdsInStore();
  }

  private void nameBudgets(Charges charges) {
    keys.clear();
    for (int i = charges.localGroupCount(); i < charges.groupCount(); i++) {
      names.write(charges.group(i), charges.identity(i), keys);
    }
  }

  /** What requests hold in the store. */
  HoldKeeper holds() {
    return holds;
  }

  /** When a question that is asked now must have its answer. */
  long dueNs(Charges charges, long nowNs) {
    return Math.min(nowNs + deadlineNs, charges.deadlineNs());
  }

  /** Whether a remembered refusal proves that a group refuses a request. */
  boolean isProven(Charges charges, int group, long nowNs) {
    return proofs.isProven(charges, group, nowNs);
  }

  /**
   * The remembered refusal for a request; null if there is none.
   *
   * @param without a bit for each of the store's groups that is skipped, the first the lowest.
   */
  Verdict proven(Charges charges, int without, long nowNs) {
    Verdict proven = proofs.find(charges, without, nowNs, verdict);
    if (proven != null && charges.isTraffic()) {
      metrics.refusedByProof();
    }
    return proven;
  }

  /**
   * Asks the store about a request, and where it pays also for a lease; or lets the request wait,
   * if a lease for its key is being requested.
   *
   * @param hand of the only group; or {@link LeaseTable#NONE}.
   * @param taken units taken from leases, by the store's groups.
   * @param takenGroups a bit for each group that the store is not asked about, as leased units pay
   *     for it, the first the lowest; they are put back unless the request passes.
   */
  Verdict ask(
      long ticket,
      Charges charges,
      long nowNs,
      Outcome outcome,
      int hand,
      Taken[] taken,
      int takenGroups) {
    boolean mayBeProven =
        charges.operation() != Operation.RESET
            && !charges.areRowsWanted()
            && !charges.isOnce(); // a repeat has its grant whatever is left
    Verdict proven = mayBeProven ? proven(charges, takenGroups, nowNs) : null;
    if (proven != null) {
      putBack(taken, takenGroups);
      return proven;
    }
    nameBudgets(charges);
    if (charges.isOnce()) {
      Budget first = charges.group(charges.localGroupCount()).budget(0);
      names.writeRecord(first, charges.onceHigh(), charges.onceLow(), keys);
    }
    int groupCount = charges.groupCount() - charges.localGroupCount();
    if (lateCount == MAX_LATE) {
      putBack(taken, takenGroups);
      return withoutPlace(ticket, charges);
    }
    lateCount++;
    LateQuestion late = lates.take();
    boolean isOne =
        groupCount == 1 || takenGroups == 0 && store.isOneCheck(keys) && !isHeldApart(charges);
    late.begin(ticket, charges, keys, isOne ? 1 : groupCount, outcome, nowNs);
    late.deadlineNs = dueNs(charges, nowNs);
    late.hand = hand;
    for (int group = 0; takenGroups >>> group != 0; group++) {
      if ((takenGroups >>> group & 1) != 0) {
        late.isTaken(group, taken[group]);
      }
    }
    if (hand != LeaseTable.NONE && leases.awaited().join(late, keys, nowNs)) {
      return null;
    }
    asked = late;
    known = null;
    try {
      askFrom(late, 0, keys, nowNs);
      if (charges.areRowsWanted()) {
        askRows(late, nowNs);
      }
      late.charges.followed(false);
      ended(late);
    } finally {
      asked = null;
    }
    return known;
  }

  private void putBack(Taken[] taken, int groups) {
    if (groups != 0) {
      leases.putBack(taken, groups);
    }
  }

  /**
   * Asks the store about requests for which a lease brought too little, in as few checks as
   * possible. Those that are proven to be refused by now are refused.
   *
   * @param first of them, in the order of arrival.
   */
  void askTogether(LateQuestion first) {
    long nowNs = clock.nowNs();
    LateQuestion next;
    for (LateQuestion late = first; late != null; late = next) {
      next = late.next;
      late.next = null;
      try {
        askWaiting(late, nowNs);
      } catch (RuntimeException | Error bug) {
        InternalErrors.caught("a request that waited for an ask", bug);
      }
    }
    store.sendGathered(nowNs);
  }

  private void askWaiting(LateQuestion late, long nowNs) {
    Verdict proven = proven(late.charges, 0, nowNs);
    if (proven != null) {
      late.outcome.settle(late.ticket, proven);
      leave(late);
      return;
    }
    late.charges.followed(true);
    askFrom(late, 0, late.keys(), nowNs);
    late.charges.followed(false);
    ended(late);
  }

  /** A request has waited for a lease whose request has ended, or takes too long. */
  void served(LateQuestion late) {
    afterWaiting.accept(late);
  }

  /** Frees a late question, once it has its verdict and none of its checks is open. */
  void leave(LateQuestion late) {
    late.charges.clear();
    late.outcome = null;
    lates.give(late);
    lateCount--;
  }

  @Override
  public void sendGathered(long nowNs) {
    store.sendGathered(nowNs);
  }

  private Verdict withoutPlace(long ticket, Charges charges) {
    metrics.storeUnavailable(StoreFault.FULL);
    Verdict decided = failurePolicy.decide(ticket, charges);
    if (decided.allowed() && charges.operation() == Operation.CHECK) {
      checks.owe(charges, keys, clock.nowNs());
    }
    return decided;
  }

  /** Asks the store about its checks from one on; the earlier ones were granted. */
  private void askFrom(LateQuestion late, int from, StoreKeys all, long nowNs) {
    for (int check = from; check < late.checkCount; check++) {
      if (late.isTaken(check)) {
        late.openCount--;
        continue;
      }
      if (late.state == State.OPEN) {
        if (checks.ask(late, check, all, nowNs, leaseAsk(late, nowNs)) == null) {
          continue;
        }
        undecided(late);
      }
      late.openCount--;
      if (late.owes() && !late.isHeld(check)) {
        checks.owe(late, check, all, nowNs);
      }
    }
  }

  /** The request for a lease that goes with a question; null if there is none. */
  private LeaseAsk leaseAsk(LateQuestion late, long nowNs) {
    if (late.hand == LeaseTable.NONE) {
      return null;
    }
    return leases.beginFor(late, nowNs);
  }

  /** Asks for the figures of each limit, as they are after the checks of this question. */
  private void askRows(LateQuestion late, long nowNs) {
    if (late.charges.operation() == Operation.RESET) {
      return; // they are whole
    }
    for (int key = 0; key < keys.count(); key++) {
      if (!late.budgetOf(0, key).isFormer() && checks.askRow(late, key, keys, nowNs) == null) {
        late.openCount++;
      }
    }
  }

  private void askAgain(LateQuestion late) {
    int from = late.firstRefused();
    late.beginFrom(from);
    if (!late.outcome.awaits(late.ticket)) {
      late.state = State.REFUSED;
      giveBackAll(late);
      tell(late, verdict.allowUnlimited());
    }
    askFrom(late, from, late.keys(), clock.nowNs());
    ended(late);
  }

  /** The store has decided on one of the checks. */
  void decided(LateQuestion late, int check, StoreDecision decision) {
    if (leases != null) {
      leases.decided(late, late.charges.isCostUsual(), decision);
    }
    switch (late.charges.operation()) {
      case CHECK, PEEK -> {
        if (decision.isOfOtherCost()) {
          late.state = State.REFUSED;
          tell(late, verdict.refuse(RefusalReason.IDEMPOTENCY_KEY_REUSED));
          break;
        }
        int group = late.groupOf(check, decision.limitIndex());
        long inHand = inHand(late, check, decision.limitIndex());
        if (decision.allowed() || isInHands(late)) {
          granted(late, check, decision, inHand);
        } else {
          long cost = late.charges.cost(late.firstCharge(check) + decision.limitIndex());
          Budget refusing = late.budgetOf(check, decision.limitIndex());
          proofs.note(late.charges, group, refusing, cost, decision);
          late.refused(check, decision, inHand);
        }
      }
      case RESET -> {
        store.forget(decision.keys(), decision.firstKey(), late.limits(check).length);
        failurePolicy.reset(late.ticket, late.charges);
      }
    }
    ended(late);
  }

  /** The store has decided on a check whose units are held. */
  void held(LateQuestion late, int check, boolean isGranted, StoreDecision decision) {
    long inHand = inHand(late, check, decision.limitIndex());
    if (isGranted) {
      granted(late, check, decision, inHand);
    } else {
      if (decision.isUsedAlone()) {
        long cost = late.charges.cost(late.firstCharge(check) + decision.limitIndex());
        Budget refusing = late.budgetOf(check, decision.limitIndex());
        proofs.note(late.charges, late.groupOf(check, 0), refusing, cost, decision);
      }
      late.refused(check, decision, inHand);
    }
    ended(late);
  }

  /** Units of one of a check's limits that are in hand, for requests like this one. */
  long inHand(LateQuestion late, int check, int limit) {
    int group = late.groupOf(check, limit);
    int charge = late.firstCharge(check) + limit;
    return inHand(late.charges, group, charge - late.charges.firstCharge(group));
  }

  private long inHand(Charges charges, int group, int limit) {
    if (leases == null || !charges.areOfHands()) {
      return 0;
    }
    long key = charges.leaseKey(group);
    return charges.group(group).holds() ? holds.inHand(key, limit) : leases.inHand(key);
  }

  /** Whether a peek at a request would pass by leased units. */
  private boolean isInHands(LateQuestion late) {
    Charges charges = late.charges;
    boolean holdsAll =
        leases != null && charges.operation() == Operation.PEEK && charges.areOfHands();
    for (int i = charges.localGroupCount(); holdsAll && i < charges.groupCount(); i++) {
      holdsAll = charges.group(i).holds() || charges.areGroupsUniform();
      for (int limit = 0; holdsAll && limit < charges.group(i).size(); limit++) {
        holdsAll = inHand(charges, i, limit) >= charges.cost(charges.firstCharge(i) + limit);
      }
    }
    return holdsAll;
  }

  private void granted(LateQuestion late, int check, StoreDecision decision, long inHand) {
    late.granted(check, decision, inHand);
    if (late.charges.operation() == Operation.CHECK) {
      proofs.granted(late.charges, late.groupOf(check, 0));
    }
    if (decision.waitNs() > 0 && late.charges.operation() == Operation.CHECK) {
      late.passesAt(clock.nowNs() + decision.waitNs());
    }
    if (late.state == State.REFUSED) {
      giveBack(late, check);
    }
  }

  /**
   * A check has no decision.
   *
   * @return whether it is to be charged later.
   */
  boolean unavailable(LateQuestion late) {
    undecided(late);
    boolean owes = late.owes();
    ended(late);
    return owes;
  }

  private void undecided(LateQuestion late) {
    if (late.state == State.OPEN && !late.isRefused()) {
      // The other checks may still come: what they say changes nothing for the client.
      late.state = State.REFUSED;
      Verdict decided = verdict.allowUnlimited();
      if (late.outcome.awaits(late.ticket)) {
        decided = failurePolicy.decide(late.ticket, late.charges);
        late.state = decided.allowed() ? State.PASSED : State.REFUSED;
      }
      if (late.state == State.REFUSED) {
        giveBackAll(late);
      }
      tell(late, decided, false);
    }
  }

  /**
   * Passes a verdict on; meanwhile what was charged can be kept.
   *
   * @param isCharged whether the store has charged the request.
   */
  private void tell(LateQuestion late, Verdict decided, boolean isCharged) {
    telling = isCharged ? late : null;
    if (late.state == State.PASSED && late.isAnyHeld()) {
      hold(late.charges, late.takeHolds());
    }
    try {
      tell(late, decided);
    } finally {
      telling = null;
    }
  }

  /** Adds what a request holds to its holding; of a request without an end, charges it now. */
  void hold(Charges charges, StoreHold first) {
    StoreHold next;
    for (StoreHold hold = first; hold != null; hold = next) {
      next = hold.nextOfRequest;
      boolean isOpen = false;
      for (int i = 0; i < hold.group().size(); i++) {
        Budget budget = hold.group().budget(i);
        int charge = hold.firstCharge + i;
        boolean isHeld = charges.isHeld(charge);
        long cost = isHeld || budget.isConcurrency() ? 0 : hold.cost(i);
        hold.finalCost(i, cost);
        if (budget.holds() && charges.holding() != null) {
          int reported = isHeld ? charges.reportedCost(charge) : Rule.NOT_REPORTED;
          charges.holding().add(hold, i, cost, reported);
          isOpen = true;
        }
      }
      if (!isOpen) {
        holds.settle(hold);
      }
    }
  }

  @Override
  public long settle(Holding holding, int from, long nowNs) {
    long uncollected = 0;
    while (holding.count() > from && holding.lastInStore() != null) {
      int last = holding.count() - 1;
      StoreHold hold = holding.lastInStore();
      Budget budget = holding.budget(last);
      long most = holding.units(last) + budget.storeLimit().capacity();
      long cost = Math.min(holding.cost(last), most);
      hold.finalCost(holding.lastLimit(), cost);
      uncollected += budget.whole(holding.cost(last) - cost);
      holding.removeLast();
      if (last == 0 || holding.lastInStore() != hold) {
        holds.settle(hold); // that was its first limit
      }
    }
    return uncollected;
  }

  @Override
  public void rulesChanged() {
    holds.rulesChanged();
  }

  @Override
  public boolean ending() {
    holds.stopKeeping();
    return holds.isSettled();
  }

  /** A question to the store has ended. */
  void ended(LateQuestion late) {
    if (--late.openCount > 0) {
      return;
    }
    if (late.state == State.OPEN && isToBeRetried(late)) {
      for (int check = late.firstRefused() + 1; check < late.checkCount; check++) {
        giveBack(late, check);
      }
      retries.add(late);
      return;
    }
    if (late.state == State.OPEN && !late.isRefused() && !late.isTakenAlive(clock.nowNs())) {
      undecided(late); // its time is over, and nobody has said so yet
    }
    if (late.state == State.OPEN) {
      boolean isGone = late.isAnyHeld() && !late.outcome.awaits(late.ticket);
      late.state = late.isRefused() || isGone ? State.REFUSED : State.PASSED;
      if (leases != null) {
        countArrivals(late);
      }
      if (late.state == State.REFUSED) {
        giveBackAll(late);
      }
      tell(late, late.verdict(verdict), true);
    }
    leave(late);
  }

  /**
   * Counts the arrival of a request with several keys, as demand for leases. A request that passes
   * counts for each of its keys; a refused one counts only for the key that refused, as otherwise a
   * client over its own limit would cause leases of all other keys.
   */
  private void countArrivals(LateQuestion late) {
    Charges charges = late.charges;
    if (!charges.areLeased() || charges.groupCount() - charges.localGroupCount() == 1) {
      return;
    }
    for (int group = charges.localGroupCount(); group < charges.groupCount(); group++) {
      if (!late.isRefused() || late.hasRefused(group)) {
        countArrival(charges, group, clock.nowNs());
      }
    }
  }

  /** Counts an arrival of a group's key. */
  void countArrival(Charges charges, int group, long nowNs) {
    leases.leasing().arrived(charges.leaseKey(group), charges.group(group).leaseTerms(), nowNs);
  }

  /** Returns the verdict if the question is still being asked; otherwise passes it on. */
  private void tell(LateQuestion late, Verdict decided) {
    if (late == asked) {
      known = decided;
    } else {
      late.outcome.settle(late.ticket, decided);
    }
  }

  /**
   * Whether the request holds the charge of its first key, so that other requests have to give way.
   */
  private boolean isToBeRetried(LateQuestion late) {
    return late.isRefused()
        && !late.isAnyTaken()
        && !late.isAnyHeld()
        && late.charges.operation() == Operation.CHECK
        && late.holdsFirst()
        && retries.takes(late)
        && late.outcome.awaits(late.ticket);
  }

  private void giveBackAll(LateQuestion late) {
    for (int check = late.checkCount - 1; check >= 0; check--) {
      giveBack(late, check);
    }
  }

  /**
   * Returns what a check was granted, once. The charge of a check with an idempotency key stands: a
   * repeat gets its grant.
   */
  private void giveBack(LateQuestion late, int check) {
    if (late.isTaken(check)) {
      leases.putBack(late.taken(check), late.askedNs);
      late.notTaken(check);
      return;
    }
    if (late.isHeld(check)) {
      StoreHold hold = late.takeHold(check);
      if (hold != null) {
        holds.undo(hold);
      }
      return;
    }
    long atUs = late.grantedAtUs(check);
    if (atUs >= 0) {
      late.givenBack(check);
      if (late.charges.operation() == Operation.CHECK && !late.charges.isOnce()) {
        checks.refund(late, check, atUs, clock.nowNs());
      }
    }
  }

  @Override
  public boolean keep(long ticket, RefundSlip into) {
    if (telling == null
        || telling.ticket != ticket
        || telling.state != State.PASSED
        || telling.charges.operation() != Operation.CHECK
        || telling.charges.isOnce()) {
      return false;
    }
    telling.keep(into);
    return into.checkCount + into.takenCount > 0;
  }

  @Override
  public void giveBack(RefundSlip charge, long nowNs) {
    for (int check = charge.checkCount - 1; check >= 0; check--) {
      checks.refund(charge, check, nowNs);
    }
  }
}
