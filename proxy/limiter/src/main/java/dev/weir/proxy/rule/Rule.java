package dev.weir.proxy.rule;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.RefusalSpec;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;
import dev.weir.scripts.ScriptLimit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;

/**
 * A compiled rule. Immutable but for the parts that were asked for ({@link #without}), each of
 * which is made once. Any thread.
 */
public final class Rule {
  /**
   * A bit beside those of the groups that a part leaves out: the part is {@link #everywhereAlone},
   * whose refusals take effect although the rule is a dry run.
   */
  private static final int ALONE = 1 << 30;

  /** Such a bit of a part that leaves out limits of a group, and not the group. */
  private static final int SOME = 1 << 29;

  /** Such a bit of a part that leaves out limits of requests in flight: {@link #withoutSlots}. */
  private static final int SLOTS = 1 << 28;

  /** Such a bit of a part that leaves out all limits that hold: {@link #ofMessages}. */
  private static final int HELD = 1 << 27;

  private static final Rule[] NO_PARTS = {};

  /** The result of {@link #reportedCost} of a limit whose cost is known from the start. */
  public static final int NOT_REPORTED = -1;

  private final RuleSpec spec;
  private final byte[] idUtf8;
  private final int index;
  private final RuleAction action;
  private final boolean dryRun;
  private final List<Budget> budgets;

  /** The budgets; if this version has none, those of the last version that had limits. */
  private final List<Budget> remembered;

  /** The budgets of its checks, in their order: its own, and those of all requests. */
  private final List<Budget> charged;

  private final BudgetGroup[] groups;
  private final int everywhereGroups;
  private final int localGroupCount;
  private final ScriptLimit[] storeLimits;
  private final boolean isLeased;
  private final long cost;
  private final boolean isOfUsers;
  private final boolean hasCosts;
  private final boolean hasCostsOfRequests;
  private final int[] rows;
  private final boolean holds;

  /** The place of the cost of each charge in {@link #reportedCosts}, or {@link #NOT_REPORTED}. */
  private final int[] reportedBy;

  private final ReportedCost[] reportedCosts;
  private final RuleConditions conditions;

  /** The identities for whom refusals take effect; null unless they are a part of all. */
  private final IdentityPart enforced;

  /** This rule as it is for all other identities; null if there are none. */
  private final Rule rehearsal;

  /** The limits that this part of a rule leaves out: {@link #without}; 0 for a whole rule. */
  private final int left;

  /** How it bans identities; null if it does not. */
  private final RuleBans bans;

  /** The parts of this rule that were asked for. */
  private final AtomicReference<Rule[]> parts = new AtomicReference<>(NO_PARTS);

  /** The plan that it is for. */
  private final Plan plan;

  /** The rule without a plan, of which this is the one under a plan; else this one. */
  private final Rule base;

  /** This rule under plans that were met. */
  private final PlanTable<Rule> planned = new PlanTable<>();

