package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** The cost of a stretch of load on both sides: made when it begins, asked when it has ended. */
final class Meter {
  private final RedisServer server;
  private final double serverUs;
  private final long clientNs;
  private final long startNs;

  Meter(RedisServer server) throws IOException {
    this.server = server;
    server.resetStatistics();
    serverUs = server.cpuUs();
    clientNs = clientCpuNs();
    startNs = System.nanoTime();
  }

  private static long clientCpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /**
   * @param statistic see {@link Traffic#statistic}.
   */
  Sample sample(double decisions, String statistic, long errors) throws IOException {
    final double seconds = (System.nanoTime() - startNs) / 1e9;
    final long client = clientCpuNs() - clientNs;
    final double spent = server.cpuUs() - serverUs;
    return new Sample(
        (long) decisions,
        decisions / seconds,
        spent / decisions,
        client / 1e3 / decisions,
        server.p99Us(statistic),
        errors + server.errors());
  }
}
