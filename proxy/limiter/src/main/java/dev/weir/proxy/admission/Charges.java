package dev.weir.proxy.admission;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.request.CostFault;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * The charges of one question, made between the match and the gates: the operation, and the
 * charges, all or none. A charge is a budget, an identity, a cost and a gate. Charges of one
 * identity and gate are a group; this node's groups come first, then the store's. They are the
 * charges of a rule, or a list of limits that a caller charges together.
 *
 * <p>Gates read this and never the rule. Filled anew for each question. A question that becomes
 * late takes a copy, and so keeps the rules that it was matched with.
 */
public final class Charges {
  /** A fixed key, as the name of a record must be the same on every sidecar. */
  private static final SipHash ONCE_HIGH = new SipHash(0, 1);

  private static final SipHash ONCE_LOW = new SipHash(0, 2);

  private final long[] hashes = new long[RuleSpec.MAX_BUDGETS];

  /** Costs by charge, if they differ or the question gives some; else all cost {@code cost}. */
  private final long[] costs = new long[RuleSpec.MAX_BUDGETS];

  private final RequestCost requestCost = new RequestCost();
  private final PlannedUser user = new PlannedUser();

  /** The reserves of limits whose cost is known at the end; null if rules have no such limits. */
  private final Reserves reserves;

  /** The groups: those of a rule, or {@link #list}. */
  private BudgetGroup[] groups;

  /** The groups of a list, each with one budget. */
  private final BudgetGroup[] list = new BudgetGroup[RuleSpec.MAX_BUDGETS];

  /** The limits that the store charges; of a list null until they are needed. */
  private ScriptLimit[] storeLimits;

  /** The rows of charges; null if they are the places of budgets. */
  private int[] rows;

  private Identities identities;
  private long cost;
  private boolean areCostsListed;
  private boolean areCostsGiven;

  private Operation operation;
  private Purpose purpose;
  private long deadlineNs;
  private boolean wantsRows;
  private boolean isOnce;
  private boolean isFollowed;
  private long onceHigh;
  private long onceLow;
  private int groupCount;
  private int localGroupCount;
  private boolean isUniform;
  private boolean areGroupsUniform;
  private boolean isLeased;

  /** The rule that says which costs are read at the end; null for a list. */
  private Rule rule;

  /** Whether some budgets hold units until the request's end. */
  private boolean holds;

  /** The holding to which the gate adds the units that it holds; null if the request has no end. */
  private Holding holding;

  /**
   * By charge, a bit for each cost which the request has told, though others tell it at the end.
   */
  private int knownCosts;

  /** Charges whose rules know all costs from the start, or say how much is held. */
  public Charges() {
    this(null);
  }

  /**
   * @param reserves what is held of limits whose cost is known at the end.
   */
  Charges(Reserves reserves) {
    this.reserves = reserves;
  }

  /**
   * Makes the charges of a rule for a question.
   *
   * @param of the identities by the rule's groups.
   */
  public Charges set(Rule rule, Identities of, Question question) {
    begin(of, question);
    groups = rule.groups();
    storeLimits = rule.storeLimits();
    rows = rule.rows();
    groupCount = groups.length;
    localGroupCount = rule.localGroupCount();
    cost = rule.cost();
    isLeased = rule.isLeased();
    holds = rule.holds();
    this.rule = rule;
    for (int group = 0; group < groupCount; group++) {
      hashes[group] = of.of(group).hash();
    }
    if (rule.hasCosts() || question.isCostGiven()) {
      areCostsGiven |= rule.hasCostsOfRequests();
      boolean isNamed = question.ruleId() != null && rule.spec().isEverywhere();
      setCosts(question, isNamed ? 0 : rule.everywhereGroups());
    }
    return this;
  }

  /**
   * Starts a list of limits that are charged together, all or none; {@link #add} adds each.
   *
   * @param of the identities by their places in the list.
   */
  public Charges list(Identities of, Question question) {
    begin(of, question);
    groups = list;
    storeLimits = null;
    groupCount = 0;
    localGroupCount = 0;
    areCostsListed = true;
    areCostsGiven = true;
    isLeased = true;
    holds = false;
    rule = null;
    return this;
  }

  /**
   * Adds a limit to the list: at most {@link RuleSpec#MAX_BUDGETS}, each with a budget of its own,
   * and all decided by this node or all by the store.
   *
   * @param limit of one budget.
   * @param units to take of it, 1 or more.
   */
  public Charges add(Rule limit, long units) {
    list[groupCount] = limit.group(0);
    hashes[groupCount] = identities.of(groupCount).hash();
    costs[groupCount] = units;
    isUniform &= units == costs[0];
    areGroupsUniform = isUniform;
    isLeased &= limit.isLeased();
    groupCount++;
    localGroupCount += limit.localGroupCount();
    return this;
  }

