package dev.weir.bench.load;

import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.Slice;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Load;
import dev.weir.bench.scenario.Scenario;
import dev.weir.proxy.loop.Transport;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What the harness itself can do on this machine, now: the same requests, as many as it can, to a
 * server in this process that does nothing but answer.
 *
 * @param perCoreAndSecond requests for which the event loops need a second of processor time.
 * @param perSecond requests that were answered, with whatever shared the cores.
 */
public record Ceiling(double perCoreAndSecond, double perSecond) {
  private static final long WARM_UP_NS = 1_000_000_000L;
  private static final long DURATION_NS = 1_000_000_000L;
  private static final int LEAST_CONNECTIONS = 16;

  /** Takes about two seconds. */
  public static Ceiling measure(Scenario scenario) throws LoadException, InterruptedException {
    final ClientSettings client = scenario.client();
    final Transport transport = Transport.of(client.transport());
    final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("weir-sink", true), transport.handlerFactory());
    try (Http1Sink sink = new Http1Sink(group, transport, Http1Sink.answer("200 OK"))) {
      final InetSocketAddress address = sink.address();
      final LoadRun run =
          new LoadRun(against(scenario), LoadRun.Progress.SILENT, target -> address);
      final RunResult result = run.run();
      long answered = 0;
      long lastMs = 1;
      for (Slice slice : result.slices()) {
        answered += slice.passed();
        lastMs = slice.endMs();
      }
      return new Ceiling(answered * 1e9 / Math.max(1, run.cpuNs()), answered * 1e3 / lastMs);
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private static Scenario against(Scenario scenario) {
    final ClientSettings client = scenario.client();
    return new Scenario(
        scenario.name(),
        scenario.requests(),
        scenario.keys(),
        new Load(null, DURATION_NS, WARM_UP_NS),
        new ClientSettings(
            client.protocol(),
            Math.max(LEAST_CONNECTIONS, client.connections()),
            client.streams(),
            client.eventLoops(),
            client.transport(),
            client.timeoutNs(),
            null,
            true),
        List.of());
  }
}
