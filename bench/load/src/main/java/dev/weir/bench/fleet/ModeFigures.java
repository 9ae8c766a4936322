package dev.weir.bench.fleet;

import dev.weir.proxy.rule.spec.LimitSpec;
import org.HdrHistogram.Histogram;

/**
 * The figures of one mode in one round.
 *
 * @param over by how many requests the worst window was surely over the limit.
 * @param ideal how many one limiter without delay would have admitted.
 * @param early refused though there was room.
 * @param local decided without waiting for the store; NaN where that is not counted by mode.
 * @param operations of the store: checks, asks and what was given back; NaN as before.
 * @param calls of the script, as the store counts them; NaN as before.
 * @param storeUs processor time of the store; NaN as before.
 * @param latencies from when requests were due, ns.
 */
record ModeFigures(
    long admitted,
    long refused,
    long undecided,
    long over,
    long ideal,
    long early,
    double local,
    double operations,
    double calls,
    double storeUs,
    double seconds,
    Histogram latencies) {
  private static final double NS_PER_MS = 1e6;

  /** The figures of a rule that need neither its sidecars nor its stores. */
  static ModeFigures of(FleetTrace trace, String rule, LimitSpec limit, double seconds) {
    return new ModeFigures(
        trace.admitted(rule),
        trace.refused(rule),
        trace.undecided(rule),
        trace.over(rule, limit),
        trace.ideal(rule, limit),
        trace.early(rule, limit),
        Double.NaN,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        seconds,
        trace.latencies(rule));
  }

  /** The same with what the sidecars and the stores counted meanwhile. */
  ModeFigures with(double local, SidecarFigures counted, long calls, double storeUs) {
    return new ModeFigures(
        admitted,
        refused,
        undecided,
        over,
        ideal,
        early,
        local,
        counted.operations(),
        calls,
        storeUs,
        seconds,
        latencies);
  }

  double came() {
    return admitted + refused + undecided;
  }

  double admittedPerSecond() {
    return admitted / seconds;
  }

  /** Fewer admitted than by a limiter without delay, of those that came. */
  double lessPercent() {
    return 100 * (ideal - admitted) / came();
  }

  double earlyPercent() {
    return 100 * early / came();
  }

  double undecidedPercent() {
    return 100 * undecided / came();
  }

  double localPercent() {
    return 100 * local / came();
  }

  double operationsPerAdmitted() {
    return operations / admitted;
  }

  double callsPerAdmitted() {
    return calls / admitted;
  }

  double storeUsPerAdmitted() {
    return storeUs / admitted;
  }

  double percentileMs(double percentile) {
    return latencies.getValueAtPercentile(percentile) / NS_PER_MS;
  }
}