  private void begin(Identities of, Question question) {
    user.nobody();
    identities = of;
    areCostsListed = false;
    areCostsGiven = question.isCostGiven();
    isUniform = true;
    areGroupsUniform = true;
    holding = null;
    knownCosts = 0;
    operation = question.operation();
    purpose = question.purpose();
    deadlineNs = question.deadlineNs();
    wantsRows = question.areRowsWanted();
    isFollowed = question.isFollowed();
    isOnce = question.isOnce() && operation == Operation.CHECK;
    if (isOnce) {
      onceHigh = hashOnce(ONCE_HIGH, question);
      onceLow = hashOnce(ONCE_LOW, question);
    }
  }

  private static long hashOnce(SipHash hash, Question question) {
    return hash.hash(question.onceBytes(), question.onceOffset(), question.onceLength());
  }

  /**
   * Units that the question gives, or its request says; or {@link Question#COST_OF_RULE}.
   *
   * @param isShared whether the limit is of all requests, and the question does not name their
   *     rule: then the cost that it gives is for other limits.
   */
  private long costOf(Budget budget, boolean isShared, Question question) {
    long given =
        isShared ? Question.COST_OF_RULE : question.costOf(budget.index(), Question.COST_OF_RULE);
    CostSpec cost = budget.spec().cost();
    return given == Question.COST_OF_RULE && cost.isOfRequest()
        ? requestCost.of(cost, question.request())
        : given;
  }

  private long costOfRule(Budget budget, Question question) {
    return reserves != null && budget.spec().cost().isAtEnd()
        ? reserves.units(budget, question.request())
        : budget.cost();
  }

  /** The fault of the header that says the request's cost; null for none. */
  CostFault costFault() {
    return requestCost.fault();
  }

  private void setCosts(Question question, int everywhereGroups) {
    requestCost.begin();
    areCostsListed = true;
    int charge = 0;
    for (int group = 0; group < groupCount; group++) {
      BudgetGroup budgets = groups[group];
      int first = charge;
      for (int i = 0; i < budgets.size(); i++) {
        Budget budget = budgets.budget(i);
        boolean isShared = (everywhereGroups >>> group & 1) != 0;
        long given = costOf(budget, isShared, question);
        boolean isKnown = given != Question.COST_OF_RULE;
        costs[charge] = isKnown ? budget.units(given) : costOfRule(budget, question);
        if (isKnown && budget.spec().cost().kind() == CostSpec.Kind.REQUEST_BYTES) {
          knownCosts |= 1 << charge;
        }
        isUniform &= costs[charge] == costs[0];
        areGroupsUniform &= costs[charge++] == costs[first] || group < localGroupCount;
      }
    }
  }

  /** Copies another question's charges, of the identities only their hashes. */
  void copy(Charges from) {
    operation = from.operation;
    purpose = from.purpose;
    deadlineNs = from.deadlineNs;
    wantsRows = from.wantsRows;
    isOnce = from.isOnce;
    isFollowed = from.isFollowed;
    onceHigh = from.onceHigh;
    onceLow = from.onceLow;
    groups = from.isList() ? list : from.groups;
    storeLimits = from.storeLimits;
    user.set(from.user);
    holds = from.holds;
    rule = from.rule;
    holding = from.holding;
    knownCosts = from.knownCosts;
    rows = from.rows;
    identities = null;
    groupCount = from.groupCount;
    localGroupCount = from.localGroupCount;
    cost = from.cost;
    areCostsListed = from.areCostsListed;
    areCostsGiven = from.areCostsGiven;
    isUniform = from.isUniform;
    areGroupsUniform = from.areGroupsUniform;
    isLeased = from.isLeased;
    if (isList()) {
      System.arraycopy(from.list, 0, list, 0, groupCount);
    }
    System.arraycopy(from.hashes, 0, hashes, 0, groupCount);
    if (areCostsListed) {
      System.arraycopy(from.costs, 0, costs, 0, costs.length);
    }
  }

  /** Sets whose plan says how much the budgets of users have. */
  void user(PlannedUser of) {
    user.set(of);
  }

  /** The user whose plan says how much the budgets of users have. */
  PlannedUser user() {
    return user;
  }

  /** Whether some budgets hold units, from the verdict to the end of a request. */
  boolean holds() {
    return holds;
  }

  /** Sets what the request will hold, which has an end. */
  void holding(Holding into) {
    holding = into;
  }

  /** The units that the request holds; null if it has no end: its cost is charged at once. */
  Holding holding() {
    return holding;
  }

  /** Whether units of a charge are held until the end, of a budget that holds. */
  boolean isHeld(int charge) {
    return holding != null && (knownCosts >>> charge & 1) == 0;
  }

