package dev.weir.bench.decision;

import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.Attendance;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.scenario.KeyChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
  private final Rounds rounds;
  final Attendance attendance;
  final RoundTable<CallLoad, LoadFigures> table = new RoundTable<>();

  /**
   * @param budgets that are asked about where there are many.
   */
  CallBench(List<CallServer> servers, int budgets, Rounds rounds) {
    this.servers = servers;
    this.budgets = budgets;
    this.rounds = rounds;
    attendance = new Attendance(rounds.progress());
  }

  private record Running(CallServer server, ServerProcess process, int port) {}

  void run(List<Ask> asks) throws IOException, InterruptedException {
    final List<CallServer> present =
        servers.stream().filter(each -> attendance.takesPart(each.name(), each::version)).toList();
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-decisions")) {
      for (Ask ask : asks) {
        final KeyChoice keys = KeyChoice.parse("uniform:" + budgets / ask.decisions);
        final List<Running> running = new ArrayList<>();
        try {
          for (CallServer server : present) {
            if (server.asks().contains(ask)) {
              final Path own = folder.path().resolve(ask.name() + "-" + server.name());
              start(server, Files.createDirectory(own), CallLoad.closed(ask, keys, 8, 64), running);
            }
          }
          measure(running, ask, keys);
        } finally {
          running.forEach(each -> each.process().close());
        }
      }
    }
  }

  private void start(CallServer server, Path folder, CallLoad warmUp, List<Running> running)
      throws InterruptedException {
    try {
      final int port = ServerProcess.freePort();
      final Running started = new Running(server, server.start(folder, port, rounds.cores()), port);
      running.add(started);
      rounds.tell("warm-up: %s, %s", warmUp.ask(), server.name());
      warmUp.load().run(port, rounds.warmUpSeconds());
    } catch (IOException e) {
      attendance.leaveOut(server.name(), e.getMessage());
    }
  }

  private void measure(List<Running> running, Ask ask, KeyChoice keys) throws InterruptedException {
    if (ask != Ask.CHECK) {
      measure(running, CallLoad.closed(ask, keys, 8, 64));
      return;
    }
    for (int[] shape : CONNECTIONS_AND_STREAMS) {
      measure(running, CallLoad.closed(ask, ONE, shape[0], shape[1]));
    }
    final List<Running> deciding =
        running.stream().filter(each -> each.server() instanceof WeirServer).toList();
    for (int[] shape : CONNECTIONS_AND_STREAMS) {
      measure(deciding, CallLoad.closed(ask, keys, shape[0], shape[1]));
    }
    for (Running each : deciding) {
      final CallLoad closed = CallLoad.closed(ask, keys, 8, 64);
      final double most =
          table.spread(closed, each.server().name(), LoadFigures::perSecond).median();
      final CallLoad fixed = closed.at(Math.rint(FIXED_SHARE * most));
      warmUp(each, fixed);
      measure(List.of(each), fixed);
    }
  }

  /** The harness has paced nothing before: what it compiles meanwhile is no latency. */
  private void warmUp(Running running, CallLoad load) throws InterruptedException {
    try {
      rounds.tell("warm-up: %s, fixed rate, %s", load.ask(), running.server().name());
      load.load().run(running.port(), rounds.warmUpSeconds());
    } catch (IOException e) {
      attendance.leaveOut(running.server().name(), e.getMessage());
    }
  }

  private void measure(List<Running> running, CallLoad load) throws InterruptedException {
    for (int round = 1; round <= rounds.count(); round++) {
      for (Running each : running) {
        final String name = each.server().name();
        try {
          final LoadFigures figures = measure(each, load);
          table.add(load, name, figures);
          rounds.tell(
              "%s, %d budgets, %s%s, round %d: %-13s %8.0f/s %6.2f us/call  p99 %.2f ms",
              load.ask(),
              load.budgets(),
              load.inFlightText(),
              load.isOpen() ? ", fixed rate" : "",
              round,
              name,
              figures.perSecond(),
              figures.requestUs(),
              figures.p99Ms());
        } catch (IOException e) {
          attendance.leaveOut(name, e.getMessage());
        }
      }
    }
  }

  private LoadFigures measure(Running running, CallLoad load)
      throws IOException, InterruptedException {
    LoadFigures figures = null;
    for (int i = 0;
        i < ATTEMPTS && (figures == null || figures.wrongPercent() > MOST_FAILED_PERCENT);
        i++) {
      figures =
          LoadFigures.measure(
              load.load(),
              running.port(),
              rounds.seconds(),
              LoadAnswers::notPassedShare,
              rounds.cores(),
              running.process().pid());
      if (!running.process().isAlive() || figures.count() == 0) {
        throw new IOException("no call was answered with status 0");
      }
    }
    return figures;
  }
}