  /**
   * @param index of the rule in the file, from 0.
   * @param version of the set that it is compiled for.
   * @param previous the rule with that id in the previous set; null if there was none.
   * @param with the time and the mark.
   * @param everywhere the limits of all requests, of which the rule takes some; null for none.
   * @throws BadValueException if a check would have to charge too many names, see {@link
   *     RuleSet#checkChange}.
   */
  Rule(RuleSpec spec, int index, long version, Rule previous, Compilation with, Rule everywhere) {
    this.spec = spec.decided();
    this.idUtf8 = spec.id().getBytes(StandardCharsets.UTF_8);
    this.index = index;
    this.conditions = new RuleConditions(spec.match());
    this.action = spec.action();
    this.dryRun = spec.dryRun() && action != RuleAction.UNLIMITED;
    if (action == RuleAction.LIMIT) {
      this.budgets = budgets(this.spec, version, previous, with);
      this.remembered = budgets;
    } else {
      this.budgets = List.of();
      this.remembered = previous == null ? List.of() : previous.remembered;
    }
    List<Budget> all = new ArrayList<>(budgets);
    List<BudgetGroup> known = new ArrayList<>();
    if (everywhere != null && (action != RuleAction.DENY || dryRun)) {
      everywhere.budgets.stream()
          .filter(budget -> spec.takes(budget.spec().name()))
          .forEach(all::add);
      known.addAll(List.of(everywhere.groups));
    }
    if (previous != null) {
      known.addAll(List.of(previous.groups));
    }
    this.charged = List.copyOf(all);
    this.groups = BudgetGroup.of(BudgetSuccession.withFormers(all, dryRun), known);
    this.everywhereGroups = findEverywhere();
    this.localGroupCount = localGroupCount(groups);
    this.storeLimits = storeLimits(previous);
    this.isLeased = areStoreGroupsLeased();
    this.cost = groups.length == 0 ? 1 : groups[0].budget(0).cost();
    this.isOfUsers = charged.stream().anyMatch(Budget::isOfUsers);
    this.hasCostsOfRequests = findCostsOfRequests();
    this.hasCosts = hasCostsOfRequests || findCosts();
    this.rows = everywhereGroups == 0 ? null : makeRows();
    List<ReportedCost> reported = new ArrayList<>();
    this.reportedBy = reportedBy(reported);
    this.reportedCosts = reported.isEmpty() ? null : reported.toArray(ReportedCost[]::new);
    this.holds = findHolds();
    this.left = 0;
    this.plan = Plan.NONE;
    this.base = this;
    this.bans = makeBans();
    boolean isInPart = action == RuleAction.LIMIT && spec.enforcement().isPartial();
    this.enforced = isInPart ? new IdentityPart(idUtf8, spec.enforcement(), groups) : null;
    this.rehearsal = isInPart ? new Rule(this, 0, true) : null;
    if (previous != null) {
      previous.planned.forEach(before -> planned(before.plan, List.of(before.groups)));
    }
  }

  /**
   * A part of a rule, as {@link #without} has it, or its dry run on the same budgets.
   *
   * @param isRehearsal whether it is a dry run whatever that rule is.
   */
  private Rule(Rule of, int left, boolean isRehearsal) {
    this(of, of.groupsWithout(left), left, isRehearsal, of.plan);
  }

  /** The rule under a plan, which leaves nothing out. */
  private Rule(Rule of, BudgetGroup[] groups, Plan plan) {
    this(of, groups, 0, false, plan);
  }

  private Rule(Rule of, BudgetGroup[] groups, int left, boolean isRehearsal, Plan plan) {
    this.plan = plan;
    base = plan == of.plan ? this : of;
    spec = of.spec;
    idUtf8 = of.idUtf8;
    index = of.index;
    conditions = of.conditions;
    boolean isAlone = (left & ALONE) != 0;
    action = isAlone ? RuleAction.LIMIT : of.action;
    dryRun = isRehearsal || of.dryRun && !isAlone;
    budgets = of.budgets;
    remembered = of.remembered;
    charged = of.charged;
    isOfUsers = of.isOfUsers;
    this.groups = groups;
    everywhereGroups = findEverywhere();
    localGroupCount = localGroupCount(groups);
    storeLimits = left == 0 && plan == of.plan ? of.storeLimits : storeLimits(null);
    isLeased = areStoreGroupsLeased();
    cost = groups.length == 0 ? 1 : groups[0].budget(0).cost();
    hasCostsOfRequests = findCostsOfRequests();
    hasCosts = hasCostsOfRequests || findCosts();
    rows = everywhereGroups == 0 ? null : makeRows();
    // Costs of a part have the places of the whole rule: one request may hold by two parts of it.
    List<ReportedCost> reported = new ArrayList<>();
    if (of.reportedCosts != null) {
      reported.addAll(List.of(of.reportedCosts));
    }
    reportedBy = reportedBy(reported);
    reportedCosts = of.reportedCosts;
    holds = findHolds();
    this.left = left;
    bans = makeBans();
    boolean isInPart = of.enforced != null && !isRehearsal && !isAlone && hasOwnGroup();
    enforced = isInPart ? new IdentityPart(idUtf8, spec.enforcement(), groups) : null;
    rehearsal = isInPart ? new Rule(this, 0, true) : null;
  }

