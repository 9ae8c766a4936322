package dev.weir.proxy.admission;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.Taken;
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
 * A question that the store was asked, until the last of its checks has come to its end, which may
 * be after the verdict. It owns all that it needs: its charges are copies, of the rules that it was
 * matched with, and so are its keys where it may have to name them again. One check has the budgets
 * of all the store's groups, or each group has its own. Reused.
 */
final class LateQuestion extends LeaseWaiter {
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

  /** Questions to the store that have not come to their end, and one more while they are asked. */
  int openCount;

  /** When it came. */
  long askedNs;

  /** Whether it has waited for an ask of others before it was asked itself. */
  boolean hasWaited;

  /** How often what was refused has been asked again. */
  int retryCount;

  /** When it is to be asked again; while it waits for that. */
  long dueNs;

  /** Who comes after it, of those that wait for the same. */
  LateQuestion next;

  /** The keys of all checks, one behind the other; null until they are needed for once. */
  private StoreKeys ownKeys;

  /** The keys of the only check, while its decision is told. */
  private StoreKeys toldKeys;

  private int toldFirst;
  private final boolean[] granted = new boolean[RuleSpec.MAX_BUDGETS];
  private final long[] decidedAtUs = new long[RuleSpec.MAX_BUDGETS];

  /** The only server that each check may be refunded to; 0 for any. */
  private final long[] servers = new long[RuleSpec.MAX_BUDGETS];

  /** Marks of what was granted, by key. */
  private final long[] marks = new long[RuleSpec.MAX_BUDGETS];

  /** Units taken from a hand in the place of a check; null until there are any. */
  private Taken[] taken;

  /** A bit for each check in whose place units were taken from a hand, the first the lowest. */
  private int takenChecks;

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

  /** A check that need not be asked: its units were taken from a hand. */
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

  /** Whether a check need not be asked. */
  boolean isTaken(int check) {
    return (takenChecks >>> check & 1) != 0;
  }

  /** Whether any check need not be asked. */
  boolean isAnyTaken() {
    return takenChecks != 0;
  }

  /** The units that were taken in the place of a check. */
  Taken taken(int check) {
    return taken[check];
  }

  /** Notes that the units taken in the place of a check have been put back. */
  void notTaken(int check) {
    takenChecks &= ~(1 << check);
  }

  /** Whether all that was taken from hands may still be used. */
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

  /** The checks from one on are asked, for the first time or again. */
  void beginFrom(int check) {
    openCount = checkCount - check + 1;
    firstRefused = checkCount;
  }

  @Override
  public void decided(long check, StoreDecision decision) {
    if (check >= checkCount) {
      boolean isCharged = charges.operation() == Operation.CHECK && !isRefused();
      int limit = (int) check - checkCount;
      long inHand = gate.inHand(this, groupOf(0, limit));
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

  /** Whether keys are needed after a decision was told: of one that is alone they come with it. */
  private boolean ownsKeys() {
    return checkCount > 1 || charges.areRowsWanted();
  }

  /** The keys of all checks, while they are known here. */
  StoreKeys keys() {
    return toldKeys;
  }

  /** The limits of a check. */
  ScriptLimit[] limits(int check) {
    return checkCount == 1 ? charges.storeLimits() : group(check).storeLimits();
  }

  private BudgetGroup group(int check) {
    return charges.group(charges.localGroupCount() + check);
  }

  /** The first key of a check: of all keys that the store has. */
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

  /** The group that one of a check's limits belongs to. The first check's may be those of all. */
  int groupOf(int check, int limit) {
    int group = check;
    for (int left = limit; left >= group(group).size(); group++) {
      left -= group(group).size();
    }
    return charges.localGroupCount() + group;
  }

  /** One of a check's limits. */
  Budget budgetOf(int check, int limit) {
    int group = groupOf(check, limit);
    return charges.group(group).budget(firstCharge(check) + limit - charges.firstCharge(group));
  }

  /**
   * A check is granted.
   *
   * @param inHand units that are kept of the budget that the decision is about.
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

  /** A queue has given it a slot. */
  void passesAt(long atNs) {
    figures.passesAt(atNs);
  }

  /**
   * A check is refused.
   *
   * @param inHand units that are kept of the budget that the decision is about.
   */
  void refused(int check, StoreDecision decision, long inHand) {
    figures.refused(!isRefused(), budgetOf(check, decision.limitIndex()), decision, inHand);
    firstRefused = Math.min(firstRefused, check);
  }

  /** Whether it has passed, so that a check of it without a decision is to be charged later. */
  boolean owes() {
    return state == State.PASSED && charges.operation() == Operation.CHECK;
  }

  /** Whether a check has refused, so that the request cannot pass. */
  boolean isRefused() {
    return firstRefused < checkCount;
  }

  /** Whether a group is the one that has refused, or the check that has is about others too. */
  boolean hasRefused(int group) {
    return figures.isAbout(charges.group(group));
  }

  /** Whether there are checks before the first that has refused, and it holds what they charged. */
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

  /** Notes that a check has been refunded: it is charged with nothing. */
  void givenBack(int check) {
    granted[check] = false;
  }

  /** When a check was granted, in the time of its server; negative if it was not. */
  long grantedAtUs(int check) {
    return granted[check] ? decidedAtUs[check] : -1;
  }

  /** The only server that what a check was granted may be given back to; 0 for any. */
  long server(int check) {
    return servers[check];
  }

  /** The mark of what a check was granted of one of its limits. */
  long mark(int check, int limit) {
    return marks[firstKey(check) + limit];
  }

  /** Adds what all checks have charged to what is kept. */
  void keep(RefundSlip into) {
    for (int check = 0; check < checkCount; check++) {
      if (isTaken(check)) {
        into.add(taken[check]);
      } else {
        into.add(this, check, toldKeys, checkCount == 1 ? toldFirst : firstKey(check));
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
