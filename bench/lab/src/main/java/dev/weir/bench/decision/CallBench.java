package dev.weir.bench.decision;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ProcessorTime;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.Spending;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.scenario.KeyChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Calls each server, which take turns, round by round, so that what disturbs disturbs them all. One
 * that is asked something is a process that was asked nothing else.
 */
final class CallBench {
  /** The share of a server's own throughput at which its latencies are measured. */
  static final double FIXED_SHARE = 0.7;

  private static final int[][] CONNECTIONS_AND_STREAMS = {{8, 64}, {8, 8}, {8, 1}};
  private static final KeyChoice ONE = KeyChoice.parse("one");
  private static final int ATTEMPTS = 3;
  private static final double MOST_FAILED_PERCENT = 0.1;

  static final int USUAL_BUDGETS = 1_000_000;

  private final List<CallServer> servers;
  private final int budgets;
  private final int rounds;
  private final double seconds;
  private final double warmUpSeconds;
  private final Cores cores;
  private final Consumer<String> progress;
  private final RoundTable<CallLoad, CallFigures> table = new RoundTable<>();
  private final Map<String, String> versions = new LinkedHashMap<>();
  private final Set<String> leftOut = new LinkedHashSet<>();

  /**
   * @param budgets that are asked about where there are many.
   */
  CallBench(
      List<CallServer> servers,
      int budgets,
      int rounds,
      double seconds,
      double warmUpSeconds,
      Cores cores,
      Consumer<String> progress) {
    this.servers = servers;
    this.budgets = budgets;
    this.rounds = rounds;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.cores = cores;
    this.progress = progress;
  }

  /** One that is up. */
  private record Running(CallServer server, ServerProcess process, int port) {}

  RoundTable<CallLoad, CallFigures> table() {
    return table;
  }

  /** By the servers' names. */
  Map<String, String> versions() {
    return versions;
  }

  /** What was not measured, with the reason. */
  Set<String> leftOut() {
    return leftOut;
  }

  void run(List<Ask> asks) throws IOException, InterruptedException {
    final List<CallServer> present = present();
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-decisions")) {
      for (Ask ask : asks) {
        final KeyChoice keys = KeyChoice.parse("uniform:" + budgets / ask.decisions());
        final List<Running> running = new ArrayList<>();
        try {
          for (CallServer server : present) {
            if (server.asks().contains(ask)) {
              final Path own = folder.path().resolve(ask.name() + "-" + server.name());
              start(server, Files.createDirectory(own), new CallLoad(ask, keys, 8, 64, 0), running);
            }
          }
          measure(running, ask, keys);
        } finally {
          running.forEach(each -> each.process().close());
        }
      }
    }
  }

  private List<CallServer> present() {
    final List<CallServer> present = new ArrayList<>();
    for (CallServer server : servers) {
      try {
        versions.put(server.name(), server.version());
        present.add(server);
      } catch (IOException e) {
        leaveOut(server, e);
      }
    }
    return present;
  }

  private void leaveOut(CallServer server, IOException why) {
    leftOut.add(server.name() + ": " + why.getMessage());
    progress.accept("left out: " + server.name() + ": " + why.getMessage());
  }

  private void start(CallServer server, Path folder, CallLoad warmUp, List<Running> running)
      throws InterruptedException {
    try {
      final int port = ServerProcess.freePort();
      final Running started = new Running(server, server.start(folder, port, cores), port);
      running.add(started);
      progress.accept("warm-up: " + warmUp.ask() + ", " + server.name());
      CallAnswers.of(port, warmUp, warmUpSeconds);
    } catch (IOException e) {
      leaveOut(server, e);
    }
  }

  private void measure(List<Running> running, Ask ask, KeyChoice keys) throws InterruptedException {
    if (ask != Ask.CHECK) {
      measure(running, new CallLoad(ask, keys, 8, 64, CallLoad.CLOSED));
      return;
    }
    for (int[] shape : CONNECTIONS_AND_STREAMS) {
      measure(running, new CallLoad(ask, ONE, shape[0], shape[1], CallLoad.CLOSED));
    }
    final List<Running> deciding =
        running.stream().filter(each -> each.server() instanceof WeirServer).toList();
    for (int[] shape : CONNECTIONS_AND_STREAMS) {
      measure(deciding, new CallLoad(ask, keys, shape[0], shape[1], CallLoad.CLOSED));
    }
    for (Running each : deciding) {
      final CallLoad closed = new CallLoad(ask, keys, 8, 64, CallLoad.CLOSED);
      final double most =
          table.spread(closed, each.server().name(), CallFigures::perSecond).median();
      final CallLoad fixed = closed.at(Math.rint(FIXED_SHARE * most));
      warmUp(each, fixed);
      measure(List.of(each), fixed);
    }
  }

  /** The harness has paced nothing before: what it compiles meanwhile is no latency. */
  private void warmUp(Running running, CallLoad load) throws InterruptedException {
    try {
      progress.accept("warm-up: " + load.ask() + ", fixed rate, " + running.server().name());
      CallAnswers.of(running.port(), load, warmUpSeconds);
    } catch (IOException e) {
      leaveOut(running.server(), e);
    }
  }

  private void measure(List<Running> running, CallLoad load) throws InterruptedException {
    for (int round = 1; round <= rounds; round++) {
      for (Running each : running) {
        try {
          final CallFigures figures = measure(each, load);
          table.add(load, each.server().name(), figures);
          progress.accept(line(load, round, each.server().name(), figures));
        } catch (IOException e) {
          leaveOut(each.server(), e);
        }
      }
    }
  }

  private static String line(CallLoad load, int round, String name, CallFigures figures) {
    return String.format(
        Locale.ROOT,
        "%s, %d budgets, %s%s, round %d: %-13s %8.0f/s %6.2f us/call  p99 %.2f ms",
        load.ask(),
        load.budgets(),
        load.inFlightText(),
        load.isOpen() ? ", fixed rate" : "",
        round,
        name,
        figures.perSecond(),
        figures.callUs(),
        figures.p99Ms());
  }

  private CallFigures measure(Running running, CallLoad load)
      throws IOException, InterruptedException {
    CallFigures figures = measureOnce(running, load);
    for (int i = 1; i < ATTEMPTS && figures.failedPercent() > MOST_FAILED_PERCENT; i++) {
      figures = measureOnce(running, load);
    }
    return figures;
  }

  private CallFigures measureOnce(Running running, CallLoad load)
      throws IOException, InterruptedException {
    final long pid = running.process().pid();
    final Spending spending = new Spending(cores, pid);
    final CallAnswers answers = CallAnswers.of(running.port(), load, seconds);
    final Spending.Spent spent = spending.end();
    if (!running.process().isAlive() || answers.count() == 0) {
      throw new IOException("no call was answered with status 0");
    }
    return new CallFigures(
        answers.count() / answers.seconds(),
        spent.spentUs() / answers.count(),
        spent.corePercent(answers.seconds()),
        spent.othersPercent(),
        ProcessorTime.residentMib(pid),
        answers.p50Ms(),
        answers.p99Ms(),
        answers.sentP99Ms(),
        100.0 * answers.failed() / (answers.count() + answers.failed()));
  }
}
