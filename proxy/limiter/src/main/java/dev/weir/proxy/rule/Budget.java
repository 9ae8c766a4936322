package dev.weir.proxy.rule;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.SipHash;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.scripts.ScriptLimit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * One limit of a rule, compiled, with what it takes to find each identity's budget under it.
 * Immutable, except for this node's share and what follows when the rules change; any thread.
 */
public final class Budget {
  /** The changes of one limit over which an identity that makes no request keeps what it used. */
  static final int MAX_PASTS = 32;

  /**
   * The budget that a limit replaced. A key without state under {@link Budget#seed()} takes over
   * what it used under this one; its hash there is the identity's hash XOR {@code seed}.
   *
   * @param adoption of the budget that replaced it.
   * @param earlier the one before, for identities that made no request in between; null if there is
   *     none, or too long ago.
   */
  public record Past(long seed, Limit limit, Written written, Adoption adoption, Past earlier) {
    private Past cut(int depth) {
      boolean isEnd = earlier == null || depth == 1;
      return new Past(seed, limit, written, adoption, isEnd ? null : earlier.cut(depth - 1));
    }

    /** The units that users of a plan used under replaced limits; null if they had none. */
    private Past under(Plan plan) {
      Past before = earlier == null ? null : earlier.under(plan);
      Limit under = written.under(plan, limit);
      return under == null ? before : new Past(seed, under, written, adoption, before);
    }

    /** The one of the same limit in another chain; null if it has none. */
    public Past in(Past chain) {
      Past same = chain;
      while (same != null && same.seed != seed) {
        same = same.earlier;
      }
      return same;
    }

    /** Whether users could have other numbers of it. */
    public boolean isOfUsers() {
      return written.isOfUsers();
    }

    /** Whether no event loop decides by this budget any more. */
    public boolean isOver() {
      return adoption.isComplete;
    }
  }

  /**
   * How a limit was written, and shared, by which the limit under a plan is compiled.
   *
   * @param name in answers.
   * @param nodeCount the sidecars by which it is divided; 0 if it is not.
   */
  record Written(
      BudgetSpec spec, String name, boolean isOfUsers, long unixEpochNs, int nodeCount, int rank) {
    /**
     * The limit under a plan, as this sidecar may let it pass; null for no limit.
     *
     * @param own the limit itself, as this sidecar may let it pass.
     */
    Limit under(Plan plan, Limit own) {
      Amount amount = isOfUsers ? plan.amount(spec, name) : null;
      if (amount == null) {
        return own;
      }
      if (amount.isUnlimited()) {
        return null;
      }
      BudgetSpec under = spec.under(amount);
      Limit whole = under.limit().compile(unixEpochNs);
      Limit share = nodeCount == 0 ? whole : share(under, whole, nodeCount, rank);
      return share == null ? whole : share;
    }

    static Limit share(BudgetSpec spec, Limit whole, int nodeCount, int rank) {
      return spec.limit().share(whole, nodeCount, rank, spec.costUnits());
    }
  }

  /** Whether all event loops use a budget, and none is inside a check by the one before. */
  static final class Adoption {
    private volatile boolean isComplete;
  }

  /**
   * A name that the budget had in the store before a reload. It is charged beside the present name
   * as long as charges under it may count, and those of sidecars that reload later.
   *
   * @param untilNs by the clock of the checks.
   */
  record Former(String storeName, long untilNs) {}

  /** How much later than this sidecar others of the fleet may reload the same change. */
  private static final long RELOAD_SPREAD_NS = TimeUnit.MINUTES.toNanos(1);

  private static final long NS_PER_US = 1_000;

  /** Separates the keys of units that are held from those of units that are used. */
  private static final long HELD_SEED = 0x6A09_E667_F3BC_C908L;

  private final RuleSpec rule;
  private final BudgetSpec spec;
  private final int index;
  private final QuotaPolicy policy;
  private final long unixEpochNs;
  private final long version;
  private final long seed;
  private final long storeSeed;
  private final long heldSeed;
  private final boolean holds;
  private final boolean isOfUsers;
  private final Limit limit;
  private volatile Limit share;
  private final Past past;

  /** The budget of the previous set that this one continues; null once that one has been told. */
  private Budget continued;

  private volatile Budget successor;
  private final Adoption adoption = new Adoption();
  private final String ruleName;
  private final byte[] storeName;
  private final ScriptLimit storeLimit;