  private BudgetGroup[] groupsWithout(int left) {
    List<BudgetGroup> kept = new ArrayList<>();
    for (int group = 0; group < groups.length; group++) {
      if ((left >>> group & 1) == 0) {
        kept.add(groups[group]);
      }
    }
    if ((left & HELD) != 0) {
      return those(kept, budget -> !budget.holds());
    }
    return (left & SLOTS) != 0
        ? those(kept, budget -> !budget.isConcurrency())
        : kept.toArray(BudgetGroup[]::new);
  }

  private static BudgetGroup[] those(List<BudgetGroup> of, Predicate<Budget> kept) {
    List<Budget> budgets = new ArrayList<>();
    for (BudgetGroup group : of) {
      for (int i = 0; i < group.size(); i++) {
        if (kept.test(group.budget(i))) {
          budgets.add(group.budget(i));
        }
      }
    }
    return BudgetGroup.of(budgets, of);
  }

  /** Whether the identity by which it is enforced in part has a limit. */
  private boolean hasOwnGroup() {
    return IdentityPart.groupOf(spec.enforcement().key(), idUtf8, groups) < groups.length;
  }

  /**
   * Compiles limits that are in no set, for a caller that finds them itself.
   *
   * @param version different for all such limits of the same id and key, unless they share budgets.
   * @param previous the limits that these replace, whose budgets continue; null if there are none.
   * @param unixEpochNs the Unix epoch by the clock of the checks.
   */
  public static Rule alone(RuleSpec spec, long version, Rule previous, long unixEpochNs) {
    return new Rule(spec, 0, version, previous, Compilation.at(unixEpochNs, 0), null);
  }

  /** Only refusals that take effect count, and only those by limits of the rule's own. */
  private RuleBans makeBans() {
    boolean isNone = spec.ban() == null || dryRun || (left & ALONE) != 0;
    return isNone ? null : new RuleBans(spec, groups, everywhereGroups);
  }

  private boolean areStoreGroupsLeased() {
    boolean areLeased = localGroupCount < groups.length;
    boolean isOne = groups.length - localGroupCount == 1;
    for (int group = localGroupCount; group < groups.length; group++) {
      areLeased &= groups[group].mode() == Mode.LEASED && (isOne || !groups[group].holds());
    }
    return areLeased;
  }

  private static List<Budget> budgets(
      RuleSpec spec, long version, Rule previous, Compilation with) {
    List<Budget> before = previous == null ? List.of() : previous.remembered;
    Budget[] continued = BudgetSuccession.continued(spec.budgets(), before);
    List<Budget> budgets = new ArrayList<>(continued.length);
    for (int i = 0; i < continued.length; i++) {
      budgets.add(new Budget(spec, i, version, continued[i], with));
    }
    return List.copyOf(budgets);
  }

  /** The groups of limits of all requests, a bit each; of those themselves all. */
  private int findEverywhere() {
    int everywhere = 0;
    for (int group = 0; group < groups.length; group++) {
      boolean isOwn = groups[group].budget(0).ruleId().equals(spec.id()) && !spec.isEverywhere();
      everywhere |= isOwn ? 0 : 1 << group;
    }
    return everywhere;
  }

  /** The rule's own limits in its order, then those of all requests in theirs. */
  private int[] makeRows() {
    NavigableSet<Integer> shared = new TreeSet<>();
    for (int group = 0; group < groups.length; group++) {
      for (int i = 0; isEverywhere(group) && i < groups[group].size(); i++) {
        shared.add(groups[group].budget(i).index());
      }
    }
    int ownCount = spec.isEverywhere() ? 0 : budgets.size();
    List<Integer> rows = new ArrayList<>();
    for (int group = 0; group < groups.length; group++) {
      for (int i = 0; i < groups[group].size(); i++) {
        int index = groups[group].budget(i).index();
        rows.add(isEverywhere(group) ? ownCount + shared.headSet(index).size() : index);
      }
    }
    return rows.stream().mapToInt(row -> row).toArray();
  }

  private boolean isEverywhere(int group) {
    return (everywhereGroups >>> group & 1) != 0;
  }

