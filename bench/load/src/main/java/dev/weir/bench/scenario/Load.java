package dev.weir.bench.scenario;

/**
 * How much, and for how long.
 *
 * @param schedule of an open loop; null for a closed one, in which every connection, or stream,
 *     starts its next request when the last one has ended.
 * @param durationNs of what is measured; the schedule's where there is one.
 * @param warmUpNs before it, at the schedule's mean rate.
 */
public record Load(Schedule schedule, long durationNs, long warmUpNs) {
  /** Whether requests are due at times that do not depend on the answers. */
  public boolean open() {
    return schedule != null;
  }
}
