package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.scenario.Scenario;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The recorded figures of a run, added up over its event loops. */
final class RunFigures {
  final Scenario scenario;
  final RunTimes times;
  final Sampler sampler;

  /** Processor time of the harness. */
  final long cpuNs;

  /** Requests without an answer when the run ended. */
  final int unanswered;

  /** Connections that were not there when it began. */
  final int missing;

  /** How long it measured. */
  final double seconds;

  private final List<LoopRecorder> recorders;

  RunFigures(
      Scenario scenario,
      RunTimes times,
      List<LoopRecorder> recorders,
      Sampler sampler,
      long cpuNs,
      int unanswered,
      int missing) {
    this.scenario = scenario;
    this.times = times;
    this.recorders = recorders;
    this.sampler = sampler;
    this.cpuNs = cpuNs;
    this.unanswered = unanswered;
    this.missing = missing;
    seconds = Math.max(1e-3, (times.endNs() - times.measuredFromNs()) / 1e9);
  }

  long count(Count count) {
    return sum(recorder -> recorder.count(count));
  }

  long sum(ToLongFunction<LoopRecorder> of) {
    return recorders.stream().mapToLong(of).sum();
  }

  /** Requests that have had an answer or failed. */
  long ended() {
    return count(Count.PASSED) + count(Count.REFUSED) + count(Count.FAILED);
  }

  /** Requests that were due; in an open loop only. */
  double due() {
    return scenario.load().schedule().countBy(times.endNs() - times.measuredFromNs());
  }

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** The time of day of a time of {@link System#nanoTime}. */
  static Instant at(long ns) {
    return Instant.now().minusNanos(System.nanoTime() - ns);
  }
}