  private boolean findCostsOfRequests() {
    boolean isAny = false;
    for (BudgetGroup group : groups) {
      for (int i = 0; i < group.size(); i++) {
        CostSpec cost = group.budget(i).spec().cost();
        isAny |= cost.isOfRequest() || cost.isAtEnd();
      }
    }
    return isAny;
  }

  private boolean findHolds() {
    boolean holds = false;
    for (BudgetGroup group : groups) {
      for (int i = 0; i < group.size(); i++) {
        holds |= group.budget(i).holds();
      }
    }
    return holds;
  }

  /**
   * The places of the costs of all charges.
   *
   * @param costs is given each cost that is read from an exchange, once.
   */
  private int[] reportedBy(List<ReportedCost> costs) {
    List<Integer> places = new ArrayList<>();
    for (BudgetGroup group : groups) {
      for (int i = 0; i < group.size(); i++) {
        ReportedCost read = group.budget(i).spec().readAtEnd();
        if (read != null && !costs.contains(read)) {
          costs.add(read);
        }
        places.add(read == null ? NOT_REPORTED : costs.indexOf(read));
      }
    }
    return places.stream().mapToInt(place -> place).toArray();
  }

  private boolean findCosts() {
    boolean hasCosts = false;
    for (BudgetGroup group : groups) {
      for (int i = 0; i < group.size(); i++) {
        hasCosts |= group.budget(i).cost() != cost || group.budget(i).spec().cost().isAtEnd();
      }
    }
    return hasCosts;
  }

  private static int localGroupCount(BudgetGroup[] groups) {
    int count = 0;
    while (count < groups.length && !groups[count].mode().needsStore()) {
      count++;
    }
    return count;
  }

  private ScriptLimit[] storeLimits(Rule previous) {
    if (groups.length == 0) {
      return null;
    }
    if (localGroupCount >= groups.length - 1) {
      return groups[groups.length - 1].storeLimits();
    }
    List<ScriptLimit> all = new ArrayList<>();
    for (int group = localGroupCount; group < groups.length; group++) {
      all.addAll(List.of(groups[group].storeLimits()));
    }
    ScriptLimit[] limits = all.toArray(ScriptLimit[]::new);
    boolean unchanged = previous != null && BudgetGroup.isSame(limits, previous.storeLimits);
    return unchanged ? previous.storeLimits : limits;
  }

  public String id() {
    return spec.id();
  }

  /** The id in UTF-8: always the same array. */
  public byte[] idUtf8() {
    return idUtf8;
  }

  /** The index of the rule in its set. */
  public int index() {
    return index;
  }

  public RuleAction action() {
    return action;
  }

  /**
   * Whether the rule is a dry run: its limits decide and count, and every request passes, unless a
   * limit of all requests refuses it.
   */
  public boolean dryRun() {
    return dryRun;
  }

  /** Whether refusals take effect for a part of its identities: {@link #toward}. */
  public boolean isEnforcedInPart() {
    return enforced != null;
  }

  /** Reports changes between local counts and the store's, as what was used would be forgotten. */
  void checkChange(RuleSpec to, FaultSink sink) {
    if (to.action() == RuleAction.LIMIT && !to.dryRun() && !dryRun) {
      BudgetSuccession.checkChange(to, remembered, sink);
    }
  }

  /** The group whose identity says whether refusals take effect, of a rule enforced in part. */
  public int enforcedGroup() {
    return enforced.group();
  }

  /**
   * The rule as it is for an identity: this one, or its dry run on the same budgets. Of a rule that
   * is enforced in part.
   *
   * @param identity of {@link #enforcedGroup}, from 0.
   */
  public Rule toward(DirectBuffer identity, int length) {
    return enforced.has(identity, length) ? this : rehearsal;
  }

  /**
   * The rule as it is for a request whose identity of {@link #enforcedGroup} cannot be read. A
   * request without one is in no part; a malformed one is in every part that has anybody, as
   * clients could choose to send it.
   */
  public Rule toward(RefusalReason fault) {
    boolean isInNone = fault == RefusalReason.IDENTITY_MISSING || enforced.isEmpty();
    return isInNone ? rehearsal : this;
  }