  /** The place of a charge's cost among those that are read from the exchange. */
  int reportedCost(int charge) {
    return rule.reportedCost(charge);
  }

  /** Drops the references to the limits. */
  void clear() {
    if (isList()) {
      Arrays.fill(list, 0, groupCount, null);
    }
    groups = null;
    storeLimits = null;
    rule = null;
    holding = null;
    groupCount = 0;
  }

  private boolean isList() {
    return groups == list;
  }

  /** The operation on the budgets. */
  Operation operation() {
    return operation;
  }

  Purpose purpose() {
    return purpose;
  }

  /** Whether metrics of the store count it; who asks for another purpose counts for itself. */
  boolean isTraffic() {
    return purpose == Purpose.TRAFFIC;
  }

  /** When the verdict is no longer of use; or {@link Question#NO_DEADLINE}. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** Whether the figures of every limit are wanted. */
  boolean areRowsWanted() {
    return wantsRows;
  }

  /**
   * Whether the store keeps a record of what it grants, so that a repeat is not charged
   * (idempotency).
   */
  boolean isOnce() {
    return isOnce;
  }

  /** Whether other questions follow at once, so that the batch to the store can wait for them. */
  boolean isFollowed() {
    return isFollowed;
  }

  /** Sets whether other questions follow at once. */
  void followed(boolean follows) {
    isFollowed = follows;
  }

  /** The first half of the hash that names the record of a check and of its repeats. */
  long onceHigh() {
    return onceHigh;
  }

  long onceLow() {
    return onceLow;
  }

  int groupCount() {
    return groupCount;
  }

  /** The number of groups that this node decides on; they are the first ones. */
  int localGroupCount() {
    return localGroupCount;
  }

  /** Whether a request holds units of any of the store's limits until it ends. */
  boolean holdsInStore() {
    boolean holds = false;
    for (int i = localGroupCount; i < groupCount; i++) {
      holds |= groups[i].holds();
    }
    return holds && operation == Operation.CHECK;
  }

  /** Whether more than one gate has to decide. */
  boolean isMixed() {
    return localGroupCount != 0 && localGroupCount != groupCount;
  }

  public BudgetGroup group(int group) {
    return groups[group];
  }

  /** The row of a charge's budget in the verdict: its place in the rule, or in the list. */
  int row(int charge, Budget budget) {
    return isList() ? charge : rows == null ? budget.index() : rows[charge];
  }

  /** The identity of a group; valid while the question is being asked. */
  Identity identity(int group) {
    return identities.of(group);
  }

  /** The hash of a group's identity. */
  long hash(int group) {
    return hashes[group];
  }

  /** The key of a group's identity in the lease table. */
  long leaseKey(int group) {
    return hashes[group] ^ groups[group].leaseSeed();
  }

  /** The first charge of a group. */
  int firstCharge(int group) {
    int first = 0;
    for (int i = 0; i < group; i++) {
      first += groups[i].size();
    }
    return first;
  }

  /** Units that a charge takes, by its index over all groups. */
  long cost(int charge) {
    return areCostsListed ? costs[charge] : cost;
  }

  /** Whether the request takes the rule's own costs. */
  boolean isCostUsual() {
    return !areCostsGiven;
  }

  /**
   * Whether leased units may pay for the question: a plain check, of one cost for each key, whose
   * groups at the store are all of mode leased.
   */
  boolean areLeased() {
    return areOfHand() && areGroupsUniform && !holdsInStore();
  }

  /**
   * Whether units in hand may be held by the question: a plain check, whose only group at the store
   * is of mode leased, and holds.
   */
  boolean areHeldOfHand() {
    return areOfHand() && holdsInStore();
  }

  private boolean areOfHand() {
    return isLeased && operation == Operation.CHECK && !isOnce && !wantsRows;
  }

  /** Whether plain checks of the store's groups use leased units. */
  boolean areOfHands() {
    return isLeased;
  }

  /** Whether all charges of each of the store's groups take the same number of units. */
  boolean areGroupsUniform() {
    return areGroupsUniform;
  }

  /** Whether all charges take the same number of units. */
  boolean isUniform() {
    return isUniform;
  }

  /**
   * The limits of all groups that the store charges: the same array as long as these limits stay.
   */
  ScriptLimit[] storeLimits() {
    if (storeLimits == null) {
      storeLimits = new ScriptLimit[groupCount];
      for (int group = 0; group < groupCount; group++) {
        storeLimits[group] = groups[group].budget(0).storeLimit();
      }
    }
    return storeLimits;
  }

  /**
   * Whether the store may decide on this question together with others: not for a list, nor if each
   * request has a slot in a queue.
   */
  boolean coalesces() {
    Budget first = groups[localGroupCount].budget(0);
    return !isList() && first.spec().limit().overflow() != Overflow.QUEUE;
  }
}
