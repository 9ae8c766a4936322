package dev.weir.proxy.admission;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.Taken;
import dev.weir.proxy.admission.hold.StoreHold;
import dev.weir.proxy.admission.lease.LeaseWaiter;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;

/**
 * A question to the store, until its last check has ended, which may be after the verdict. It owns
 * all that it needs: copies of its charges, with the rules that it was matched with, and of its
 * keys if they may be needed again. One check has the budgets of all the store's groups, or each
 * group has a check of its own. Reused.
 */
final class LateQuestion extends LeaseWaiter implements StoreHold.Asker {
  private static final int BYTES_AT_FIRST = 256;

  enum State {
    /** No verdict yet. */
    OPEN,
    PASSED,
    REFUSED
  }

  final Charges charges = new Charges();
  private final ExactGate gate;
  long ticket;
  Gate.Outcome outcome;
  State state;
  int checkCount;

  /** Questions to the store that have not ended, and one more while they are being asked. */
  int openCount;

  /** When it arrived. */
  long askedNs;

  /** Whether it has waited for a lease before the store was asked about it. */
  boolean hasWaited;

  /** How often its refused checks have been asked again. */
  int retryCount;

  /** When it is asked again, while it waits for that. */
  long dueNs;

  /** The next one in a list. */
  LateQuestion next;

  /** The keys of all checks, one after the other; null until needed for the first time. */
  private StoreKeys ownKeys;

  /** The keys of the only check, while its decision is passed on. */
  private StoreKeys toldKeys;

  private int toldFirst;
  private final boolean[] granted = new boolean[RuleSpec.MAX_BUDGETS];
  private final long[] decidedAtUs = new long[RuleSpec.MAX_BUDGETS];

  /** The only server to which each check may be refunded; 0 for any. */
  private final long[] servers = new long[RuleSpec.MAX_BUDGETS];

  /** Marks of what was granted, by key. */
  private final long[] marks = new long[RuleSpec.MAX_BUDGETS];

  /** Leased units that pay in the place of a check; null until there are any. */
  private Taken[] taken;

  /** A bit for each check that leased units pay for, the first the lowest. */
  private int takenChecks;

  /**
   * The units that each check holds until the request ends; null before the first such question.
   */
  private StoreHold[] holds;

  /** A bit for each check that was asked to hold units, the first the lowest. */
  private int heldChecks;

  /** A bit for each of these that nobody has taken away. */
  private int holdingChecks;

  /** The first check that has refused; {@code checkCount} if none has. */
  private int firstRefused;

  private final StoreVerdict figures = new StoreVerdict();

  LateQuestion(ExactGate gate) {
    this.gate = gate;
  }

  void begin(
      long ofTicket, Charges of, StoreKeys keys, int checks, Gate.Outcome toTell, long nowNs) {
    ticket = ofTicket;
    charges.copy(of);
    outcome = toTell;
    state = State.OPEN;
    checkCount = checks;
    retryCount = 0;
    hand = LeaseTable.NONE;
    hasWaited = false;
    takenChecks = 0;
    heldChecks = 0;
    holdingChecks = 0;
    askedNs = nowNs;
    figures.begin(of.areRowsWanted());
    toldKeys = null;
    toldFirst = 0;
    if (ownsKeys()) {
      own(keys);
    }
    for (int check = 0; check < checks; check++) {
      granted[check] = false;
    }
    beginFrom(0);
  }

  private void own(StoreKeys keys) {
    if (ownKeys == null) {
      ownKeys = new StoreKeys(RuleSpec.MAX_BUDGETS, BYTES_AT_FIRST);
    }
    ownKeys.set(keys);
    toldKeys = ownKeys;
  }

  @Override
  public void waits(StoreKeys keys) {
    hasWaited = true;
    next = null;
    own(keys);
  }

  /** Marks a check as paid for by leased units. */
  void isTaken(int check, Taken from) {
    if (taken == null) {
      taken = new Taken[RuleSpec.MAX_BUDGETS];
    }
    if (taken[check] == null) {
      taken[check] = new Taken();
    }
    taken[check].set(from);
    takenChecks |= 1 << check;
  }