  /** Whether no limit applies to requests of this rule, and none is refused. */
  public boolean passesAll() {
    return groups.length == 0 && action != RuleAction.DENY;
  }

  /** The groups of budgets that all rules share, a bit each, the first the lowest. */
  public int everywhereGroups() {
    return everywhereGroups;
  }

  /**
   * This rule without some groups of budgets. Asked for again, it is the same one.
   *
   * @param some a bit for each group, the first the lowest.
   */
  public Rule without(int some) {
    if (some == 0) {
      return this;
    }
    while (true) {
      Rule[] known = parts.get();
      for (Rule part : known) {
        if (part.left == some) {
          return part;
        }
      }
      Rule[] more = Arrays.copyOf(known, known.length + 1);
      more[known.length] = new Rule(this, some, false);
      // Of two threads that make one, the second finds that of the first.
      parts.compareAndSet(known, more);
    }
  }

  /** The part of this rule that is its limits of a name; made anew, for who asks seldom. */
  public Rule ofLimit(String name) {
    BudgetGroup[] named = those(List.of(groups), budget -> budget.policy().name().equals(name));
    return new Rule(this, named, left | SOME, false, plan);
  }

  /**
   * This rule for a check without an end: without limits of requests in flight, as it is never in
   * flight. Other limits that hold charge it at once.
   */
  public Rule withoutSlots() {
    return holds ? without(SLOTS) : this;
  }

  /** This rule for a message of a stream: without limits of which its request holds units. */
  public Rule ofMessages() {
    return holds ? without(HELD) : this;
  }

  /** Whether users may have other numbers of some of its limits. */
  public boolean isOfUsers() {
    return isOfUsers;
  }

  /** The plan that it is for; {@link Plan#NONE} of the limits' own numbers. */
  public Plan plan() {
    return plan;
  }

  /**
   * This rule for those with a plan: the same budgets with other numbers, without those of which
   * the plan has no limit. It is made when the plan is met first; asked for again, it is the same.
   *
   * @return this rule, if the plan changes nothing of it.
   */
  public Rule under(Plan other) {
    Rule known = base.planned.get(other.number());
    return known == null ? base.planned(other, List.of()) : known;
  }

  /** Forgets itself under plans that there are no more; a rule without a plan. */
  public void retainPlans(IntPredicate kept) {
    planned.retain(kept);
    charged.forEach(budget -> budget.retainPlans(kept));
  }

  private Rule planned(Plan other, List<BudgetGroup> before) {
    synchronized (planned) {
      Rule known = planned.get(other.number());
      if (known == null) {
        known = make(other, before);
        planned.put(other.number(), known);
      }
      return known;
    }
  }

  private Rule make(Plan other, List<BudgetGroup> before) {
    List<Budget> all = new ArrayList<>();
    for (Budget budget : charged) {
      Budget under = budget.under(other);
      if (under != null) {
        all.add(under);
      }
    }
    if (all.equals(charged)) {
      return this;
    }
    List<BudgetGroup> known = new ArrayList<>(before);
    known.addAll(List.of(groups));
    return new Rule(this, BudgetGroup.of(BudgetSuccession.withFormers(all, dryRun), known), other);
  }

  /** Whether its requests may be those of a dry run that limits of all requests may refuse. */
  public boolean mayBePartlyRehearsed() {
    return everywhereGroups != 0 && (dryRun || enforced != null);
  }

  /** Whether it is a dry run whose requests limits of all requests may refuse. */
  public boolean isPartlyRehearsed() {
    return dryRun && everywhereGroups != 0;
  }

  /** The limits of all requests, of a rule that {@link #isPartlyRehearsed}. */
  public Rule everywhereAlone() {
    return without(ALONE | (1 << groups.length) - 1 & ~everywhereGroups);
  }

  /** Whether this is what is enforced of a dry run, whose requests are counted already. */
  public boolean isEverywhereAlone() {
    return (left & ALONE) != 0;
  }

