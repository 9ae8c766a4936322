package dev.weir.bench.decision;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.Spending;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.store.IncrbyExpire;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Calls of Envoy's that a store decides: what they cost the sidecar and the store, beside the
 * commands that envoyproxy/ratelimit would send to the same store. The store has a core, and the
 * sidecar is on that of the load: on two cores nobody else can be the bound then.
 */
final class StoreCallBench {
  static final String PIPELINES = "INCRBY and EXPIRE";
  private static final int ATTEMPTS = 5;
  static final int USUAL_KEYS = 100_000;

  private final int keyCount;

  private final int rounds;
  private final double seconds;
  private final double warmUpSeconds;
  private final Cores cores;
  private final Consumer<String> progress;
  private final RoundTable<String, StoreFigures> table = new RoundTable<>();

  StoreCallBench(
      int keyCount,
      int rounds,
      double seconds,
      double warmUpSeconds,
      Cores cores,
      Consumer<String> progress) {
    this.keyCount = keyCount;
    this.rounds = rounds;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.cores = cores;
    this.progress = progress;
  }

  /** By how many calls are in flight, and by who asks. */
  RoundTable<String, StoreFigures> run(Path redisServer) throws IOException, InterruptedException {
    final KeyChoice keys = KeyChoice.parse("uniform:" + keyCount);
    final Cores ofSidecar = new Cores(cores.client(), cores.server());
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-decisions");
        RedisServer redis = new RedisServer(redisServer, cores)) {
      final int port = ServerProcess.freePort();
      final WeirServer weir = new WeirServer(TransportKind.AUTO, redis.address());
      final IncrbyExpire pipelines = new IncrbyExpire(redis, keyCount);
      try (ServerProcess sidecar = weir.start(folder.path(), port, ofSidecar)) {
        final CallLoad usual = new CallLoad(Ask.DESCRIPTORS, keys, 8, 64, CallLoad.CLOSED);
        progress.accept("warm-up: " + usual.ask() + ", decided by Redis");
        CallAnswers.of(port, usual, warmUpSeconds);
        for (int streams : new int[] {64, 8}) {
          final CallLoad load = new CallLoad(Ask.DESCRIPTORS, keys, 8, streams, CallLoad.CLOSED);
          for (int round = 1; round <= rounds; round++) {
            add(load, round, "weir", calls(load, port, sidecar.pid(), redis));
            add(load, round, PIPELINES, pipelines(pipelines));
          }
        }
      }
    }
    return table;
  }

  private void add(CallLoad load, int round, String name, StoreFigures figures) {
    table.add(load.inFlightText(), name, figures);
    progress.accept(
        String.format(
            Locale.ROOT,
            "%s decided by Redis, %s, round %d: %-17s %7.0f/s %5.2f us/call, Redis %5.2f us/call",
            load.ask(),
            load.inFlightText(),
            round,
            name,
            figures.perSecond(),
            figures.callUs(),
            figures.redisUs()));
  }

  /** Measures again if a call failed, as when the store or this machine pauses. */
  private StoreFigures calls(CallLoad load, int port, long pid, RedisServer redis)
      throws IOException, InterruptedException {
    long failed = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
      final double redisUs = redis.cpuUs();
      final long scripts = redis.calls("evalsha");
      final long commands = redis.calls("");
      final Spending spending = new Spending(cores, pid);
      final CallAnswers answers = CallAnswers.of(port, load, seconds);
      final double spentUs = spending.end().spentUs();
      final double count = answers.count();
      final double scriptCalls = redis.calls("evalsha") - scripts;
      failed = answers.failed();
      if (count > 0 && failed == 0) {
        return new StoreFigures(
            count / answers.seconds(),
            spentUs / count,
            (redis.cpuUs() - redisUs) / count,
            scriptCalls / count,
            (redis.calls("") - commands - scriptCalls) / count);
      }
    }
    throw new IOException(failed + " calls failed, " + ATTEMPTS + " times (expected: none)");
  }

  private StoreFigures pipelines(IncrbyExpire pipelines) throws IOException {
    final IncrbyExpire.Figures figures = pipelines.run(seconds);
    return new StoreFigures(
        figures.perSecond(),
        Double.NaN,
        figures.serverUs(),
        figures.commands(),
        figures.commands());
  }
}
