package dev.weir.bench.load;

import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunTotals;
import org.HdrHistogram.Histogram;

/**
 * The answers to a load, counted.
 *
 * @param latencies in nanoseconds; of an open loop from when requests were due.
 * @param sentLatencies from when requests were sent.
 * @param handshakes of TLS.
 * @param resumed of them, those that went on with a session of before.
 */
public record LoadAnswers(
    RunTotals totals, Histogram latencies, Histogram sentLatencies, long handshakes, long resumed) {
  static LoadAnswers of(RunResult result, long handshakes, long resumed) {
    final Histogram latencies = result.latencies().get(0).total();
    return new LoadAnswers(
        RunTotals.of(result.slices()),
        latencies,
        result.latencies().stream()
            .filter(series -> series.tag().equals(LatencySeries.UNCORRECTED))
            .findFirst()
            .map(LatencySeries::total)
            .orElse(latencies),
        handshakes,
        resumed);
  }

  /** Answers that passed, and refusals. */
  public long count() {
    return totals.answered();
  }

  public double seconds() {
    return Math.max(1, totals.durationMs()) / 1e3;
  }

  /** The part of all requests that was refused or failed, from 0 to 1. */
  public double notPassedShare() {
    return share(totals.refused() + totals.failed());
  }

  /** The part of all requests that was not refused, from 0 to 1. */
  public double notRefusedShare() {
    return share(totals.passed() + totals.failed());
  }

  private double share(long part) {
    return part == 0 ? 0 : (double) part / totals.ended();
  }
}