  /** The budgets, in the order of the file; none unless the action is to limit. */
  public List<Budget> budgets() {
    return budgets;
  }

  /** Links the budgets that these replace to these: {@link RuleSet#succeed}. */
  public void succeed() {
    budgets.forEach(Budget::succeed);
  }

  /** Marks the budgets that these replace as unused: {@link RuleSet#completeAdoption}. */
  public void completeAdoption() {
    budgets.forEach(Budget::completeAdoption);
  }

  /** The number of groups of its budgets. */
  public int groupCount() {
    return groups.length;
  }

  /**
   * The budgets of one key and gate: first the groups that this node decides on, then the store's,
   * each in the order of the file.
   */
  public BudgetGroup group(int index) {
    return groups[index];
  }

  /** The groups, as {@link #group} has them; not to be changed. */
  public BudgetGroup[] groups() {
    return groups;
  }

  /** The number of groups that this node decides on, which are the first ones. */
  public int localGroupCount() {
    return localGroupCount;
  }

  /**
   * The limits that the store charges, group by group, as in {@link BudgetGroup#storeLimits()};
   * null unless the store decides on some.
   */
  public ScriptLimit[] storeLimits() {
    return storeLimits;
  }

  /**
   * Whether the store decides on some of the groups, all of which are of mode leased; where
   * requests hold units until they end, on one group.
   */
  public boolean isLeased() {
    return isLeased;
  }

  /**
   * Whether requests for one budget may be granted together: not if each has its own slot in a
   * queue.
   */
  public boolean coalesces() {
    return groups[0].budget(0).spec().limit().overflow() != Overflow.QUEUE;
  }

  /** Whether its limits have different costs, or costs that requests say: {@link Budget#cost}. */
  public boolean hasCosts() {
    return hasCosts;
  }

  /** Units that one request takes of each limit, 1 or more, unless the rule has costs. */
  public long cost() {
    return cost;
  }

  /** Whether requests say their cost of some of its limits, or hold what others have cost. */
  public boolean hasCostsOfRequests() {
    return hasCostsOfRequests;
  }

  /** Whether requests hold units of some of its limits until they end. */
  public boolean holds() {
    return holds;
  }

  /**
   * The costs that are read from an exchange, each once: {@link Verdict#reportedCosts}. Not to be
   * changed; null if there are none.
   */
  public ReportedCost[] reportedCosts() {
    return reportedCosts;
  }

  /**
   * The place of a limit's cost in {@link #reportedCosts}; of one that finds its number, that of
   * whether the service has dropped the request.
   *
   * @param charge the limit's place in the groups, one after the other, from 0.
   * @return {@link #NOT_REPORTED} if it is known from the start.
   */
  public int reportedCost(int charge) {
    return reportedBy[charge];
  }

  /** Whether each message of a stream is charged, after the first ({@code cost: messages}). */
  public boolean countsMessages() {
    return spec.countsMessages();
  }

  /**
   * The row of each charge in the verdict; null where it is the place of its budget in the rule.
   * Behind those of the rule are those of all requests.
   */
  public int[] rows() {
    return rows;
  }

  /** The part of a limit from which answers warn, in thousandths; 0 if they never do. */
  public int warnAtPermille() {
    return spec.warnAtPermille();
  }

  /** Whether a request that repeats another one, by its idempotency key, is not charged again. */
  public boolean isIdempotent() {
    return spec.idempotency();
  }

  /** How the rule bans identities; null if it does not. */
  public RuleBans bans() {
    return bans;
  }

  /** The answer to requests that it refuses; null for Weir's own answer. */
  public RefusalSpec refusal() {
    return spec.refusal();
  }

  /** The specification that the rule was compiled from. */
  public RuleSpec spec() {
    return spec;
  }

  /** Whether a request fulfils all conditions beside host and path. */
  boolean holds(MatchedRequest request) {
    return conditions.hold(request);
  }

  /**
   * The first condition that a request does not fulfil, as {@link RuleConditions#failed} has it.
   */
  Object failed(MatchedRequest request) {
    return conditions.failed(request);
  }

  @Override
  public String toString() {
    return spec.id();
  }
}
