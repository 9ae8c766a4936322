package dev.weir.bench.torture.plan;

import java.math.BigDecimal;

/**
 * One limit of a rule. Of a limit with decimals, numbers are thousandths.
 *
 * @param burst what passes at once, of an algorithm that paces.
 * @param queues whether requests wait for their turn; of a leaky bucket only.
 * @param name empty for none.
 * @param cost what a request takes; 0 if the rule says so.
 * @param decimal whether its numbers have decimals; of a token bucket only, which says its cost.
 */
public record LimitPlan(
    Algorithm algorithm,
    long count,
    long windowMs,
    long burst,
    KeyPlan key,
    boolean queues,
    String name,
    long cost,
    boolean decimal) {
  private static final int DECIMALS = 3;
  private static final long THOUSANDTHS = 1_000;

  /** A limit that refuses at once, and says no more than it must. */
  public LimitPlan(Algorithm algorithm, long count, long windowMs, long burst, KeyPlan key) {
    this(algorithm, count, windowMs, burst, key, false, "", 0, false);
  }

  /** The most units that pass at once. */
  public long atOnce() {
    return algorithm.promise() == Algorithm.Promise.PACED ? burst : count;
  }

  /** The number of units that the limit counts for one: 1,000 of a limit with decimals. */
  public long scale() {
    return decimal ? THOUSANDTHS : 1;
  }

  /** The units that a request takes of this limit: its own cost, or else the rule's. */
  public long units(long byRule) {
    return cost > 0 ? cost : byRule;
  }

  /** The same limit with another count; the burst stays. */
  public LimitPlan withCount(long other) {
    return new LimitPlan(algorithm, other, windowMs, burst, key, queues, name, cost, decimal);
  }

  /** This limit, with requests that wait for their turn. */
  LimitPlan queueing() {
    return new LimitPlan(algorithm, count, windowMs, burst, key, true, name, cost, decimal);
  }

  LimitPlan withKey(KeyPlan other) {
    return new LimitPlan(algorithm, count, windowMs, burst, other, queues, name, cost, decimal);
  }

  LimitPlan withName(String other) {
    return new LimitPlan(algorithm, count, windowMs, burst, key, queues, other, cost, decimal);
  }

  /** This limit, with a cost of its own that its rule's does not matter for. */
  LimitPlan withCost(long own) {
    return new LimitPlan(
        algorithm,
        Math.max(count, own),
        windowMs,
        Math.max(burst, own),
        key,
        queues,
        name,
        own,
        false);
  }

  /** This limit in thousandths, some of them more than whole numbers. */
  LimitPlan inThousandths(long ownCost, int more) {
    return new LimitPlan(
        algorithm,
        Math.max(ownCost, count * THOUSANDTHS + more),
        windowMs,
        Math.max(ownCost, burst * THOUSANDTHS + more),
        key,
        queues,
        name,
        ownCost,
        true);
  }

  /** Whether another limit has this one's budgets: it may differ in how much it allows. */
  public boolean hasBudgetsOf(LimitPlan other) {
    return algorithm == other.algorithm
        && windowMs == other.windowMs
        && key.parts().equals(other.key.parts());
  }

  private String number(long number) {
    return decimal ? BigDecimal.valueOf(number, DECIMALS).toPlainString() : Long.toString(number);
  }

  /**
   * As an item of {@code limits}.
   *
   * @param more settings that only some lists have, each with a comma behind it.
   */
  String yaml(String more) {
    return "{%s%slimit: %s/%dms, algorithm: %s, %s%s%skey: %s}"
        .formatted(
            name.isEmpty() ? "" : "name: " + name + ", ",
            more,
            number(count),
            windowMs,
            algorithm,
            algorithm.promise() == Algorithm.Promise.PACED ? "burst: " + number(burst) + ", " : "",
            cost > 0 ? "cost: " + number(cost) + ", " : "",
            queues ? "overflow: queue, " : "",
            key.yaml());
  }
}
