package dev.weir.proxy.rule.spec;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;
import dev.weir.scripts.ScriptLimit;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One limit of a rule as written, with its key, mode, cost and failure policy: its own, or the
 * rule's.
 *
 * @param ownName null if not given, see {@link #name}.
 * @param limit without a rate if there is no limit.
 * @param onStoreFailure null if not given, then {@link OnStoreFailure#LOCAL_SHARE}.
 * @param leaseLifeNs the longest life of a lease; 0 if not given, then by the limit's kind and
 *     window. For {@link Mode#LEASED}.
 * @param tiers what tiers have in the place of the limit's numbers, by their names.
 */
public record BudgetSpec(
    String ownName,
    KeySpec key,
    LimitSpec limit,
    CostSpec cost,
    Mode mode,
    OnStoreFailure onStoreFailure,
    long leaseLifeNs,
    Map<String, Amount> tiers) {
  /** The longest life of a lease that can be set. */
  public static final long MAX_LEASE_LIFE_NS = TimeUnit.SECONDS.toNanos(10);

  /** The most requests at a time that can be set. */
  public static final int MAX_CONCURRENCY = 1_000_000;

  private static final long NS_PER_US = 1_000;

  /** Ends the text of a fault: the reason why such a limit has no other key or mode. */
  static final String OF_SERVICE = ", as the number is found for the service behind this sidecar";

  /** The answers of a service that does not take a request because of its load. */
  private static final ReportedCost DROPPED =
      ReportedCost.ofStatus(List.of(503), List.of(GrpcStatus.UNAVAILABLE));

  public BudgetSpec {
    tiers = Collections.unmodifiableMap(new LinkedHashMap<>(tiers));
  }

  /**
   * This limit with other numbers, without tiers.
   *
   * @param amount that {@linkplain LimitSpec#fits fits}, and is not unlimited.
   */
  public BudgetSpec under(Amount amount) {
    return new BudgetSpec(
        ownName, key, limit.under(amount), cost, mode, onStoreFailure, leaseLifeNs, Map.of());
  }

  /**
   * Whether somebody can have an amount in the place of the limit's numbers: of the same window, as
   * large as can be counted, and with room for a request.
   */
  public boolean takes(Amount amount) {
    if (amount.isUnlimited() || !limit.fits(amount)) {
      return amount.isUnlimited();
    }
    BudgetSpec under = under(amount);
    List<String> faults = new ArrayList<>();
    FaultSink sink = (field, fault) -> faults.add(field);
    if (under.limit.check(sink) && !limit.isConcurrency()) {
      if (holds()) {
        under.limit.checkHeld(sink);
      }
      if (mode.needsStore()) {
        under.limit.checkForStore(mode, sink);
      }
    }
    under.checkCost("", sink);
    List<Amount> all = new ArrayList<>(tiers.values());
    all.add(amount);
    return faults.isEmpty() && !areFarApart(all) && under.limit.cells() <= roomFor(cells());
  }

  /** The cells of a ring that has as many, or more. */
  private static int roomFor(int cells) {
    return cells < 2 ? cells : Integer.highestOneBit(cells - 1) << 1;
  }

  /** The tiers that have other numbers of it, as text. */
  String tiersText() {
    return String.join(", ", tiers.keySet());
  }

  /** Cells that a table needs for each key of it, under any tier; 0 unless it keeps a ring. */
  public int cells() {
    int most = limit.cells();
    for (Amount amount : tiers.values()) {
      boolean isRing = !amount.isUnlimited() && limit.rate() != null && limit.fits(amount);
      most = isRing ? Math.max(most, limit.under(amount).cells()) : most;
    }
    return most;
  }

  /** Reports numbers of tiers that are none of this limit, or that cannot be counted. */
  void checkTiers(FaultSink sink) {
    if (tiers.isEmpty() || limit.rate() == null) {
      return;
    }
    if (limit.isAdaptive()) {
      sink.fault("tiers", tiersText(), "nothing" + OF_SERVICE);
      return;
    }
    if (areFarApart(tiers.values())) {
      sink.fault(
          "tiers",
          tiersText(),
          "numbers of which the largest burst comes back in 4.5 years at the lowest rate");
    }
    tiers.forEach(
        (tier, amount) -> {
          String field = "tiers." + tier;
          if (!limit.fits(amount)) {
            sink.fault(field, amount.toString(), expectedOfTiers(amount));
          } else if (!amount.isUnlimited()) {
            FaultSink ofTier =
                (at, fault) -> sink.fault(field + (at.equals("burst") ? ".burst" : ""), fault);
            LimitSpec under = limit.under(amount);
            if (under.check(ofTier) && !limit.isConcurrency()) {
              if (holds()) {
                under.checkHeld(ofTier);
              }
              if (mode.needsStore()) {
                under.checkForStore(mode, ofTier);
              }
            }
          }
        });
  }

  /**
   * Whether what somebody has used under one of some amounts would take too long to come back under
   * another, or under the limit.
   */
  private boolean areFarApart(Collection<Amount> amounts) {
    double burst = limit.capacity();
    double windowNs = limit.rate().windowNs();
    double least = limit.rate().count();
    for (Amount amount : amounts) {
      if (!amount.isUnlimited() && limit.fits(amount)) {
        LimitSpec under = limit.under(amount);
        burst = Math.max(burst, under.capacity());
        least = Math.min(least, under.rate().count());
      }
    }
    return limit.takesBurst() && burst * windowNs / least > Limit.MAX_WINDOW_NS;
  }

  /** The expectation that an amount has missed; completes "expected: ...". */
  public String expectedOf(Amount amount) {
    return limit.fits(amount)
        ? "an amount that can be counted like " + limit.amount()
        : expectedOfTiers(amount);
  }

  private String expectedOfTiers(Amount amount) {
    if (limit.isConcurrency()) {
      return "a number of requests at a time, or unlimited";
    }
    return !amount.rate().isAtATime() && limit.rate().sameWindow(amount.rate())
        ? "no burst, as the algorithm is " + limit.algorithm()
        : "a rate per " + limit.rate().window() + " as the limit has it, or unlimited";
  }

  /**
   * Reports a cost that the budget of a tier never has room for.
   *
   * @param which says which limit it is; else empty.
   */
  void checkCostOfTiers(String which, FaultSink sink) {
    tiers.forEach(
        (tier, amount) -> {
          if (limit.rate() != null && !amount.isUnlimited() && limit.fits(amount)) {
            under(amount).checkCost(which + " of tier " + tier, sink);
          }
        });
  }

  /** Units that one request takes, 1 or more; {@link #reserve} of one that is known at its end. */
  public long costUnits() {
    return cost.units(limit.capacity(), limit.unit());
  }

  /** How many requests may be in flight at a time, at most; 0 if that is not what is limited. */
  public long concurrency() {
    return limit.isConcurrency() ? limit.capacity() : 0;
  }

  /** Whether requests hold units of it until they end. */
  public boolean holds() {
    return limit.isConcurrency() || cost.isAtEnd();
  }

  /**
   * Units that a request holds until it ends, 1 or more: the fixed part, or where they are learned,
   * those of the first requests.
   */
  public long reserve() {
    return costUnits();
  }

  /**
   * What is read of an exchange for it until the end: its cost, or whether the service has dropped
   * the request; null for nothing.
   */
  public ReportedCost readAtEnd() {
    return limit.isAdaptive() ? DROPPED : cost.isAtEnd() ? cost.atEnd().cost() : null;
  }

  /** Returns this limit, but decided by the store on each request if its mode is leased. */
  BudgetSpec decidedByStore() {
    return mode == Mode.LEASED
        ? new BudgetSpec(ownName, key, limit, cost, Mode.EXACT, onStoreFailure, 0, tiers)
        : this;
  }

  /** The failure policy. */
  public OnStoreFailure onStoreFailureOrDefault() {
    return onStoreFailure == null ? OnStoreFailure.LOCAL_SHARE : onStoreFailure;
  }

  /** The longest life of a lease, in microseconds; the limit can be leased. */
  public long leaseLifeUs() {
    return leaseLifeNs == 0 ? limit.leaseLifeUs() : leaseLifeNs / NS_PER_US;
  }

  /** How many requests the limit regains within the life of a lease. */
  public double requestsPerLife() {
    return unitsPerLife() / costUnits();
  }

  /** The part of the limit that is regained within the life of a lease. */
  public double shareHeldBack() {
    return unitsPerLife() / limit.capacity();
  }

  private double unitsPerLife() {
    return (double) leaseLifeUs() * NS_PER_US / limit.rate().windowNs() * limit.rate().count();
  }

  /** The life of a lease, as text. */
  public String leaseLifeText() {
    double lifeMs = leaseLifeUs() / 1e3;
    return lifeMs < 1 ? leaseLifeUs() + "us" : DurationText.text((long) lifeMs * 1_000_000);
  }

  /** The limit as the store has it; the mode is one that needs it. */
  public ScriptLimit storeLimit() {
    ScriptLimit whole = limit.compileForStore();
    return mode == Mode.LEASED && !holds() ? whole.leased(leaseLifeUs()) : whole;
  }

  /** Reports what a limit that finds its number cannot have: it is of one service, behind here. */
  void checkAdaptive(FaultSink sink) {
    if (!limit.isAdaptive()) {
      return;
    }
    if (!key.equals(KeySpec.ALL)) {
      sink.fault("key", key.toString(), "all or nothing" + OF_SERVICE);
    }
    if (mode.needsStore()) {
      sink.fault("mode", mode.toString(), "local or nothing" + OF_SERVICE);
    }
  }

  /** Reports faults of the limit's lease. */
  void checkLease(FaultSink sink) {
    if (mode == Mode.LEASED && limit.overflow() == Overflow.QUEUE) {
      sink.fault(
          "mode", "leased", "exact or local, as overflow is queue: a place in it is one request's");
    }
    if (leaseLifeNs == 0) {
      return;
    }
    String life = DurationText.text(leaseLifeNs);
    if (mode != Mode.LEASED) {
      sink.fault("lease-life", life, "nothing, unless mode is leased");
    } else if (limit.rate() != null
        && !limit.isConcurrency()
        && leaseLifeNs > limit.rate().windowNs()) {
      sink.fault("lease-life", life, "at most the window, " + limit.rate().window());
    }
  }

  /**
   * Reports a cost that is out of range, or that no budget ever has room for.
   *
   * @param which says which limit it is, where its field does not; else empty.
   */
  void checkCost(String which, FaultSink sink) {
    String standard = cost.isOfRequest() ? ".default" : "";
    if (limit.isConcurrency()) {
      if (!cost.equals(CostSpec.NOT_GIVEN)) {
        sink.fault("", cost.text(), "nothing, as concurrency counts requests");
      }
    } else if (cost.isAtEnd()) {
      checkHeld(which, sink);
    } else if (cost.thousandths() < 1) {
      sink.fault(standard, cost.standard(), "1 or more");
    } else if (cost.thousandths() / Thousandths.ONE > Question.MAX_COST) {
      sink.fault(standard, cost.standard(), "1 to " + Question.MAX_COST);
    } else if (cost.isFraction() && limit.algorithm() != Algorithm.TOKEN_BUCKET) {
      sink.fault(standard, cost.standard(), limit.wholeNumber(which));
    } else if (limit.rate() != null && limit.burst() >= 0) {
      if (costUnits() > limit.capacity()) {
        sink.fault(standard, cost.standard(), atMostTheCapacity(which));
      }
      if (cost.max() * limit.unit() > limit.capacity()) {
        sink.fault(".max", Long.toString(cost.max()), atMostTheCapacity(which));
      }
    }
  }

  /** Reports numbers of a cost that is known at the end for which no budget ever has room. */
  private void checkHeld(String which, FaultSink sink) {
    if (limit.rate() == null || limit.burst() < 0) {
      return;
    }
    CostAtEnd atEnd = cost.atEnd();
    checkHeld(".reserve", atEnd.reserve(), which, sink);
    checkHeld(".reserve.max", atEnd.maxReserve(), which, sink);
    checkHeld(".missing", atEnd.missing(), which, sink);
  }

  private void checkHeld(String field, long units, String which, FaultSink sink) {
    if (units * limit.unit() > limit.capacity()) {
      sink.fault(field, Long.toString(units), atMostTheCapacity(which));
    }
  }

  private String atMostTheCapacity(String which) {
    String reason =
        cost.isOfRequest() || cost.isAtEnd()
            ? "as a request that costs more never passes"
            : "or no request ever passes";
    return "at most the %s%s, %s, %s"
        .formatted(limit.burst() == 0 ? "limit" : "burst", which, limit.capacityText(), reason);
  }

  /** Whether the store treats another one as the same. */
  public boolean isSameForStore(BudgetSpec other) {
    return mode == other.mode
        && leaseLifeNs == other.leaseLifeNs
        && holds() == other.holds()
        && limit.resolved().equals(other.limit.resolved());
  }

  /**
   * A name that no other budget of the same identity has under a rule: its own, else the algorithm
   * and the window, such as {@code gcra-1m}; or {@code concurrency}. The limit has a rate.
   */
  public String name() {
    return isNamed()
        ? ownName
        : limit.isConcurrency() ? limit.windowText() : limit.algorithm() + "-" + limit.windowText();
  }

  /** Whether it has a name of its own. */
  public boolean isNamed() {
    return ownName != null;
  }

  /** Whether it has the same key and name as another. */
  public boolean isNamedAs(BudgetSpec other) {
    return key.equals(other.key) && name().equals(other.name());
  }

  /** Whether it has the same key, count and window as another. */
  public boolean hasRateOf(BudgetSpec other) {
    return key.equals(other.key) && limit.rate().equals(other.limit.rate());
  }

  /** Whether it has the same key and length of window as another. */
  public boolean hasWindowOf(BudgetSpec other) {
    return key.equals(other.key) && limit.rate().sameWindow(other.limit.rate());
  }

  /** Whether it has the same key as another, and the store decides on both or on neither. */
  public boolean isDecidedLike(BudgetSpec other) {
    return key.equals(other.key) && mode.needsStore() == other.mode.needsStore();
  }

  /**
   * The key and the limit. Cost, mode and failure policy are not part of it, as sidecars compare
   * such texts with those of versions in which only a rule had them: {@link RuleSpec#ownDecisions}.
   */
  @Override
  public String toString() {
    String named = isNamed() ? ", name=" + ownName : "";
    String plans = tiers.isEmpty() ? "" : ", tiers=" + tiers;
    return "BudgetSpec[key=" + key + key.alternatives() + ", limit=" + limit + named + plans + "]";
  }

  /** Starts from the defaults. Each setter returns the builder. */
  public static final class Builder extends Fields<Builder> {}

  /**
   * The fields of a limit: those of a list have them, and a rule that has one limit.
   *
   * @param <B> the builder.
   */
  public abstract static class Fields<B extends Fields<B>> {
    private String name;
    private KeySpec key;
    private Mode mode;
    private CostSpec cost;
    private OnStoreFailure onStoreFailure;
    private Algorithm algorithm;
    private Rate rate;
    private int concurrency;
    private int concurrencyMin;
    private long burstThousandths;
    private Overflow overflow;
    private long maxWaitNs;
    private Alignment align;
    private ZoneId zone;
    private long subWindowNs;
    private long leaseLifeNs;
    private Map<String, Amount> tiers = Map.of();

    @SuppressWarnings("unchecked") // it is the builder itself
    private B self() {
      return (B) this;
    }

    /**
     * Sets the limit's own name.
     *
     * @throws BadValueException if it is none.
     */
    public B name(String name) {
      if (!RuleSpec.isId(name)) {
        throw new BadValueException(name, RuleSpec.ID_GRAMMAR);
      }
      this.name = name;
      return self();
    }

    /** Sets the key; otherwise it is the rule's, and that of a rule the client's address. */
    public B key(KeySpec key) {
      this.key = key;
      return self();
    }

    /** Sets the mode; otherwise it is the rule's, and that of a rule local. */
    public B mode(Mode mode) {
      this.mode = mode;
      return self();
    }

    /** Sets the cost; otherwise it is the rule's, and that of a rule 1. */
    public B cost(CostSpec cost) {
      this.cost = cost;
      return self();
    }

    /** Sets the cost of each request. */
    public B cost(long units) {
      return cost(CostSpec.of(units));
    }

    /** Sets the failure policy; otherwise it is the rule's. */
    public B onStoreFailure(OnStoreFailure onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return self();
    }

    /** Sets the longest life of a lease; otherwise it is the rule's. */
    public B leaseLifeNs(long leaseLifeNs) {
      this.leaseLifeNs = leaseLifeNs;
      return self();
    }

    /** Sets what tiers have in the place of the limit's numbers, by their names. */
    public B tiers(Map<String, Amount> tiers) {
      this.tiers = tiers;
      return self();
    }

    public B algorithm(Algorithm algorithm) {
      this.algorithm = algorithm;
      return self();
    }

    public B rate(Rate rate) {
      this.rate = rate;
      return self();
    }

    /** Sets how many requests may be in flight at a time. */
    public B concurrency(int atATime) {
      this.concurrency = atATime;
      return self();
    }

    /** Sets how many requests may be in flight at a time: a number that is found between two. */
    public B adaptive(int min, int max) {
      this.concurrencyMin = min;
      return concurrency(max);
    }

    public B burst(long burst) {
      return burstThousandths(burst * Thousandths.ONE);
    }

    /** Sets the burst by its thousandths. */
    public B burstThousandths(long thousandths) {
      burstThousandths = thousandths;
      return self();
    }

    public B overflow(Overflow overflow) {
      this.overflow = overflow;
      return self();
    }

    public B maxWaitNs(long maxWaitNs) {
      this.maxWaitNs = maxWaitNs;
      return self();
    }

    public B align(Alignment align) {
      this.align = align;
      return self();
    }

    public B zone(ZoneId zone) {
      this.zone = zone;
      return self();
    }

    public B subWindowNs(long subWindowNs) {
      this.subWindowNs = subWindowNs;
      return self();
    }

    final KeySpec key() {
      return key;
    }

    final Mode mode() {
      return mode;
    }

    final CostSpec cost() {
      return cost;
    }

    final OnStoreFailure onStoreFailure() {
      return onStoreFailure;
    }

    final boolean isLeased(Fields<?> rule) {
      return (mode == null ? rule.mode : mode) == Mode.LEASED;
    }

    /**
     * The limits of a rule of these fields.
     *
     * @param all which say what the rule does not say of them.
     */
    final List<BudgetSpec> build(List<? extends Fields<?>> all) {
      // Where the rule's life of leases is of use, it means the limits that it is of use to.
      boolean isLifeOfUse = all.stream().anyMatch(each -> each.isLeased(this));
      List<BudgetSpec> budgets = new ArrayList<>();
      for (Fields<?> each : all) {
        long lifeNs = !isLifeOfUse || each.isLeased(this) ? leaseLifeNs : 0;
        if (each.rate != null || each.concurrency == 0) {
          CostSpec ofOne = each.cost == null ? cost : each.cost;
          budgets.add(each.within(this, each.name, each.limit(ofOne), ofOne, lifeNs, each.tiers));
        }
        if (each.concurrency > 0) {
          boolean isAlone = each.rate == null;
          CostSpec ofOne = isAlone && each.cost != null ? each.cost : CostSpec.NOT_GIVEN;
          String ownName = isAlone ? each.name : null;
          Map<String, Amount> ofSlots = isAlone ? each.tiers : Map.of();
          BudgetSpec slots = each.within(this, ownName, each.slots(), ofOne, lifeNs, ofSlots);
          budgets.add(each.concurrencyMin > 0 ? each.ofService(slots, each != this) : slots);
        }
      }
      return budgets;
    }

    /** The limit, in thousandths if one of its numbers has decimals. */
    private LimitSpec limit(CostSpec ofOne) {
      return limit(algorithm == null ? Algorithm.GCRA : algorithm, rate, ofOne);
    }

    /** The limit of requests at a time, with settings that it must not have. */
    private LimitSpec slots() {
      Rate atATime =
          concurrencyMin > 0
              ? Rate.atATime(concurrencyMin, concurrency)
              : Rate.atATime(concurrency);
      return rate == null
          ? limit(algorithm, atATime, CostSpec.NOT_GIVEN)
          : new LimitSpec(null, atATime, 0, null, 0, null, null, 0);
    }

    private LimitSpec limit(Algorithm algorithm, Rate rate, CostSpec ofOne) {
      boolean isFraction =
          rate != null
              && (rate.unit() != 1
                  || Thousandths.isFraction(burstThousandths)
                  || ofOne.isFraction()
                  || tiers.values().stream().anyMatch(Amount::isFraction));
      return new LimitSpec(
          algorithm,
          isFraction ? rate.inThousandths() : rate,
          isFraction ? burstThousandths : burstThousandths / Thousandths.ONE,
          overflow,
          maxWaitNs,
          align,
          zone,
          subWindowNs);
    }

    /** A limit of the service: only an item of a list can say its key and mode, and wrongly. */
    private BudgetSpec ofService(BudgetSpec slots, boolean isOfList) {
      return new BudgetSpec(
          slots.ownName,
          isOfList && key != null ? key : KeySpec.ALL,
          slots.limit,
          slots.cost,
          isOfList && mode != null ? mode : Mode.LOCAL,
          slots.onStoreFailure,
          isOfList ? leaseLifeNs : 0,
          slots.tiers);
    }

    private BudgetSpec within(
        Fields<?> rule,
        String ownName,
        LimitSpec limit,
        CostSpec ofOne,
        long lifeOfRuleNs,
        Map<String, Amount> ofTiers) {
      return new BudgetSpec(
          ownName,
          key == null ? rule.key : key,
          limit,
          ofOne,
          mode == null ? rule.mode : mode,
          onStoreFailure == null ? rule.onStoreFailure : onStoreFailure,
          leaseLifeNs == 0 ? lifeOfRuleNs : leaseLifeNs,
          ofTiers);
    }
  }
}
