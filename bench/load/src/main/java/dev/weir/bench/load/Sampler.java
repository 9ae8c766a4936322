package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.load.LoopRecorder.Time;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.LatencySeries.TimedHistogram;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.bench.scenario.Scenario.Load;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Takes what the event loops recorded, slice by slice. By one thread, and cheaply: it may share its
 * core with them, so histograms are kept encoded and looked at when the run is over.
 */
final class Sampler {
  private final List<LoopRecorder> recorders;
  private final RunTimes times;
  private final Load load;
  private final long[] before = new long[Count.values().length];
  private final List<Slice> slices = new ArrayList<>();
  private final List<List<TimedHistogram>> encoded = new ArrayList<>();
  private final Histogram merged = LatencySeries.emptyHistogram();
  private final ByteBuffer buffer = ByteBuffer.allocate(merged.getNeededByteBufferCapacity());
  private long fromMs;
  private double dueBefore;

  Sampler(List<LoopRecorder> recorders, RunTimes times, Load load) {
    this.recorders = recorders;
    this.times = times;
    this.load = load;
    for (int i = 0; i < Time.values().length; i++) {
      encoded.add(new ArrayList<>());
    }
  }

  /**
   * Ends a slice.
   *
   * @param untilNs when it was to end, a moment ago: what was due just after is not of this slice.
   * @return what was recorded since the last call, and the corrected p99 of it in ns; 0 of none.
   */
  Sample take(long untilNs) {
    final long toMs = Math.max(fromMs + 1, (untilNs - times.measuredFromNs) / 1_000_000);
    final long[] counts = new long[before.length];
    for (Count count : Count.values()) {
      final int at = count.ordinal();
      final long sum = recorders.stream().mapToLong(recorder -> recorder.count(count)).sum();
      counts[at] = sum - before[at];
      before[at] = sum;
    }
    final long sent = counts[Count.SENT.ordinal()];
    final Slice slice =
        new Slice(
            fromMs,
            toMs,
            due(untilNs, sent),
            sent,
            counts[Count.PASSED.ordinal()],
            counts[Count.REFUSED.ordinal()],
            counts[Count.FAILED.ordinal()]);
    slices.add(slice);
    long p99Ns = 0;
    for (Time time : Time.values()) {
      merged.reset();
      recorders.forEach(recorder -> recorder.drain(time, merged));
      if (merged.getTotalCount() > 0) {
        encoded.get(time.ordinal()).add(new TimedHistogram(fromMs, toMs, encode()));
        p99Ns = time == Time.CORRECTED ? merged.getValueAtPercentile(99) : p99Ns;
      }
    }
    fromMs = toMs;
    return new Sample(slice, p99Ns);
  }

  record Sample(Slice slice, long p99Ns) {}

  private long due(long untilNs, long sent) {
    if (!load.open()) {
      return sent;
    }
    final double due =
        load.schedule().countBy(Math.min(untilNs, times.endNs()) - times.measuredFromNs - 1);
    final long inSlice = Math.round(due) - Math.round(dueBefore);
    dueBefore = due;
    return inSlice;
  }

  private byte[] encode() {
    buffer.clear();
    merged.encodeIntoByteBuffer(buffer);
    return Arrays.copyOf(buffer.array(), buffer.position());
  }

  List<Slice> slices() {
    return slices;
  }

  List<TimedHistogram> histograms(Time time) {
    return encoded.get(time.ordinal());
  }
}
