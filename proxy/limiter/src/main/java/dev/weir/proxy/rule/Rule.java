package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;
import dev.weir.scripts.ScriptLimit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.agrona.DirectBuffer;

/** A compiled rule. Immutable; any thread. */
public final class Rule {
  private static final BudgetGroup[] NO_GROUPS = {};

  private final RuleSpec spec;
  private final byte[] idUtf8;
  private final int index;
  private final long cost;
  private final boolean hasCosts;
  private final List<Budget> budgets;

  /** The budgets; if this version has none, those of the last version that had limits. */
  private final List<Budget> remembered;

  private final BudgetGroup[] groups;
  private final int localGroupCount;
  private final ScriptLimit[] storeLimits;
  private final boolean isLeased;
  private final RuleConditions conditions;
  private final boolean isDryRun;

  /** The identities for whom refusals take effect; null unless they are a part of all. */
  private final EnforcedPart enforced;

  /** This rule as it is for all other identities; null if there are none. */
  private final Rule rehearsal;

  /**
   * @param index of the rule in the file, from 0.
   * @param version of the set that it is compiled for.
   * @param previous the rule with that id in the previous set; null if there was none.
   * @param clock of the checks.
   * @throws BadValueException if a check would have to charge too many names, see {@link
   *     #checkChange}.
   */
  Rule(RuleSpec spec, int index, long version, Rule previous, CompileTime clock) {
    this.spec = spec;
    this.isDryRun = spec.dryRun();
    this.idUtf8 = spec.id().getBytes(StandardCharsets.UTF_8);
    this.index = index;
    this.cost = spec.budgets().get(0).costUnits();
    this.hasCosts = hasCosts(spec);
    this.conditions = new RuleConditions(spec.match());
    if (spec.action() == RuleAction.LIMIT) {
      this.budgets = budgets(spec, version, previous, clock);
      this.remembered = budgets;
      this.groups = groups(withFormers(), previous == null ? NO_GROUPS : previous.groups);
      this.localGroupCount = localGroupCount(groups);
      this.storeLimits = storeLimits(previous);
    } else {
      this.budgets = List.of();
      this.remembered = previous == null ? List.of() : previous.remembered;
      this.groups = NO_GROUPS;
      this.localGroupCount = 0;
      this.storeLimits = null;
    }
    this.isLeased = areStoreGroupsLeased();
    boolean isInPart = spec.action() == RuleAction.LIMIT && spec.enforcement().isPartial();
    this.enforced = isInPart ? new EnforcedPart(idUtf8, spec.enforcement(), groups) : null;
    this.rehearsal = isInPart ? new Rule(this) : null;
  }

  /** A dry run of another rule, on the same budgets. */
  private Rule(Rule of) {
    spec = of.spec;
    idUtf8 = of.idUtf8;
    index = of.index;
    cost = of.cost;
    hasCosts = of.hasCosts;
    conditions = of.conditions;
    budgets = of.budgets;
    remembered = of.remembered;
    groups = of.groups;
    localGroupCount = of.localGroupCount;
    storeLimits = of.storeLimits;
    isLeased = of.isLeased;
    isDryRun = true;
    enforced = null;
    rehearsal = null;
  }

  /**
   * Compiles limits that are in no set, for a caller that finds them itself.
   *
   * @param version different for all such limits of the same id and key, unless they share budgets.
   * @param previous the limits that these replace, whose budgets continue; null if there are none.
   * @param unixEpochNs the Unix epoch by the clock of the checks.
   */
  public static Rule alone(RuleSpec spec, long version, Rule previous, long unixEpochNs) {
    return new Rule(spec, 0, version, previous, new CompileTime(unixEpochNs, 0));
  }

  private boolean areStoreGroupsLeased() {
    boolean areLeased = localGroupCount < groups.length;
    for (int group = localGroupCount; group < groups.length; group++) {
      areLeased &= groups[group].mode() == Mode.LEASED;
    }
    return areLeased;
  }

