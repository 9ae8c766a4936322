package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** The cost of a stretch of load on both sides: made when it begins, asked when it has ended. */
final class Meter {
  /**
   * One measurement.
   *
   * @param perSecond decisions.
   * @param serverUs processor time of the server per decision.
   * @param clientUs processor time of the thread that asked, per decision.
   * @param commandP99Us time of one command in the server; NaN where it does not say.
   */
  record Sample(
      long decisions,
      double perSecond,
      double serverUs,
      double clientUs,
      double commandP99Us,
      long errors) {}

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

  /** The cost per decision. */
  Sample sample(double decisions, long errors) throws IOException {
    final double seconds = (System.nanoTime() - startNs) / 1e9;
    final long client = clientCpuNs() - clientNs;
    final double spent = server.cpuUs() - serverUs;
    return new Sample(
        (long) decisions,
        decisions / seconds,
        spent / decisions,
        client / 1e3 / decisions,
        server.p99Us("evalsha"),
        errors + server.errors());
  }
}
