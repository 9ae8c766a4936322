package dev.weir.bench.report;

import dev.weir.bench.report.LatencySeries.TimedHistogram;
import dev.weir.bench.report.RunResult.Slice;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A run as parts of time: its slices or, where those are not known, the intervals of its first
 * series; as many together as keeps the number of parts within a bound.
 */
final class Timeline {
  private Timeline() {}

  /**
   * A part of a run.
   *
   * @param counts of its slices; null where those are not known.
   */
  record Part(long startMs, long endMs, RunTotals counts) {}

  /** Who is shown the parts, in the order of time. */
  interface Visitor {
    /**
     * @param latencies those of the first series that ended in the part; only during the call.
     */
    void visit(Part part, Histogram latencies);
  }

  /** Shows the parts of a run. One histogram at a time is in memory. */
  static void visit(RunResult run, int mostParts, Visitor visitor) {
    final List<TimedHistogram> latencies =
        run.latencies().isEmpty() ? List.of() : run.latencies().get(0).slices();
    final int count = run.slices().isEmpty() ? latencies.size() : run.slices().size();
    final int together = (count - 1) / mostParts + 1;
    final Histogram histogram = LatencySeries.emptyHistogram();
    int next = 0;
    for (int from = 0; from < count; from += together) {
      final int to = Math.min(count, from + together);
      final Part part =
          run.slices().isEmpty()
              ? new Part(latencies.get(from).startMs(), latencies.get(to - 1).endMs(), null)
              : counted(run.slices().subList(from, to));
      histogram.reset();
      // An answer after the last slice belongs to it rather than to nothing.
      while (next < latencies.size()
          && (to == count || middleMs(latencies.get(next)) < part.endMs())) {
        histogram.add(latencies.get(next++).decode());
      }
      visitor.visit(part, histogram);
    }
  }

  private static Part counted(List<Slice> slices) {
    return new Part(
        slices.get(0).startMs(), slices.get(slices.size() - 1).endMs(), RunTotals.of(slices));
  }

  /** Not the start: rounded times of one interval may reach into the one before. */
  private static long middleMs(TimedHistogram interval) {
    return (interval.startMs() + interval.endMs()) / 2;
  }
}
