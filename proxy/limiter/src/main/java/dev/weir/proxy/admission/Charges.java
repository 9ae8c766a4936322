package dev.weir.proxy.admission;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * The charges of one question, made between the match and the gates: the operation, and the charges
 * that it is about, all or none. A charge is a budget, an identity, a cost and a gate. Charges of
 * one identity and gate are a group: first those that this node decides on, then the store's. They
 * are those of a rule, or a list of limits that a caller takes together.
 *
 * <p>Gates read this and never the rule. Filled anew for each question; a question that becomes
 * late takes a copy, and what it is about stays what it was matched with.
 */
public final class Charges {
  /** No secrets: what names a record must be the same on every sidecar. */
  private static final SipHash ONCE_HIGH = new SipHash(0, 1);

  private static final SipHash ONCE_LOW = new SipHash(0, 2);

  private final long[] hashes = new long[RuleSpec.MAX_BUDGETS];

  /**
   * Costs of the charges, group by group, if the question gives them; else all take {@code cost}.
   */
  private final long[] costs = new long[RuleSpec.MAX_BUDGETS];

  /**
   * Whose groups of budgets they are; nothing else is read of it once this is made. Null of a list.
   */
  private Rule rule;

  /** The groups of a list, each of one budget. */
  private final BudgetGroup[] list = new BudgetGroup[RuleSpec.MAX_BUDGETS];

  /** The limits that the store charges of a list; null until they are wanted. */
  private ScriptLimit[] listLimits;

  private Identities identities;
  private long cost;
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
  private boolean isLeased;

  /** Makes the charges of a rule at the cost that it says, as proxied requests have them. */
  public Charges set(Rule rule, Identities of) {
    operation = Operation.CHECK;
    purpose = Purpose.TRAFFIC;
    deadlineNs = Question.NO_DEADLINE;
    wantsRows = false;
    isOnce = false;
    isFollowed = false;
    return make(rule, of);
  }

  /**
   * Makes the charges of a rule for a question.
   *
   * @param of the identities by the rule's groups.
   */
  public Charges set(Rule rule, Identities of, Question question) {
    begin(question);
    make(rule, of);
    if (question.isCostGiven()) {
      setCosts(question);
    }
    return this;
  }

  /**
   * Starts a list of limits that are taken together, all or none; those that are {@linkplain #add
   * added} make it.
   *
   * @param of the identities by their places in the list.
   */
  public Charges list(Identities of, Question question) {
    begin(question);
    rule = null;
    listLimits = null;
    identities = of;
    groupCount = 0;
    localGroupCount = 0;
    areCostsGiven = true;
    isUniform = true;
    isLeased = true;
    return this;
  }

  /**
   * Adds a limit to the list: {@link RuleSpec#MAX_BUDGETS} at most, each of a budget of its own,
   * and all of them this node's or all the store's.
   *
   * @param limit of one budget.
   * @param units that are taken of it, 1 or more.
   */
  public Charges add(Rule limit, long units) {
    list[groupCount] = limit.group(0);
    hashes[groupCount] = identities.of(groupCount).hash();
    costs[groupCount] = units;
    isUniform &= units == costs[0];
    isLeased &= limit.isLeased();
    groupCount++;
    localGroupCount += limit.localGroupCount();
    return this;
  }

