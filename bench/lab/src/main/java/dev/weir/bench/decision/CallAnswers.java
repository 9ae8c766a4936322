package dev.weir.bench.decision;

import dev.weir.bench.load.LoadException;
import dev.weir.bench.load.LoadRun;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.Slice;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Load;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Schedule;
import dev.weir.bench.scenario.Target;
import dev.weir.bench.scenario.TlsSettings;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What came of calls, or requests, that were made by the harness of {@code weir bench run}, on one
 * event loop.
 *
 * @param count of those that succeeded.
 * @param failed all others.
 * @param p99Ms from when a call was due, in a closed loop from when it was sent.
 * @param sentP99Ms from when a call was sent.
 */
record CallAnswers(
    long count, long failed, double seconds, double p50Ms, double p99Ms, double sentP99Ms) {
  /** Each call tells its server how much of this is left. */
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

  /** Makes calls of a server on 127.0.0.1. */
  static CallAnswers of(int port, CallLoad load, double seconds)
      throws IOException, InterruptedException {
    final long durationNs = (long) (seconds * 1e9);
    final Target target = new Target(false, "127.0.0.1", port, "127.0.0.1:" + port);
    final Scenario scenario =
        new Scenario(
            "decisions",
            List.of(
                new RequestSpec(
                    target, "POST", load.ask().path(), List.of(), load.ask().body(), 1)),
            load.keys(),
            new Load(
                load.isOpen() ? Schedule.constant(load.perSecond(), durationNs) : null,
                durationNs,
                0),
            new ClientSettings(
                Protocol.GRPC,
                load.connections(),
                load.streams(),
                ClientSettings.NO_END,
                1,
                ClientSettings.usualTransport(),
                TIMEOUT_NS,
                new TlsSettings(null, true, true, List.of())),
            List.of());
    return of(scenario);
  }

  /** Makes what a scenario says. */
  static CallAnswers of(Scenario scenario) throws IOException, InterruptedException {
    try {
      return of(new LoadRun(scenario, LoadRun.Progress.SILENT).run());
    } catch (LoadException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static CallAnswers of(RunResult result) {
    long count = 0;
    long failed = 0;
    long endMs = 1;
    for (Slice slice : result.slices()) {
      count += slice.passed();
      failed += slice.failed() + slice.refused();
      endMs = Math.max(endMs, slice.endMs());
    }
    final LatencySeries corrected = result.latencies().get(0);
    final LatencySeries sent =
        result.latencies().stream()
            .filter(series -> series.tag().equals(LatencySeries.UNCORRECTED))
            .findFirst()
            .orElse(corrected);
    return new CallAnswers(
        count,
        failed,
        endMs / 1e3,
        corrected.total().getValueAtPercentile(50) / 1e6,
        corrected.total().getValueAtPercentile(99) / 1e6,
        sent.total().getValueAtPercentile(99) / 1e6);
  }
}
