package dev.weir.proxy.rule.spec;

import dev.weir.proxy.rule.RuleSet;
import java.util.List;

/**
 * A rule as somebody wrote it, in a file or as flags; {@link RuleSet} compiles it.
 *
 * @param match the requests that it is for.
 * @param budgets its limits, 1 to {@link #MAX_BUDGETS}: all must pass, or none is charged. Without
 *     a rate unless the action is {@link RuleAction#LIMIT}.
 * @param isList whether they were written as a list, not as fields of the rule.
 * @param cost of the limits that have none of their own; or {@link CostSpec#MESSAGES}.
 * @param priority decides between rules whose patterns are equally specific: the highest wins, then
 *     the first in the file.
 * @param share other than {@link Share#NONE} for {@link Mode#LOCAL} only.
 * @param isEverywhere whether it is no rule, but the limits of all requests.
 * @param everywhere the names of the limits of all requests that it takes; null for all.
 * @param mode of the limits that have none of their own.
 * @param onStoreFailure of the limits that have none of their own; null if not given. For {@link
 *     Mode#EXACT} and {@link Mode#LEASED}.
 * @param warnAtPermille the part of a limit from which answers warn, in thousandths; 0 if they
 *     never do.
 * @param idempotency whether a request that repeats another one is not charged again.
 * @param ban when an identity is banned; null if none is.
 * @param refusal what it answers to requests that it refuses; null for Weir's own answer.
 */
