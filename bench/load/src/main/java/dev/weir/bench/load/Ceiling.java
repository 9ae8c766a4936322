package dev.weir.bench.load;

import dev.weir.bench.load.LoadRun.LoadException;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.origin.Http2Answer;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.origin.Sink;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Scenario.Load;
import dev.weir.bench.scenario.Target;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * The most that the harness can do on this machine now: the same requests, as many as it can, to a
 * server in this process that does nothing but answer, without TLS.
 *
 * @param perSecond requests for which the event loops would need all the processor time that they
 *     can have. By that time, not by the clock: the server may share their cores.
 * @param cores that they can have.
 */
public record Ceiling(double perSecond, int cores) {
  private static final long WARM_UP_NS = 2_000_000_000L;
  private static final long DURATION_NS = 1_000_000_000L;
  private static final int LEAST_CONNECTIONS = 16;

  /** Takes about three seconds. */
  public static Ceiling measure(Scenario scenario) throws LoadException, InterruptedException {
    final ClientSettings client = scenario.client();
    try (LocalLoop loop = new LocalLoop("weir-sink", client.transport());
        Sink sink = sink(client.protocol(), loop)) {
      final InetSocketAddress address = sink.address();
      final LoadRun run =
          new LoadRun(against(scenario), LoadRun.Progress.SILENT, target -> address);
      final RunResult result = run.run();
      final long answered = result.slices().stream().mapToLong(Slice::passed).sum();
      final int cores = Math.min(client.eventLoops(), Runtime.getRuntime().availableProcessors());
      return new Ceiling(answered * 1e9 / Math.max(1, run.cpuNs()) * cores, cores);
    }
  }

  boolean isBelow(Scenario scenario) {
    return scenario.load().open() && scenario.load().schedule().peakRate() > perSecond;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "the harness alone: %,.0f requests/s on %d %s",
        perSecond,
        cores,
        cores == 1 ? "core" : "cores");
  }

  private static Sink sink(Protocol protocol, LocalLoop loop) {
    return switch (protocol) {
      case HTTP1 -> loop.http1(Http1Sink.answer("200 OK"));
      case HTTP2 -> loop.http2(Http2Answer.http(200, "ok\n".getBytes(StandardCharsets.US_ASCII)));
      case GRPC -> loop.http2(Http2Answer.grpc(0, new byte[0]));
    };
  }

  private static RequestSpec withoutTls(RequestSpec spec) {
    final Target target = spec.target();
    return new RequestSpec(
        new Target(false, target.host(), target.port(), target.authority()),
        spec.method(),
        spec.path(),
        spec.fields(),
        spec.body(),
        spec.weight());
  }

  private static Scenario against(Scenario scenario) {
    final ClientSettings client = scenario.client();
    return new Scenario(
        scenario.name(),
        scenario.requests().stream().map(Ceiling::withoutTls).toList(),
        scenario.keys(),
        new Load(null, DURATION_NS, WARM_UP_NS),
        new ClientSettings(
            client.protocol(),
            Math.max(LEAST_CONNECTIONS, client.connections()),
            client.streams(),
            ClientSettings.NO_END,
            client.eventLoops(),
            client.transport(),
            client.timeoutNs(),
            client.tls()),
        List.of());
  }
}
