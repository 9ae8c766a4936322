package dev.weir.bench.torture.plan;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One limit of a rule.
 *
 * @param burst what passes at once, of an algorithm that paces.
 * @param key which of the three identities of a request it counts by, by their indices.
 * @param queues whether requests wait for their turn; of a leaky bucket only.
 */
public record LimitPlan(
    Algorithm algorithm, long count, long windowMs, long burst, List<Integer> key, boolean queues) {
  /** The fields of a request that carry its identities. */
  public static final List<String> FIELDS = List.of("x-a", "x-b", "x-c");

  /** A limit that refuses at once. */
  public LimitPlan(Algorithm algorithm, long count, long windowMs, long burst, List<Integer> key) {
    this(algorithm, count, windowMs, burst, key, false);
  }

  /** The most units that pass at once. */
  public long atOnce() {
    return algorithm.promise() == Algorithm.Promise.PACED ? burst : count;
  }

  /** The same limit with another count; the burst stays. */
  public LimitPlan withCount(long other) {
    return new LimitPlan(algorithm, other, windowMs, burst, key, queues);
  }

  /** This limit, with requests that wait for their turn. */
  LimitPlan queueing() {
    return new LimitPlan(algorithm, count, windowMs, burst, key, true);
  }

  /** Whether another limit has this one's budgets: it may differ in how much it allows. */
  public boolean hasBudgetsOf(LimitPlan other) {
    return algorithm == other.algorithm && windowMs == other.windowMs && key.equals(other.key);
  }

  /** As an item of {@code limits}. */
  String yaml() {
    return "{limit: %d/%dms, algorithm: %s, %s%skey: %s}"
        .formatted(
            count,
            windowMs,
            algorithm,
            algorithm.promise() == Algorithm.Promise.PACED ? "burst: " + burst + ", " : "",
            queues ? "overflow: queue, " : "",
            key.stream()
                .map(index -> "header:" + FIELDS.get(index))
                .collect(Collectors.joining(", ", "[", "]")));
  }
}
