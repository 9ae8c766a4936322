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

  public boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  /**
   * The outcome of a threshold.
   *
   * @param threshold as it was asked for: {@code p99<2ms}.
   * @param measured the value with its unit: {@code 1.31 ms}.
   */
  public record Check(String threshold, String measured, boolean passed) {}

  /**
   * Counts of a part of a run, usually a second. A request is counted as due where it should have
   * started, as sent where it did, and by its outcome where it ended: in the slice, not of it.
   *
   * @param startMs since the run began, without the warm-up.
   * @param endMs more than {@code startMs}.
   * @param due how many should have started; as many as were sent where nothing sets a rate.
   * @param passed answers that are neither of the next two.
   * @param refused answers that say that a limit is reached: 429, RESOURCE_EXHAUSTED.
   * @param failed answers 5xx and other gRPC errors, time-outs, and connections that broke.
   */
  public record Slice(
      long startMs, long endMs, long due, long sent, long passed, long refused, long failed) {}
}