  /** The newest first; empty unless the store decides. */
  private final List<Former> formers;

  /** The budget of those without a plan; this one, unless it is that of a plan. */
  private final Budget base;

  /** The plan whose budget this is. */
  private final Plan plan;

  /** This limit's budgets under plans that were met, where they have other numbers. */
  private final PlanTable<Budget> planned = new PlanTable<>();

  /** The sidecars by which the limit was divided last; 0 if it was not. */
  private int nodeCount;

  private int rank;

  /**
   * @param index of the budget in the rule.
   * @param version of the set that it is compiled for.
   * @param previous the budget of the previous set that it continues; null if there was none.
   * @param with the time and the mark.
   */
  Budget(RuleSpec rule, int index, long version, Budget previous, Compilation with) {
    this.rule = rule;
    this.spec = rule.budgets().get(index);
    this.index = index;
    this.policy = policy(policyName(rule, spec), spec);
    LimitSpec limits = spec.limit();
    this.isOfUsers = with.users() != null && with.users().mayChange(spec);
    this.unixEpochNs = with.unixEpochNs();
    // Windows of the clock are others once the time of day was set.
    boolean sameWindows =
        previous != null
            && (limits.algorithm() != Algorithm.FIXED_WINDOW
                || previous.unixEpochNs == unixEpochNs);
    boolean unchanged = sameWindows && limits.resolved().equals(previous.spec.limit().resolved());
    // Counts of the same windows are as good under another number. Keys go by the name.
    boolean sameCounts =
        sameWindows
            && previous.spec.name().equals(spec.name())
            && (previous.isOfUsers == isOfUsers || !limits.takesBurst()) // words tell the plan
            && (unchanged || limits.keepsCountsOf(previous.spec.limit()));
    this.limit =
        unchanged
            ? previous.limit
            : previous == null
                ? limits.compile(unixEpochNs)
                : limits.compile(unixEpochNs, previous.limit);
    this.share = limit;
    this.version = sameCounts ? previous.version : version;
    this.seed = seed(rule, spec, this.version);
    this.storeSeed = SipHash.mix(seed + limits.rate().count());
    if (sameCounts) {
      this.past = previous.rule.dryRun() == rule.dryRun() ? previous.past : null;
    } else {
      this.past = previous == null ? null : pastOf(previous);
    }
    this.continued = previous != null && previous.rule.dryRun() == rule.dryRun() ? previous : null;
    this.ruleName = rule.id() + (rule.dryRun() ? "~" : "") + with.storeMark();
    this.storeName = nameInStore().getBytes(StandardCharsets.US_ASCII);
    this.holds = spec.holds();
    this.heldSeed =
        continued != null && countsLike(continued)
            ? continued.heldSeed
            : SipHash.mix(seed ^ HELD_SEED);
    // One object while the limit stays: checks of one budget are told apart by it.
    boolean sameForStore = previous != null && spec.isSameForStore(previous.spec);
    this.storeLimit =
        !spec.mode().needsStore() ? null : sameForStore ? previous.storeLimit : spec.storeLimit();
    this.formers = continued == null ? List.of() : formersOf(previous, with.nowNs());
    this.base = this;
    this.plan = Plan.NONE;
    if (previous != null) {
      // One object while the limit stays, as above; and requests find them made.
      previous.planned.forEach(before -> planned(before.plan, before));
    }
  }

  /**
   * The budget of a plan: the same place and name, and other numbers.
   *
   * @param before that of the budget which {@code of} continues; null if there is none.
   */
  private Budget(Budget of, Plan plan, BudgetSpec under, Budget before) {
    rule = of.rule;
    spec = under;
    index = of.index;
    policy = policy(of.policy.name(), under);
    unixEpochNs = of.unixEpochNs;
    version = of.version;
    seed = of.seed;
    heldSeed = of.heldSeed;
    holds = of.holds;
    isOfUsers = of.isOfUsers;
    boolean unchanged =
        before != null
            && before.unixEpochNs == unixEpochNs
            && under.limit().resolved().equals(before.spec.limit().resolved());
    limit = unchanged ? before.limit : under.limit().compile(unixEpochNs);
    nodeCount = of.nodeCount;
    rank = of.rank;
    share = nodeCount == 0 ? limit : Written.share(under, limit, nodeCount, rank);
    past = of.past == null ? null : of.past.under(plan);
    ruleName = of.ruleName;
    storeName = of.storeName;
    storeSeed =
        SipHash.mix(SipHash.mix(of.storeSeed + under.limit().rate().count()) + limit.capacity());
    boolean sameForStore = before != null && under.isSameForStore(before.spec);
    storeLimit =
        of.storeLimit == null
            ? null
            : sameForStore && before.storeLimit != null ? before.storeLimit : under.storeLimit();
    formers = of.formers;
    base = of;
    this.plan = plan;
  }