  /** Whether leased units pay for a check. */
  boolean isTaken(int check) {
    return (takenChecks >>> check & 1) != 0;
  }

  /** Whether leased units pay for any check. */
  boolean isAnyTaken() {
    return takenChecks != 0;
  }

  /** The leased units that pay for a check. */
  Taken taken(int check) {
    return taken[check];
  }

  /** Sets what a check holds until the request ends. */
  void holds(int check, StoreHold hold) {
    if (holds == null) {
      holds = new StoreHold[RuleSpec.MAX_BUDGETS];
    }
    holds[check] = hold;
    heldChecks |= 1 << check;
    holdingChecks |= 1 << check;
  }

  /** Whether a check was asked to hold units until the request ends. */
  boolean isHeld(int check) {
    return (heldChecks >>> check & 1) != 0;
  }

  /** Whether any check was asked to hold units until the request ends. */
  boolean isAnyHeld() {
    return heldChecks != 0;
  }

  /** Takes away what all checks hold: the first of the list; null for nothing. */
  StoreHold takeHolds() {
    StoreHold first = null;
    for (int check = checkCount - 1; check >= 0; check--) {
      StoreHold hold = takeHold(check);
      if (hold != null) {
        hold.nextOfRequest = first;
        first = hold;
      }
    }
    return first;
  }

  /** Takes away what a check holds; returns null if that is nothing. */
  StoreHold takeHold(int check) {
    boolean isThere = (holdingChecks >>> check & 1) != 0;
    holdingChecks &= ~(1 << check);
    return isThere ? holds[check] : null;
  }

  @Override
  public void held(int check, boolean isGranted, StoreDecision decision) {
    gate.held(this, check, isGranted, decision);
  }

  @Override
  public void notHeld(int check, StoreFault fault) {
    gate.unavailable(this);
  }

  /** Records that the leased units of a check have been put back. */
  void notTaken(int check) {
    takenChecks &= ~(1 << check);
  }

  /** Whether all leased units that it took are still valid. */
  boolean isTakenAlive(long nowNs) {
    boolean isAlive = true;
    for (int check = 0; takenChecks != 0 && check < checkCount; check++) {
      isAlive &= !isTaken(check) || taken[check].isAlive(nowNs);
    }
    return isAlive;
  }

  @Override
  public void served() {
    gate.served(this);
  }

  @Override
  public long handKey() {
    return charges.leaseKey(charges.localGroupCount());
  }

  @Override
  public BudgetGroup handGroup() {
    return charges.group(charges.localGroupCount());
  }

  @Override
  public long handCost() {
    return charges.cost(firstCharge(0));
  }

  /** Marks the checks from one on as asked, for the first time or again. */
  void beginFrom(int check) {
    openCount = checkCount - check + 1;
    firstRefused = checkCount;
  }

  @Override
  public void decided(long check, StoreDecision decision) {
    if (check >= checkCount) {
      boolean isCharged = charges.operation() == Operation.CHECK && !isRefused();
      int limit = (int) check - checkCount;
      long inHand = gate.inHand(this, 0, limit);
      int charge = firstCharge(0) + limit;
      Budget budget = budgetOf(0, limit);
      int row = charges.row(charge, budget);
      figures.row(row, budget, isCharged, decision, inHand, charges.cost(charge));
      gate.ended(this);
    } else {
      gate.decided(this, (int) check, decision);
    }
  }

  @Override
  public boolean unavailable(long check, StoreFault fault) {
    if (check >= checkCount) {
      gate.ended(this);
      return false;
    }
    return gate.unavailable(this);
  }

  /** Whether the keys are needed after a decision: a single check gets them with its decision. */
  private boolean ownsKeys() {
    return checkCount > 1 || charges.areRowsWanted();
  }

  /** The keys of all checks, if they are known here. */
  StoreKeys keys() {
    return toldKeys;
  }

  /** The limits of a check. */
  ScriptLimit[] limits(int check) {
    return checkCount == 1 ? charges.storeLimits() : group(check).storeLimits();
  }

  BudgetGroup group(int check) {
    return charges.group(charges.localGroupCount() + check);
  }

