package dev.weir.bench.decision;

import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.store.IncrbyExpire;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Calls of Envoy's that a store decides: what they cost the sidecar and the store, beside the
 * commands that envoyproxy/ratelimit would send to the same store. The store has a core, and the
 * sidecar is on that of the load: on two cores nobody else can be the bound then.
 */
final class StoreCallBench {
  static final String PIPELINES = "INCRBY and EXPIRE";
  private static final int ATTEMPTS = 5;
  static final int USUAL_KEYS = 100_000;

  /**
   * The figures of calls that a store decides, in one round.
   *
   * @param callUs processor time of who asks the store, per call; NaN where that is not of
   *     interest.
   * @param redisUs processor time of the store's main thread per call.
   * @param requests that the store was sent, per call.
   * @param commands that the store carried out, within scripts or not, per call.
   */
  record Figures(
      double perSecond, double callUs, double redisUs, double requests, double commands) {
    /** The part of a core that the store's main thread took. */
    double redisPercent() {
      return redisUs * perSecond / 1e4;
    }
  }

  private final int keyCount;
  private final Rounds rounds;
  private final RoundTable<String, Figures> table = new RoundTable<>();

  StoreCallBench(int keyCount, Rounds rounds) {
    this.keyCount = keyCount;
    this.rounds = rounds;
  }

  /** Measures by calls in flight, and by who asks. */
  RoundTable<String, Figures> run(Path redisServer) throws IOException, InterruptedException {
    final KeyChoice keys = KeyChoice.parse("uniform:" + keyCount);
    final Cores ofSidecar = new Cores(rounds.cores().client(), rounds.cores().server());
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-decisions");
        RedisServer redis = new RedisServer(redisServer, rounds.cores())) {
      final int port = ServerProcess.freePort();
      final WeirServer weir = new WeirServer(TransportKind.AUTO, redis.address());
      final IncrbyExpire pipelines = new IncrbyExpire(redis, keyCount);
      try (ServerProcess sidecar = weir.start(folder.path(), port, ofSidecar)) {
        final CallLoad usual = CallLoad.closed(Ask.DESCRIPTORS, keys, 8, 64);
        rounds.tell("warm-up: %s, decided by Redis", usual.ask());
        usual.load().run(port, rounds.warmUpSeconds());
        for (int streams : new int[] {64, 8}) {
          final CallLoad load = CallLoad.closed(Ask.DESCRIPTORS, keys, 8, streams);
          for (int round = 1; round <= rounds.count(); round++) {
            add(load, round, "weir", calls(load, port, sidecar.pid(), redis));
            add(load, round, PIPELINES, pipelines(pipelines));
          }
        }
      }
    }
    return table;
  }

  private void add(CallLoad load, int round, String name, Figures figures) {
    table.add(load.inFlightText(), name, figures);
    rounds.tell(
        "%s decided by Redis, %s, round %d: %-17s %7.0f/s %5.2f us/call, Redis %5.2f us/call",
        load.ask(),
        load.inFlightText(),
        round,
        name,
        figures.perSecond(),
        figures.callUs(),
        figures.redisUs());
  }

  /** Measures again if a call failed, as when the store or this machine pauses. */
  private Figures calls(CallLoad load, int port, long pid, RedisServer redis)
      throws IOException, InterruptedException {
    for (int i = 0; i < ATTEMPTS; i++) {
      final double redisUs = redis.cpuUs();
      final long scripts = redis.calls("evalsha");
      final long commands = redis.calls("");
      final LoadFigures figures =
          LoadFigures.measure(
              load.load(),
              port,
              rounds.seconds(),
              LoadAnswers::notPassedShare,
              rounds.cores(),
              pid);
      final double count = figures.count();
      final double scriptCalls = redis.calls("evalsha") - scripts;
      if (count > 0 && figures.wrongPercent() == 0) {
        return new Figures(
            figures.perSecond(),
            figures.requestUs(),
            (redis.cpuUs() - redisUs) / count,
            scriptCalls / count,
            (redis.calls("") - commands - scriptCalls) / count);
      }
    }
    throw new IOException("calls failed, " + ATTEMPTS + " times (expected: none)");
  }

  private Figures pipelines(IncrbyExpire pipelines) throws IOException {
    final IncrbyExpire.Figures figures = pipelines.run(rounds.seconds());
    return new Figures(
        figures.perSecond(),
        Double.NaN,
        figures.serverUs(),
        figures.commands(),
        figures.commands());
  }
}
