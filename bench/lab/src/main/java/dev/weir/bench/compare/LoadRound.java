package dev.weir.bench.compare;

import dev.weir.bench.load.LoadException;
import dev.weir.bench.load.LoadRun;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.Slice;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.FixedBody;
import dev.weir.bench.scenario.KeyChoice;
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
import org.HdrHistogram.Histogram;

/** Loads a server on 127.0.0.1 by the harness of {@code weir bench run}, on one event loop. */
final class LoadRound {
  /** What all servers can: OpenSSL before 3.5 has no ML-KEM, with which others would do more. */
  private static final List<String> GROUPS = List.of("x25519");

  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

  private LoadRound() {}

  /**
   * What came of it.
   *
   * @param passed answers of the upstream.
   * @param refused answers 429, or RESOURCE_EXHAUSTED.
   * @param failed what is neither.
   * @param wrongHandshakes the part of TLS handshakes that is not of the kind that is meant.
   * @param latencies in nanoseconds; of an open loop from when requests were due.
   */
  record Answers(
      long passed,
      long refused,
      long failed,
      double wrongHandshakes,
      double seconds,
      Histogram latencies) {
    long count() {
      return passed + refused;
    }

    /** The part of answers that are not as they should be, from 0 to 1. */
    double wrongShare(Outcome outcome) {
      final long wrong = failed + (outcome == Outcome.PASS ? refused : passed);
      final double share = wrong == 0 ? 0 : (double) wrong / (count() + failed);
      return Math.max(share, wrongHandshakes);
    }
  }

  static Answers run(int port, Traffic traffic, double seconds)
      throws IOException, InterruptedException {
    final long durationNs = (long) (seconds * 1e9);
    final Scenario scenario =
        new Scenario(
            "compare",
            List.of(request(traffic.wire(), port)),
            KeyChoice.parse(traffic.keys() == 1 ? "one" : "uniform:" + traffic.keys()),
            new Load(
                traffic.open() ? Schedule.constant(traffic.perSecond(), durationNs) : null,
                durationNs,
                0),
            new ClientSettings(
                traffic.wire().protocol(),
                traffic.connections(),
                traffic.streams(),
                traffic.wire().requestsPerConnection(),
                1,
                ClientSettings.usualTransport(),
                TIMEOUT_NS,
                new TlsSettings(null, true, traffic.wire().resumes(), GROUPS)),
            List.of());
    try {
      final LoadRun run = new LoadRun(scenario, LoadRun.Progress.SILENT);
      final RunResult result = run.run();
      return answers(result, traffic.wire().wrongShare(run.handshakeCount(), run.resumedCount()));
    } catch (LoadException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static RequestSpec request(Wire wire, int port) {
    final boolean calls = wire.protocol() == Protocol.GRPC;
    return new RequestSpec(
        new Target(wire.tls(), "127.0.0.1", port, "127.0.0.1:" + port),
        calls ? "POST" : "GET",
        calls ? "/weir.bench.Service/Call" : "/",
        List.of(new Field("X-User-Id", RequestSpec.KEY)),
        calls ? new FixedBody(new byte[Upstream.MESSAGE_BYTES]) : null,
        1);
  }

  private static Answers answers(RunResult result, double wrongHandshakes) {
    long passed = 0;
    long refused = 0;
    long failed = 0;
    long endMs = 1;
    for (Slice slice : result.slices()) {
      passed += slice.passed();
      refused += slice.refused();
      failed += slice.failed();
      endMs = Math.max(endMs, slice.endMs());
    }
    return new Answers(
        passed, refused, failed, wrongHandshakes, endMs / 1e3, result.latencies().get(0).total());
  }
}
