package dev.weir.bench.report;

import dev.weir.bench.report.RunResult.Slice;
import java.util.List;

/** The counts of a run's slices together. */
public record RunTotals(
    long durationMs, long due, long sent, long passed, long refused, long failed) {
  private static final double MS_PER_S = 1e3;

  public static RunTotals of(List<Slice> slices) {
    long durationMs = 0;
    long due = 0;
    long sent = 0;
    long passed = 0;
    long refused = 0;
    long failed = 0;
    for (Slice slice : slices) {
      durationMs += slice.endMs() - slice.startMs();
      due += slice.due();
      sent += slice.sent();
      passed += slice.passed();
      refused += slice.refused();
      failed += slice.failed();
    }
    return new RunTotals(durationMs, due, sent, passed, refused, failed);
  }

  public long answered() {
    return passed + refused;
  }

  public long ended() {
    return answered() + failed;
  }

  /** 0 for no time. */
  double perSecond(long count) {
    return durationMs == 0 ? 0 : count * MS_PER_S / durationMs;
  }

  long[] each() {
    return new long[] {due, sent, passed, refused, failed};
  }
}
