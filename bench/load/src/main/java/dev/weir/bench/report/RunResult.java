package dev.weir.bench.report;

import java.util.List;
import java.util.Map;

/**
 * The result of a run of load, or a sidecar's record of itself: all that a report says.
 *
 * @param name of the run, as a reader tells it from others; one line.
 * @param facts by label, in the order in which they are shown: machine, JDK, commit, command, load.
 * @param warnings what a reader must know before believing the figures, a sentence each.
 * @param checks of the thresholds, in their order.
 * @param slices in the order of time, without gaps; empty where only latencies are known.
 * @param latencies the first is what the run is judged by: corrected for coordinated omission.
 *     Empty where nothing was recorded.
 * @param startEpochMs when the run began, without the warm-up; 0 where that is not known.
 */
public record RunResult(
    String name,
    Map<String, String> facts,
    List<String> warnings,
    List<Check> checks,
    List<Slice> slices,
    List<LatencySeries> latencies,
    long startEpochMs) {

  /** A run whose start is not known. */
  public RunResult(
      String name,
      Map<String, String> facts,
      List<String> warnings,
      List<Check> checks,
      List<Slice> slices,
      List<LatencySeries> latencies) {
    this(name, facts, warnings, checks, slices, latencies, 0);
  }

  /** Whether every threshold held. */
  public boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }
}