  private void begin(Question question) {
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

  private void setCosts(Question question) {
    areCostsGiven = true;
    int charge = 0;
    for (int group = 0; group < groupCount; group++) {
      BudgetGroup budgets = rule.group(group);
      for (int i = 0; i < budgets.size(); i++) {
        costs[charge] = question.costOf(budgets.budget(i).index(), cost);
        isUniform &= costs[charge++] == costs[0];
      }
    }
  }

  private Charges make(Rule of, Identities whose) {
    rule = of;
    identities = whose;
    groupCount = of.groupCount();
    localGroupCount = of.localGroupCount();
    cost = of.cost();
    areCostsGiven = false;
    isUniform = true;
    isLeased = of.isLeased();
    for (int group = 0; group < groupCount; group++) {
      hashes[group] = whose.of(group).hash();
    }
    return this;
  }

  /** Takes over another question's, but for what its identities say: their hashes stay. */
  void copy(Charges from) {
    operation = from.operation;
    purpose = from.purpose;
    deadlineNs = from.deadlineNs;
    wantsRows = from.wantsRows;
    isOnce = from.isOnce;
    isFollowed = from.isFollowed;
    onceHigh = from.onceHigh;
    onceLow = from.onceLow;
    rule = from.rule;
    identities = null;
    groupCount = from.groupCount;
    localGroupCount = from.localGroupCount;
    cost = from.cost;
    areCostsGiven = from.areCostsGiven;
    isUniform = from.isUniform;
    isLeased = from.isLeased;
    if (rule == null) {
      System.arraycopy(from.list, 0, list, 0, groupCount);
      listLimits = from.listLimits;
    }
    System.arraycopy(from.hashes, 0, hashes, 0, groupCount);
    if (areCostsGiven) {
      System.arraycopy(from.costs, 0, costs, 0, costs.length);
    }
  }

  /** Forgets the rule, so that it may be forgotten by all. */
  void clear() {
    if (rule == null) {
      Arrays.fill(list, 0, groupCount, null);
      listLimits = null;
    }
    rule = null;
    groupCount = 0;
  }

  /** The operation on the budgets. */
  Operation operation() {
    return operation;
  }

  Purpose purpose() {
    return purpose;
  }

  /** When the verdict is worth nothing any more; or {@link Question#NO_DEADLINE}. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** Whether the figures of every limit are asked for. */
  boolean areRowsWanted() {
    return wantsRows;
  }

  /** Whether what is granted is kept, so that a repeat is not charged. */
  boolean isOnce() {
    return isOnce;
  }

  /** Whether other questions follow, and the store need not be asked before them. */
  boolean isFollowed() {
    return isFollowed;
  }

  /** Says whether other questions follow. */
  void followed(boolean follows) {
    isFollowed = follows;
  }

  /** The first half of the hash of the name that a repeat has too. */
  long onceHigh() {
    return onceHigh;
  }

  long onceLow() {
    return onceLow;
  }

  int groupCount() {
    return groupCount;
  }

  /** How many groups, the first ones, this node decides on. */
  int localGroupCount() {
    return localGroupCount;
  }

  /** Whether it takes more than one gate to decide. */
  boolean isMixed() {
    return localGroupCount != 0 && localGroupCount != groupCount;
  }

  public BudgetGroup group(int group) {
    return rule == null ? list[group] : rule.group(group);
  }

  /** The place of a charge's budget among the rows of the verdict: in its rule, or in the list. */
  int row(int charge, Budget budget) {
    return rule == null ? charge : budget.index();
  }

  /** Whose budgets a group has; valid while the question is being asked. */
  Identity identity(int group) {
    return identities.of(group);
  }

  /** The hash of a group's identity. */
  long hash(int group) {
    return hashes[group];
  }

  /** The key under which units are kept for a group's identity. */
  long leaseKey(int group) {
    return hashes[group] ^ rule.group(group).leaseSeed();
  }

  /** The first charge of a group. */
  int firstCharge(int group) {
    int first = 0;
    for (int i = 0; i < group; i++) {
      first += group(i).size();
    }
    return first;
  }

  /** Units that a charge takes, by its place, group by group. */
  long cost(int charge) {
    return areCostsGiven ? costs[charge] : cost;
  }

  /** Whether the request takes what the rule says. */
  boolean isCostUsual() {
    return !areCostsGiven;
  }

  /**
   * Whether units that were kept for the store's groups may be used for it: a plain check, of one
   * cost, of groups that are all leased if the store has them.
   */
  boolean areLeased() {
    return isLeased && operation == Operation.CHECK && !isOnce && !wantsRows && isUniform;
  }

  /** Whether units that are kept of the store's groups are used by plain checks of them. */
  boolean areOfHands() {
    return isLeased;
  }

  /** Whether all charges take the same. */
  boolean isUniform() {
    return isUniform;
  }

  /**
   * The limits that the store charges, of all its groups: the same array as long as these limits
   * stay.
   */
  ScriptLimit[] storeLimits() {
    if (rule != null) {
      return rule.storeLimits();
    }
    if (listLimits == null) {
      listLimits = new ScriptLimit[groupCount];
      for (int group = 0; group < groupCount; group++) {
        listLimits[group] = list[group].budget(0).storeLimit();
      }
    }
    return listLimits;
  }

  /**
   * Whether the store may decide on this one together with others: not a list, nor if each has its
   * slot.
   */
  boolean coalesces() {
    if (rule == null) {
      return false;
    }
    Budget first = rule.group(localGroupCount).budget(0);
    return first.spec().limit().overflow() != Overflow.QUEUE;
  }
}
