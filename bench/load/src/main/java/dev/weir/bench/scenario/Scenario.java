package dev.weir.bench.scenario;

import java.util.List;

/**
 * The task of a run.
 *
 * @param name one line.
 * @param requests at least one.
 * @param thresholds none if nothing must hold.
 */
public record Scenario(
    String name,
    List<RequestSpec> requests,
    KeyChoice keys,
    Load load,
    ClientSettings client,
    List<Threshold> thresholds) {

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
}