  private static List<Budget> budgets(
      RuleSpec spec, long version, Rule previous, CompileTime clock) {
    Budget[] continued = continued(spec, previous);
    List<Budget> budgets = new ArrayList<>(continued.length);
    for (int i = 0; i < continued.length; i++) {
      budgets.add(new Budget(spec, i, version, continued[i], clock));
    }
    return List.copyOf(budgets);
  }

  /** The budgets that a rule's budgets continue, by index; null where there is none. */
  private static Budget[] continued(RuleSpec spec, Rule previous) {
    Budget[] continued = new Budget[spec.budgets().size()];
    if (previous != null) {
      List<Budget> left = new ArrayList<>(previous.remembered);
      // A budget is known by its key and name; one whose algorithm changed by its rate, or at
      // least its window; one whose window changed, too, by its key.
      pair(spec.budgets(), left, continued, BudgetSpec::isNamedAs);
      pair(spec.budgets(), left, continued, BudgetSpec::hasRateOf);
      pair(spec.budgets(), left, continued, BudgetSpec::hasWindowOf);
      pair(spec.budgets(), left, continued, BudgetSpec::isDecidedLike);
      pair(spec.budgets(), left, continued, (one, other) -> one.key().equals(other.key()));
    }
    return continued;
  }

  /**
   * Reports what the rule cannot become while it is in use, because what was used would be
   * forgotten: a change between local counts and the store's, and more former names than a check
   * may charge.
   *
   * @param nowNs by the clock of the checks.
   */
  void checkChange(RuleSpec to, long nowNs, FaultSink sink) {
    if (to.action() != RuleAction.LIMIT || to.dryRun() || dryRun()) {
      return;
    }
    try {
      new Rule(to, index, 0, this, new CompileTime(0, nowNs)).toString();
    } catch (BadValueException tooManyNames) {
      sink.fault(to.isList() ? "limits" : "limit", tooManyNames);
    }
    Budget[] continued = continued(to, this);
    for (int i = 0; i < continued.length; i++) {
      Mode mode = to.budgets().get(i).mode();
      Mode before = continued[i] == null ? mode : continued[i].spec().mode();
      if (mode.needsStore() != before.needsStore()) {
        String expected =
            before + ", as until now: what was used would be forgotten; a restart begins anew";
        sink.fault(to.fieldsOf(i) + "mode", mode.toString(), expected);
      } else if (mode.needsStore() && continued[i] != null) {
        checkUnit(to, i, continued[i].spec().limit(), sink);
      }
    }
  }

  /** Numbers with decimals have a name of their own in the store. */
  private static void checkUnit(RuleSpec to, int index, LimitSpec before, FaultSink sink) {
    LimitSpec limit = to.budgets().get(index).limit();
    if (limit.unit() != before.unit()) {
      String expected =
          (before.unit() == 1 ? "no decimals" : "decimals")
              + " in limit, burst and cost, as until now: what was used would be forgotten;"
              + " a restart begins anew";
      sink.fault(to.fieldsOf(index) + "limit", limit.rate().toString(), expected);
    }
  }

  private static void pair(
      List<BudgetSpec> specs,
      List<Budget> left,
      Budget[] continued,
      BiPredicate<BudgetSpec, BudgetSpec> isSame) {
    for (int i = 0; i < continued.length; i++) {
      BudgetSpec spec = specs.get(i);
      for (int j = 0; continued[i] == null && j < left.size(); j++) {
        if (isSame.test(spec, left.get(j).spec())) {
          continued[i] = left.remove(j);
        }
      }
    }
  }