  /** A copy of a budget at the store under a former name. */
  private Budget(Budget of, Former former) {
    rule = of.rule;
    spec = of.spec;
    index = of.index;
    policy = of.policy;
    unixEpochNs = of.unixEpochNs;
    version = of.version;
    seed = of.seed;
    limit = of.limit;
    share = of.share;
    past = null;
    ruleName = of.ruleName;
    storeName = former.storeName.getBytes(StandardCharsets.US_ASCII);
    heldSeed = of.heldSeed;
    holds = of.holds;
    isOfUsers = of.isOfUsers;
    storeSeed = SipHash.mix(of.storeSeed + former.storeName.hashCode());
    storeLimit = of.storeLimit.former();
    formers = List.of();
    base = this;
    plan = of.plan;
  }

  /** Whether users may have other numbers of it: by a tier, or by their records. */
  public boolean isOfUsers() {
    return isOfUsers;
  }

  /** The budget of those without a plan. */
  public Budget base() {
    return base;
  }

  /** The budget of a plan that this one is; {@link Plan#NONE} of the limit's own. */
  public Plan plan() {
    return plan;
  }

  /**
   * The budget of those with a plan: this one, if the plan has no numbers of its own for it. It is
   * made when the plan is met first.
   *
   * @return null if they have no limit.
   */
  public Budget under(Plan other) {
    return base.planned(other, null);
  }

  /** Forgets itself under plans that there are no more. */
  void retainPlans(IntPredicate kept) {
    base.planned.retain(kept);
  }

  private Budget planned(Plan other, Budget before) {
    Budget known = planned.get(other.number());
    if (known != null) {
      return known;
    }
    Amount amount = isOfUsers ? other.amount(spec, policy.name()) : null;
    if (amount == null || amount.isUnlimited()) {
      return amount == null ? this : null;
    }
    synchronized (planned) {
      known = planned.get(other.number());
      if (known == null) {
        known = new Budget(this, other, spec.under(amount), before);
        planned.put(other.number(), known);
      }
      return known;
    }
  }

  /** Whether units of another budget are units of this one, so that those held there count here. */
  private boolean countsLike(Budget other) {
    LimitSpec limits = other.spec.limit();
    return limits.unit() == spec.limit().unit()
        && limits.isConcurrency() == spec.limit().isConcurrency();
  }

  private List<Former> formersOf(Budget previous, long nowNs) {
    if (storeLimit == null || previous.storeLimit == null) {
      return List.of();
    }
    String name = new String(storeName, StandardCharsets.US_ASCII);
    if (countsThousandths(spec) != countsThousandths(previous.spec)) {
      return List.of(); // another kind of number: BudgetSuccession.checkChange refuses that
    }
    List<Former> all = new ArrayList<>();
    String before = new String(previous.storeName, StandardCharsets.US_ASCII);
    if (!before.equals(name)) {
      long countsNs = Math.max(countsNs(storeLimit), countsNs(previous.storeLimit));
      all.add(new Former(before, nowNs + countsNs + RELOAD_SPREAD_NS));
    }
    for (Former former : previous.formers) {
      if (former.untilNs > nowNs && !former.storeName.equals(name)) {
        all.add(former);
      }
    }
    return List.copyOf(all);
  }

  /** How long a charge counts at most. */
  private static long countsNs(ScriptLimit limit) {
    return limit.isPaced() ? limit.comesBackNs(limit.capacity()) : limit.countsUs() * NS_PER_US;
  }

  private Past pastOf(Budget previous) {
    // Under this rule's dry-run flag: a rehearsal carries over rehearsed consumption only.
    if (previous.rule.dryRun() != rule.dryRun()) {
      long pastSeed = seed(rule, previous.spec, previous.version);
      return new Past(pastSeed, previous.limit, previous.written(0), adoption, null);
    }
    Limit before = previous.share == null ? previous.limit : previous.share;
    Written written = previous.written(previous.nodeCount);
    return new Past(previous.seed, before, written, adoption, previous.past).cut(MAX_PASTS);
  }

