package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.ClosedLoop.Shape;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Runs the variants against one server, round by round, so that what disturbs disturbs them all.
 */
final class StoreBench {
  private static final int COMMAND_BYTES = 64 << 20;
  private static final int FILLED_PER_WRITE = 64;

  /** Not counted, before every measurement: connections, caches and the compiler settle. */
  private static final double MOST_LEAD_SECONDS = 0.2;

  /** The keys over which load is uniform, unless told otherwise. */
  static final int KEYS = 100_000;

  private final Rounds rounds;
  private final int keys;
  private final Commands commands = new Commands(COMMAND_BYTES);
  private final RoundTable<String, Meter.Sample> results = new RoundTable<>();

  StoreBench(Rounds rounds, int keys) {
    this.rounds = rounds;
    this.keys = keys;
  }

  /**
   * Runs variants, interleaved; by their ids in the one cell "".
   *
   * @param only the ids of some; empty for all.
   */
  RoundTable<String, Meter.Sample> run(RedisServer server, List<String> only) throws IOException {
    final List<Variants.Variant> variants =
        Variants.all(keys).stream()
            .filter(each -> only.isEmpty() || only.contains(each.id()))
            .toList();
    for (Variants.Variant variant : variants) {
      variant.traffic().begin(server);
      rounds.tell("warm-up: %s", variant.id());
      measure(server, variant, rounds.warmUpSeconds());
    }
    for (int round = 1; round <= rounds.count(); round++) {
      for (Variants.Variant variant : variants) {
        rounds.tell("round %d of %d: %s", round, rounds.count(), variant.id());
        results.add("", variant.id(), measure(server, variant, rounds.seconds()));
      }
    }
    return results;
  }

  private Meter.Sample measure(RedisServer server, Variants.Variant variant, double seconds)
      throws IOException {
    final CheckTraffic traffic = variant.traffic();
    try (ClosedLoop loop = open(server, variant)) {
      loop.run(Math.min(MOST_LEAD_SECONDS, rounds.seconds() / 4));
      final Meter meter = new Meter(server);
      loop.run(seconds);
      final double decisions = loop.replies() * traffic.decisionsPerCommand();
      final Meter.Sample sample = meter.sample(decisions, loop.errors());
      verify(server, variant);
      return sample;
    }
  }

  /** A loop over the commands of a variant that has begun, with what it asks for in the server. */
  ClosedLoop open(RedisServer server, Variants.Variant variant) throws IOException {
    fill(server, variant.traffic());
    commands.clear();
    variant.traffic().load(commands);
    verify(server, variant);
    return new ClosedLoop(server.address(), commands, variant.shape());
  }

  private void fill(RedisServer server, CheckTraffic traffic) throws IOException {
    server.empty();
    traffic.prepare(server);
    commands.clear();
    traffic.fill(commands);
    sendOnce(server, Shape.pipelined(FILLED_PER_WRITE), 0);
    sendOnce(server, Shape.inFlight(1), commands.count() - commands.count() % FILLED_PER_WRITE);
  }

  private void sendOnce(RedisServer server, Shape shape, int from) throws IOException {
    try (ClosedLoop loop = new ClosedLoop(server.address(), commands, shape)) {
      loop.runOnce(from);
      if (loop.errors() > 0) {
        throw new IOException("redis: " + loop.errors() + " error replies while filling");
      }
    }
  }

  // Before and after each measurement: figures of decisions that nobody meant would be worthless.
  void verify(RedisServer server, Variants.Variant variant) throws IOException {
    commands.renew();
    if (!variant.traffic().expected(server.control().send(commands.copy(0)))) {
      throw new IOException(variant.id() + ": the server decides otherwise than is measured here");
    }
    commands.renew();
  }

  /** The cost of a stretch of load on both sides: made when it begins, asked when it has ended. */
  static final class Meter {
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
}