public record RuleSpec(
    String id,
    MatchSpec match,
    List<BudgetSpec> budgets,
    boolean isList,
    CostSpec cost,
    RuleAction action,
    Enforcement enforcement,
    OnMissingKey onMissingKey,
    int priority,
    Mode mode,
    Share share,
    OnStoreFailure onStoreFailure,
    boolean isEverywhere,
    List<String> everywhere,
    int warnAtPermille,
    boolean idempotency,
    BanSpec ban,
    RefusalSpec refusal) {
  /** The id of the limits of all requests, which are those of requests without a rule. */
  public static final String EVERYWHERE = "everywhere";

  /** The longest id. */
  public static final int MAX_ID_LENGTH = 64;

  /** The grammar of the ids of rules and of the names of limits. */
  public static final String ID_GRAMMAR = "1 to 64 letters, digits, dots, dashes and underscores";

  /** The most limits of a rule. */
  public static final int MAX_BUDGETS = 8;

  /** Takes note of a fault in one field of a rule. */
  public interface FaultSink {
    /**
     * @param field the field's name in the file, such as {@code limit} or {@code match.methods[0]}.
     */
    void fault(String field, BadValueException fault);

    default void fault(String field, String value, String expected) {
      fault(field, new BadValueException(value, expected));
    }
  }

  public RuleSpec {
    budgets = List.copyOf(budgets);
  }

  /** Whether a text can name a rule, a limit or a tier. */
  public static boolean isId(String text) {
    return text.matches("[A-Za-z0-9][A-Za-z0-9._-]*") && text.length() <= MAX_ID_LENGTH;
  }

  public static Builder builder(String id) {
    return new Builder(id);
  }

  /** The limits of all requests, without an answer of their own to refusals. */
  public static RuleSpec ofEverywhere(List<BudgetSpec.Builder> limits) {
    return ofEverywhere(limits, null);
  }

  /** The limits of all requests: what compiles, counts and reloads them treats them as a rule. */
  public static RuleSpec ofEverywhere(List<BudgetSpec.Builder> limits, RefusalSpec refusal) {
    Builder builder = builder(EVERYWHERE).limits(limits).refusal(refusal);
    builder.isEverywhere = true;
    return builder.build();
  }

  /** Whether it takes the limit of all requests of a name. */
  public boolean takes(String name) {
    return everywhere == null || everywhere.contains(name);
  }

  /** Whether each message of a stream of gRPC is asked for, behind the first. */
  public boolean countsMessages() {
    return cost.countsMessages();
  }

  /** Whether it decides and counts, and every request passes. */
  public boolean dryRun() {
    return enforcement.dryRun();
  }

  /** Cells that a table must have for each key of this rule; 0 if no limit keeps a ring. */
  public int ringCells() {
    return action != RuleAction.LIMIT
        ? 0
        : budgets.stream().mapToInt(BudgetSpec::cells).max().orElse(0);
  }

  /** The field that has the limits. */
  public String limitsField() {
    return isEverywhere ? EVERYWHERE : isList ? "limits" : "limit";
  }

  /** The prefix of the fields of one of the limits, such as {@code limits[0].}. */
  public String fieldsOf(int budget) {
    return isList ? (isEverywhere ? EVERYWHERE : "limits") + "[" + budget + "]." : "";
  }

  /** Reports everything in this rule that cannot be, whether or not it stands alone. */
  public void check(FaultSink sink) {
    if (!isId(id)) {
      sink.fault("id", id, ID_GRAMMAR);
    }
    match.check(sink);
    if (action == RuleAction.LIMIT) {
      checkLimits(sink);
      checkOfService(sink);
    } else {
      checkNoLimit(sink);
    }
    enforcement.check(this, sink);
    if (warnAtPermille > 0 && action != RuleAction.LIMIT) {
      String expected = "nothing, as the action is " + action;
      sink.fault("warn-at", Enforcement.percent(warnAtPermille), expected);
    }
    if (idempotency) {
      checkIdempotency(sink);
    }
    if (ban != null) {
      ban.check(this, sink);
    }
    if (onStoreFailure != null && !mode.needsStore() && !asksStore()) {
      sink.fault(
          "on-store-failure", onStoreFailure.toString(), "nothing, unless mode is exact or leased");
    }
    if (share == Share.AUTO && mode.needsStore()) {
      sink.fault("share", "auto", "nothing, as the mode is " + mode);
    }
  }

  /** Whether requests hold units of any of its limits until they end. */
  public boolean holds() {
    return action == RuleAction.LIMIT && budgets.stream().anyMatch(BudgetSpec::holds);
  }

  /**
   * Whether units of all its limits at the store are leased, and held by requests until they end:
   * that takes one key, as the units of a request are taken together.
   */
  private boolean leasesHeldUnits() {
    BudgetSpec first = null;
    boolean leases = true;
    for (BudgetSpec budget : budgets) {
      if (budget.mode().needsStore()) {
        first = first == null ? budget : first;
        leases &=
            budget.holds()
                && budget.mode() == Mode.LEASED
                && budget.key().equals(first.key())
                && budget.onStoreFailureOrDefault() == first.onStoreFailureOrDefault()
                && budget.leaseLifeNs() == first.leaseLifeNs();
      }
    }
    return leases && first != null;
  }

  /** Whether limits of mode leased are decided as exact, as requests hold units of some limit. */
  public boolean isLeasedAsExact() {
    boolean isLeased = budgets.stream().anyMatch(budget -> budget.mode() == Mode.LEASED);
    return holds() && isLeased && !leasesHeldUnits();
  }

  /** Returns this rule as it is decided: where units cannot be leased, the store is asked. */
  public RuleSpec decided() {
    return isLeasedAsExact()
        ? new RuleSpec(
            id,
            match,
            budgets.stream().map(BudgetSpec::decidedByStore).toList(),
            isList,
            cost,
            action,
            enforcement,
            onMissingKey,
            priority,
            mode == Mode.LEASED ? Mode.EXACT : mode,
            share,
            onStoreFailure,
            isEverywhere,
            everywhere,
            warnAtPermille,
            idempotency,
            ban,
            refusal)
        : this;
  }

  /** Whether the store decides on any of the rule's budgets. */
  public boolean asksStore() {
    return action == RuleAction.LIMIT
        && budgets.stream().anyMatch(budget -> budget.mode().needsStore());
  }

  /** The field that has the store decide: the rule's, or that of a limit. It asks the store. */
  public String fieldThatAsksStore() {
    if (mode.needsStore()) {
      return "mode";
    }
    int budget = 0;
    while (!budgets.get(budget).mode().needsStore()) {
      budget++;
    }
    return fieldsOf(budget) + "mode";
  }

  /** The mode that {@link #fieldThatAsksStore} has. */
  public Mode modeThatAsksStore() {
    return mode.needsStore()
        ? mode
        : budgets.stream().map(BudgetSpec::mode).filter(Mode::needsStore).findFirst().orElseThrow();
  }

  /** Modes, failure policies and costs of limits that differ from the rule's; mostly empty. */
  public String ownDecisions() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < budgets.size(); i++) {
      BudgetSpec budget = budgets.get(i);
      if (budget.mode() != mode || budget.onStoreFailure() != onStoreFailure) {
        text.append(' ').append(fieldsOf(i)).append(budget.mode());
        text.append(' ').append(budget.onStoreFailure());
      }
      if (budget.leaseLifeNs() != 0) {
        text.append(' ').append(fieldsOf(i)).append(DurationText.text(budget.leaseLifeNs()));
      }
      if (budget.limit().unit() != 1) {
        text.append(' ').append(fieldsOf(i)).append("~m");
      }
      if (hasOwnCost(budget)) {
        text.append(' ').append(fieldsOf(i)).append("cost ").append(budget.cost());
      }
    }
    return text.toString();
  }

  /** The field of the cost of a limit: the rule's, unless the limit has its own. */
  public String fieldOfCost(int budget) {
    return hasOwnCost(budgets.get(budget)) ? fieldsOf(budget) + "cost" : "cost";
  }

  /** The field of the first cost that a header says; null if there is none. */
  public String fieldOfCostHeader() {
    for (int i = 0; i < budgets.size(); i++) {
      if (budgets.get(i).cost().kind() == CostSpec.Kind.HEADER) {
        return fieldOfCost(i) + ".header";
      }
    }
    return null;
  }

  private boolean hasOwnCost(BudgetSpec budget) {
    return budget.limit().isConcurrency()
        ? isList && !budget.cost().equals(CostSpec.NOT_GIVEN)
        : !budget.cost().equals(cost);
  }

  /** Whether other nodes let pass what this one may not: then it has a share of the limit. */
  public boolean isShared(BudgetSpec budget) {
    return action == RuleAction.LIMIT && (budget.mode().needsStore() || countsPeers());
  }

  /** Whether its limits are divided by the number of sidecars, which a store has to tell. */
  public boolean countsPeers() {
    return share == Share.AUTO;
  }

  private void checkLimits(FaultSink sink) {
    for (int i = 0; i < budgets.size(); i++) {
      String at = fieldsOf(i);
      LimitSpec limit = budgets.get(i).limit();
      FaultSink within = (field, fault) -> sink.fault(at + field, fault);
      limit.check(within);
      if (budgets.get(i).mode().needsStore() && !limit.isConcurrency()) {
        limit.checkForStore(budgets.get(i).mode(), within);
      }
      budgets.get(i).checkLease(within);
      checkMode(budgets.get(i), within);
      budgets.get(i).checkAdaptive(within);
      checkHeld(budgets.get(i), within);
      budgets.get(i).checkTiers(within);
      if ((isEverywhere || budgets.size() > 1) && limit.overflow() == Overflow.QUEUE) {
        within.fault("overflow", "queue", "reject, as there are other limits");
      }
      checkName(i, sink);
      checkCost(i, sink);
    }
    if (countsMessages() && holds()) {
      sink.fault("cost", "messages", "units, as requests hold units until they end");
    }
  }

  /** Checks that the store can keep a record of each grant, beside the budgets of one key. */
  private void checkIdempotency(FaultSink sink) {
    if (action != RuleAction.LIMIT) {
      sink.fault("idempotency", "true", "nothing, as the action is " + action);
      return;
    }
    if (holds()) {
      sink.fault("idempotency", "true", "false, as requests hold units until they end");
      return;
    }
    if (countsMessages()) {
      sink.fault("idempotency", "true", "false, as each message is charged by cost: messages");
    }
    BudgetSpec first = budgets.get(0);
    checkUserOfKey(first.key(), sink);
    for (int i = 0; i < budgets.size(); i++) {
      BudgetSpec budget = budgets.get(i);
      String at = fieldsOf(i);
      // Sidecars of earlier versions tell the costs of a key apart by those of the first limit.
      if (budget.cost().isOfRequest() && !budget.cost().equals(first.cost())) {
        sink.fault(
            fieldOfCost(i),
            budget.cost().text(),
            "the same for all requests, or that of limits[0], as idempotency is true");
      }
      if (budget.mode() != Mode.EXACT) {
        String field = budget.mode() == mode ? "mode" : at + "mode";
        sink.fault(field, budget.mode().toString(), "exact, as idempotency is true");
      } else if (!budget.key().equals(first.key())) {
        sink.fault(at + "key", budget.key().toString(), oneForAll(first.key()));
      } else if (budget.onStoreFailureOrDefault() != first.onStoreFailureOrDefault()) {
        sink.fault(
            at + "on-store-failure",
            budget.onStoreFailureOrDefault().toString(),
            oneForAll(first.onStoreFailureOrDefault()));
      }
      if (budget.limit().overflow() == Overflow.QUEUE) {
        sink.fault(at + "overflow", "queue", "reject, as idempotency is true");
      }
    }
  }

  /** Checks that clients of one identity are one client: they share its idempotency keys. */
  private void checkUserOfKey(KeySpec key, FaultSink sink) {
    if (key.equals(KeySpec.ALL)) {
      String field = key.equals(enforcement.key()) ? "key" : fieldsOf(0) + "key";
      sink.fault(field, "all", "a key that tells clients apart, as idempotency is true");
    } else if (onMissingKey == OnMissingKey.SHARED) {
      sink.fault("on-missing-key", "shared", "ip or refuse, as idempotency is true");
    }
  }

  private static String oneForAll(Object first) {
    return first + ", as limits[0] has it and idempotency is true";
  }

  /** Checks the mode and failure policy that a limit has of its own. */
  private void checkMode(BudgetSpec budget, FaultSink within) {
    OnStoreFailure own = budget.onStoreFailure();
    if (own != onStoreFailure && !budget.mode().needsStore()) {
      within.fault("on-store-failure", own.toString(), "nothing, unless mode is exact or leased");
    }
    if (budget.mode() != mode && budget.mode().needsStore() && share == Share.AUTO) {
      within.fault("mode", budget.mode().toString(), "local, as the share is auto");
    }
  }

  /** Checks that a rule with nothing but limits of the service says nothing else of its own. */
  private void checkOfService(FaultSink sink) {
    if (!budgets.stream().allMatch(budget -> budget.limit().isAdaptive())) {
      return;
    }
    if (mode.needsStore()) {
      sink.fault("mode", mode.toString(), "local or nothing" + BudgetSpec.OF_SERVICE);
    }
    KeySpec key = enforcement.key();
    if (!key.equals(KeySpec.ALL) && !key.equals(KeySpec.IP)) {
      sink.fault("key", key.toString(), "all or nothing" + BudgetSpec.OF_SERVICE);
    }
  }

  /** Checks that units can be held by what decides on them. */
  private void checkHeld(BudgetSpec budget, FaultSink within) {
    if (!budget.holds()) {
      return;
    }
    if (budgets.size() == 1 && budget.limit().overflow() == Overflow.QUEUE) {
      within.fault("overflow", "queue", "reject, as requests hold units until they end");
    }
    budget.limit().checkHeld(within);
    budget.limit().checkOwed("requests hold units of it", within);
  }

  /** Two of one name would be one budget. */
  private void checkName(int index, FaultSink sink) {
    BudgetSpec budget = budgets.get(index);
    for (int i = 0; i < index && budget.limit().rate() != null; i++) {
      BudgetSpec other = budgets.get(i);
      if (other.limit().rate() == null) {
        continue;
      }
      boolean isNamed = budget.isNamed() || other.isNamed();
      if (isNamed && budget.name().equals(other.name())) {
        int named = budget.isNamed() ? index : i;
        int before = budget.isNamed() ? i : index;
        sink.fault(
            fieldsOf(named) + "name",
            budget.name(),
            "another name than that of " + fieldsOf(before).replace(".", ""));
        return;
      }
      if (budget.isNamedAs(other) && budget.limit().isConcurrency()) {
        sink.fault(
            fieldsOf(index) + "concurrency",
            Long.toString(budget.concurrency()),
            "a name or key other than those of limits[" + i + "]");
        return;
      }
      if (budget.isNamedAs(other)) {
        sink.fault(
            fieldsOf(index) + "limit",
            budget.limit().rate().toString(),
            "another window, algorithm or key than those of limits[" + i + "]");
        return;
      }
    }
  }

  private void checkCost(int index, FaultSink sink) {
    boolean isOwn = hasOwnCost(budgets.get(index));
    String field = fieldOfCost(index);
    String which = isList && !isOwn ? " of limits[" + index + "]" : "";
    FaultSink ofCost = (within, fault) -> sink.fault(field + within, fault);
    budgets.get(index).checkCost(which, ofCost);
    budgets.get(index).checkCostOfTiers(isList ? " of limits[" + index + "]" : "", ofCost);
    if (isOwn
        && countsMessages()
        && budgets.get(index).cost().kind() == CostSpec.Kind.REQUEST_BYTES) {
      sink.fault(field, budgets.get(index).cost().text(), "units, as the rule's cost is messages");
    }
  }

  private void checkNoLimit(FaultSink sink) {
    String expected = "nothing, as the action is " + action;
    if (isList) {
      sink.fault("limits", budgets.size() + " items", expected);
    } else {
      if (budgets.get(0).isNamed()) {
        sink.fault("name", budgets.get(0).ownName(), expected);
      }
      budgets.get(0).limit().given().forEach((field, value) -> sink.fault(field, value, expected));
    }
    if (!isList && !budgets.get(0).tiers().isEmpty()) {
      sink.fault("tiers", budgets.get(0).tiersText(), expected);
    }
    if (cost != CostSpec.NOT_GIVEN) {
      sink.fault("cost", cost.text(), expected);
    }
    if (share != Share.NONE) {
      sink.fault("share", share.toString(), expected);
    }
  }

  /**
   * The fields, as sidecars compare them with those of earlier versions: what those have stays as
   * it is, and what is new stands there only if it is used.
   */
  @Override
  public String toString() {
    return "RuleSpec[id=%s, %s, budgets=%s, isList=%s, cost=%s, action=%s, dryRun=%s, "
            .formatted(id, match, budgets, isList, cost, action, enforcement)
        + "onMissingKey=%s, priority=%s, mode=%s, share=%s, onStoreFailure=%s%s]"
            .formatted(
                onMissingKey,
                priority,
                mode,
                share,
                onStoreFailure,
                (everywhere == null ? "" : ", everywhere=" + everywhere)
                    + (idempotency ? ", idempotency" : "")
                    + (ban == null ? "" : ", ban=" + ban));
  }

  /**
   * Starts from the defaults. Each setter returns the builder. It has the fields of the rule's one
   * limit; where there is a list of limits, those that a rule says of its limits.
   */
  public static final class Builder extends BudgetSpec.Fields<Builder> {
    private final String id;
    private final MatchSpec.Builder match = new MatchSpec.Builder();
    private List<BudgetSpec.Builder> limits = List.of();
    private RuleAction action = RuleAction.LIMIT;
    private boolean dryRun;
    private int enforcedPermille = Enforcement.EVERYBODY;
    private OnMissingKey onMissingKey = OnMissingKey.IP;
    private int priority;
    private Share share = Share.NONE;
    private boolean isEverywhere;
    private List<String> everywhere;
    private int warnAtPermille;
    private boolean idempotency;
    private BanSpec ban;
    private RefusalSpec refusal;

    private Builder(String id) {
      this.id = id;
      key(KeySpec.IP).mode(Mode.LOCAL).cost(CostSpec.NOT_GIVEN);
    }

    /** The requests that the rule is for. */
    public MatchSpec.Builder match() {
      return match;
    }

    public Builder path(PathPattern path) {
      match.path(path);
      return this;
    }

    public Builder methods(List<String> methods) {
      match.methods(methods);
      return this;
    }

    public Builder action(RuleAction action) {
      this.action = action;
      return this;
    }

    public Builder dryRun(boolean dryRun) {
      this.dryRun = dryRun;
      return this;
    }

    /** Sets the part of identities for whom refusals take effect, in thousandths. */
    public Builder enforce(int permille) {
      this.enforcedPermille = permille;
      return this;
    }

    public Builder onMissingKey(OnMissingKey onMissingKey) {
      this.onMissingKey = onMissingKey;
      return this;
    }

    public Builder priority(int priority) {
      this.priority = priority;
      return this;
    }

    public Builder share(Share share) {
      this.share = share;
      return this;
    }

    /** The names of the limits of all requests that the rule takes; it takes all unless said. */
    public Builder everywhere(List<String> names) {
      this.everywhere = names;
      return this;
    }

    /** Sets the part of a limit from which answers warn, in thousandths. */
    public Builder warnAt(int permille) {
      this.warnAtPermille = permille;
      return this;
    }

    public Builder idempotency(boolean idempotency) {
      this.idempotency = idempotency;
      return this;
    }

    public Builder ban(BanSpec ban) {
      this.ban = ban;
      return this;
    }

    /** Sets what it answers to requests that it refuses. */
    public Builder refusal(RefusalSpec refusal) {
      this.refusal = refusal;
      return this;
    }

    /** The limits, in the place of the one that the other setters make. */
    public Builder limits(List<BudgetSpec.Builder> limits) {
      this.limits = limits;
      return this;
    }

    public RuleSpec build() {
      boolean isList = !limits.isEmpty();
      return new RuleSpec(
          id,
          match.build(),
          build(isList ? limits : List.of(this)),
          isList,
          cost(),
          action,
          new Enforcement(dryRun, enforcedPermille, key()),
          onMissingKey,
          priority,
          mode(),
          share,
          onStoreFailure(),
          isEverywhere,
          everywhere,
          warnAtPermille,
          idempotency,
          ban,
          refusal);
    }
  }
}