  private Written written(int nodes) {
    return new Written(spec, policy.name(), isOfUsers, unixEpochNs, nodes, rank);
  }

  private String nameInStore() {
    // Of a rule without a list, the slots stand beside the one limit.
    boolean isOnlyLimit = !rule.isList() && !spec.limit().isConcurrency();
    boolean isAlone = rule.budgets().size() == 1 && !rule.isEverywhere() || isOnlyLimit;
    String whole = isAlone && !spec.isNamed() ? ruleName : ruleName + "/" + spec.name();
    return countsThousandths(spec) ? whole + "~m" : whole;
  }

  /** Whether the numbers in the store are thousandths: a name is for either kind of number. */
  private static boolean countsThousandths(BudgetSpec spec) {
    return spec.limit().unit() != 1;
  }

  private static QuotaPolicy policy(String name, BudgetSpec spec) {
    Rate rate = spec.limit().rate();
    long count = rate.count();
    long windowNs = rate.windowNs();
    if (spec.limit().isConcurrency()) {
      return new QuotaPolicy(name, count, QuotaPolicy.NO_WINDOW);
    }
    long windowSeconds = (windowNs + 999_999_999) / 1_000_000_000;
    // The field has no fractions of a second: 100 per 500 ms is announced as 200 per second.
    double scale = windowSeconds * 1e9 / windowNs / rate.unit();
    long quota = scale == 1 ? count : (long) Math.min(count * scale, Rate.MAX_COUNT);
    if (quota == 0) {
      // Nor has it fractions of a request: 0.4 per second are announced as 1 per 3 seconds.
      quota = 1;
      windowSeconds = (long) Math.ceil((double) windowNs * rate.unit() / count / 1e9);
    }
    return new QuotaPolicy(name, quota, windowSeconds, rate.unit());
  }

  /**
   * The limit's own name, or the rule's id; with several limits also the window, and what else
   * tells the limits apart.
   */
  private static String policyName(RuleSpec rule, BudgetSpec spec) {
    if (spec.isNamed()) {
      return spec.ownName();
    }
    if (rule.budgets().size() == 1 || !rule.isList() && !spec.limit().isConcurrency()) {
      return rule.id();
    }
    String window = spec.limit().windowText();
    boolean sameWindow = false;
    boolean sameKey = false;
    for (BudgetSpec other : rule.budgets()) {
      if (other != spec && other.limit().windowText().equals(window)) {
        sameWindow = true;
        sameKey |= other.key().equals(spec.key());
      }
    }
    return rule.id()
        + "-"
        + window
        + (sameWindow ? "-" + new String(spec.key().dimension(), StandardCharsets.US_ASCII) : "")
        + (sameKey ? "-" + spec.limit().algorithm() : "");
  }