  /** The index of a check's first key among those of all checks. */
  int firstKey(int check) {
    int key = 0;
    for (int before = 0; before < check; before++) {
      key += group(before).size();
    }
    return key;
  }

  /** The first charge of a check. */
  int firstCharge(int check) {
    return charges.firstCharge(charges.localGroupCount()) + firstKey(check);
  }

  /** The group of one of a check's limits. The first check may have the limits of all groups. */
  int groupOf(int check, int limit) {
    int group = check;
    for (int left = limit; left >= group(group).size(); group++) {
      left -= group(group).size();
    }
    return charges.localGroupCount() + group;
  }

  /** The budget of one of a check's limits. */
  Budget budgetOf(int check, int limit) {
    int group = groupOf(check, limit);
    return charges.group(group).budget(firstCharge(check) + limit - charges.firstCharge(group));
  }

  /**
   * Records that a check is granted.
   *
   * @param inHand leased units of the budget that the decision is about.
   */
  void granted(int check, StoreDecision decision, long inHand) {
    granted[check] = true;
    decidedAtUs[check] = decision.decidedAtUs();
    servers[check] = decision.server();
    int key = firstKey(check);
    for (int i = 0; i < limits(check).length; i++) {
      marks[key + i] = decision.grantedMark(i);
    }
    if (!ownsKeys()) {
      toldKeys = decision.keys();
      toldFirst = decision.firstKey();
    }
    figures.granted(budgetOf(check, decision.limitIndex()), decision, inHand);
  }

  /** Records the slot in a queue. */
  void passesAt(long atNs) {
    figures.passesAt(atNs);
  }

  /**
   * Records that a check is refused.
   *
   * @param inHand leased units of the budget that the decision is about.
   */
  void refused(int check, StoreDecision decision, long inHand) {
    figures.refused(!isRefused(), budgetOf(check, decision.limitIndex()), decision, inHand);
    firstRefused = Math.min(firstRefused, check);
  }

  /** Whether it has passed, so that a check without a decision has to be charged later. */
  boolean owes() {
    return state == State.PASSED && charges.operation() == Operation.CHECK;
  }

  /** Whether a check was refused, so that the request cannot pass. */
  boolean isRefused() {
    return firstRefused < checkCount;
  }

  /** Whether a group's check was refused, or one that includes the group. */
  boolean hasRefused(int group) {
    return figures.isAbout(charges.group(group));
  }

  /** Whether it holds the charges of checks before the first refused one. */
  boolean holdsFirst() {
    for (int check = 0; check < firstRefused; check++) {
      if (!granted[check]) {
        return false; // it has no decision, and asking again asks from the refused one on
      }
    }
    return firstRefused > 0;
  }

  /** The first check that has refused, if any has. */
  int firstRefused() {
    return firstRefused;
  }

  /** Records that a check was refunded. */
  void givenBack(int check) {
    granted[check] = false;
  }

  /** When a check was granted, in the time of its server; negative if it was not. */
  long grantedAtUs(int check) {
    return granted[check] ? decidedAtUs[check] : -1;
  }

  /** The only server that a check may be refunded to; 0 for any. */
  long server(int check) {
    return servers[check];
  }

  /** The mark of a grant on one of a check's limits. */
  long mark(int check, int limit) {
    return marks[firstKey(check) + limit];
  }

  /** Copies what all checks have charged; what they hold goes back with the request's end. */
  void keep(RefundSlip into) {
    for (int check = 0; check < checkCount; check++) {
      int first = checkCount == 1 ? toldFirst : firstKey(check);
      if (isTaken(check)) {
        into.add(taken[check]);
      } else if (isHeld(check)) {
        into.addUnheld(this, check, toldKeys, first);
      } else {
        into.add(this, check, toldKeys, first);
      }
    }
  }

  /** The verdict of all checks together. */
  Verdict verdict(Verdict to) {
    if (charges.operation() == Operation.RESET) {
      Budget budget = budgetOf(0, 0);
      long limit = budget.storeLimit().capacity();
      return to.allow(budget.policy(), limit, limit, 0);
    }
    return isRefused() ? figures.refuse(to) : figures.allow(to);
  }
}