  private static BudgetGroup[] groups(List<Budget> budgets, BudgetGroup[] previous) {
    Map<Object, List<Budget>> alike = new LinkedHashMap<>();
    for (Budget budget : budgets) {
      BudgetSpec spec = budget.spec();
      // Leased units pay for requests of one cost.
      long leasedCost = spec.mode() == Mode.LEASED ? spec.costUnits() : 0;
      Object same =
          List.of(
              spec.key(),
              spec.mode(),
              spec.onStoreFailureOrDefault(),
              spec.leaseLifeNs(),
              leasedCost);
      alike.computeIfAbsent(same, key -> new ArrayList<>()).add(budget);
    }
    return alike.values().stream()
        .map(group -> new BudgetGroup(group, previous))
        .sorted((a, b) -> Boolean.compare(a.mode().needsStore(), b.mode().needsStore()))
        .toArray(BudgetGroup[]::new);
  }

  /**
   * Each budget, followed by its copies under former names. A dry-run rule leaves out those that do
   * not fit into a check.
   */
  private List<Budget> withFormers() {
    List<Budget> all = new ArrayList<>();
    Set<Object> names = new HashSet<>();
    budgets.forEach(budget -> names.add(named(budget)));
    for (Budget budget : budgets) {
      all.add(budget);
      for (Budget.Former former : budget.formers()) {
        Budget under = budget.under(former);
        if (names.size() < RuleSpec.MAX_BUDGETS && names.add(named(under))) {
          all.add(under);
        } else if (!dryRun()) {
          throw new BadValueException(
              "would forget what was used as " + former.storeName(),
              "at most "
                  + RuleSpec.MAX_BUDGETS
                  + " names in the store, former ones included, each of one limit; or a restart,"
                  + " which begins anew");
        }
      }
    }
    return all;
  }

  private static Object named(Budget budget) {
    return List.of(budget.spec().key(), ByteBuffer.wrap(budget.storeName()));
  }

  private static int localGroupCount(BudgetGroup[] groups) {
    int count = 0;
    while (count < groups.length && !groups[count].mode().needsStore()) {
      count++;
    }
    return count;
  }

  private ScriptLimit[] storeLimits(Rule previous) {
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
    return spec.action();
  }

  /** Whether the rule is a dry run: it decides and counts, and every request passes. */
  public boolean dryRun() {
    return isDryRun;
  }

  /** Whether refusals take effect for a part of its identities: {@link #toward}. */
  public boolean isEnforcedInPart() {
    return enforced != null;
  }

  /** The group whose identity says whether refusals take effect, of a rule enforced in part. */
  public int enforcedGroup() {
    return enforced.group();
  }

  /**
   * The rule as it is for an identity: this one, or its dry run on the same budgets. Of a rule that
   * is enforced in part.
   *
   * @param identity of {@link #enforcedGroup}, from 0; null for a request without one, for which no
   *     refusal takes effect.
   */
  public Rule toward(DirectBuffer identity, int length) {
    return identity != null && enforced.has(identity, length) ? this : rehearsal;
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

  /** Whether the store decides on some of the groups, all of which are of mode leased. */
  public boolean isLeased() {
    return isLeased;
  }

  /**
   * Whether requests for one budget may be granted together: not if each has its own slot in a
   * queue.
   */
  public boolean coalesces() {
    return budgets.get(0).spec().limit().overflow() != Overflow.QUEUE;
  }

  /** Whether its limits have different costs: {@link Budget#cost}. */
  public boolean hasCosts() {
    return hasCosts;
  }

  /** Units that one request takes of each limit, 1 or more, unless the rule has costs. */
  public long cost() {
    return cost;
  }

  private static boolean hasCosts(RuleSpec spec) {
    return spec.budgets().stream().mapToLong(BudgetSpec::costUnits).distinct().count() > 1;
  }

  /** Whether each message of a stream is charged, after the first ({@code cost: messages}). */
  public boolean countsMessages() {
    return spec.countsMessages();
  }

  public OnMissingKey onMissingKey() {
    return spec.onMissingKey();
  }

  /** The specification that the rule was compiled from. */
  public RuleSpec spec() {
    return spec;
  }

  /** Whether a request fulfils all conditions beside host and path. */
  boolean holds(MatchedRequest request) {
    return conditions.hold(request);
  }

  @Override
  public String toString() {
    return spec.id();
  }
}