  /** A seed that differs if the rule's id, the budget, its version or the dry-run flag does. */
  private static long seed(RuleSpec rule, BudgetSpec spec, long version) {
    String name = rule.id() + " " + spec.key() + " " + spec.name();
    long hash = 0xCBF2_9CE4_8422_2325L; // FNV-1a
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x0000_0100_0000_01B3L;
    }
    return SipHash.mix(SipHash.mix(hash) + version * 2 + (rule.dryRun() ? 1 : 0));
  }

  /** The names in the store that are charged beside the present one, the newest first. */
  List<Former> formers() {
    return formers;
  }

  /** This budget under one of its former names. */
  Budget under(Former former) {
    return new Budget(this, former);
  }

  /** Whether this is a budget under a former name, which is charged in the store only. */
  public boolean isFormer() {
    return storeLimit != null && storeLimit.isFormer();
  }

  /** The id of its rule. */
  public String ruleId() {
    return rule.id();
  }

  /** The budget of a request that lacks its key. */
  OnMissingKey onMissingKey() {
    return rule.onMissingKey();
  }

  /** The limit's place in its rule, from 0. */
  public int index() {
    return index;
  }

  /** Units that one request takes, 1 or more. */
  public long cost() {
    return spec.costUnits();
  }

  /** Whether requests hold units of this limit until they end. */
  public boolean holds() {
    return holds;
  }

  /** Whether it limits how many requests are in flight: nothing of it is ever used, only held. */
  public boolean isConcurrency() {
    return spec.limit().isConcurrency();
  }

  /**
   * As {@link #seed}, for the units that requests hold: the same as long as the rule has the limit,
   * whatever its numbers, so what is held outlasts a change. Another one if the limit gains or
   * loses decimals, as its units are others then.
   */
  public long heldSeed() {
    return heldSeed;
  }

  /** Whether what requests hold of this limit is learned from what others cost. */
  public boolean isReserveLearned() {
    return spec.cost().isAtEnd() && spec.cost().atEnd().isLearned();
  }

  /** {@link BudgetSpec#reserve}. */
  public long reserve() {
    return spec.reserve();
  }

  /** A cost that is given in whole units, in units of this limit. */
  public long units(long given) {
    int unit = spec.limit().unit();
    return unit == 1 ? given : Math.min(given * unit, Question.MAX_COST); // above every capacity
  }

  /** Units of a limit that this one has followed, in units of this one. */
  public long unitsOf(Budget other, long units) {
    int unit = spec.limit().unit();
    int otherUnit = other.spec.limit().unit();
    return unit == otherUnit ? units : units * unit / otherUnit;
  }

  /** Whole units in a number of this limit's own, which may be thousandths. */
  public long whole(long units) {
    int unit = spec.limit().unit();
    return unit == 1 ? units : units / unit;
  }

  /** The limit that is charged. */
  public Limit limit() {
    return limit;
  }

  /**
   * The part of the limit that this node may let pass by itself, as {@link Shares} last divided it,
   * or all of it if no other node lets pass under the same rule; null if this node has no share, as
   * the limit is smaller than the fleet.
   */
  public Limit share() {
    return share;
  }

  /** Computes the share while requests use it, and those of plans. */
  void divide(int count, int place) {
    synchronized (planned) {
      if (rule.isShared(spec)) {
        nodeCount = count;
        rank = place;
        share = Written.share(spec, limit, nodeCount, rank);
      }
      planned.forEach(budget -> budget.divide(count, place));
    }
  }

  /** The limit as the store charges it; null unless the store decides. */
  public ScriptLimit storeLimit() {
    return storeLimit;
  }

  /**
   * The part of the name in the store that tells this budget from others of its identity; not to be
   * changed.
   */
  public byte[] storeName() {
    return storeName;
  }

  /**
   * The number of bytes of {@link #storeName} that name the rule; they stay the same however its
   * limits change.
   */
  public int ruleNameLength() {
    return ruleName.length();
  }

  /** The quota policy: the limit as clients are told of it. */
  public QuotaPolicy policy() {
    return policy;
  }

  /**
   * Separates this budget's keys from those of other budgets: a key is the identity's hash XOR
   * this. The same after a reload that left limit and key unchanged.
   */
  public long seed() {
    return seed;
  }

  /**
   * Like {@link #seed}, but another one for every other limit: a decision of the store holds for
   * others under the same limit only.
   */
  public long storeSeed() {
    return storeSeed;
  }

  /** The budget that this limit replaced; null if it replaced none. */
  public Past past() {
    return past;
  }

  /**
   * Links the budget that this one continues to this one, so that requests are decided here from
   * now on.
   */
  void succeed() {
    if (continued != null) {
      continued.successor = this;
      continued = null;
    }
  }

  /** Marks the budgets that this one continues as unused. */
  void completeAdoption() {
    adoption.isComplete = true;
  }

  /**
   * The budget that decides on a request which was matched with this one: this one, until other
   * rules are published. Then what was used under this one is being carried over, or will be.
   */
  public Budget latest() {
    Budget latest = base;
    for (Budget next = base.successor; next != null; next = next.successor) {
      latest = next;
    }
    if (latest == base) {
      return this;
    }
    Budget under = latest.under(plan);
    return under == null ? latest : under; // of no limit any more: this asks for the last time
  }

  /** Whether the store still decides by this limit, and not by one that has replaced it. */
  boolean isCurrentAtStore() {
    return latest().storeLimit == storeLimit;
  }

  /**
   * Whether charges of the store under this limit can be refunded, though another limit may have
   * replaced it: if that counts the same windows, or is the same. What a pacing limit regains over
   * time depends on its rate.
   */
  boolean takesBack() {
    Budget latest = latest();
    return latest == this
        || latest.spec.limit().resolved().equals(spec.limit().resolved())
        || latest.spec.limit().keepsCountsOf(spec.limit());
  }

  /** The specification that the budget was compiled from. */
  public BudgetSpec spec() {
    return spec;
  }
}
