package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.process.ServerCertificate;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.Attendance;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts each contender many times, in turns, and measures what its first clients get. */
final class ColdBench {
  /** Longer than a sidecar warms up while nobody comes. */
  static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

  /** Connections: few, whose requests seldom wait for one another, and many, which saturate. */
  static final List<Shape> SHAPES = List.of(Shape.parse("2"), Shape.parse("32"));

  private static final int STEADY_SECONDS = 3;

  private final List<Contender> contenders;
  private final Rounds rounds;
  final Attendance attendance;
  final RoundTable<Case, ColdStart.Figures> starts = new RoundTable<>();
  final RoundTable<Shape, LoadFigures> steady = new RoundTable<>();
  final Map<String, String> commands = new LinkedHashMap<>();
  private int siteCount;

  /**
   * When clients come, and how many.
   *
   * @param isAtOnce or after {@link #PAUSE_NS}.
   */
  record Case(Shape shape, boolean isAtOnce) {}

  /**
   * @param rounds whose seconds are the length of a second of load: 1; less in tests.
   */
  ColdBench(List<Contender> contenders, Rounds rounds) {
    this.contenders = contenders;
    this.rounds = rounds;
    attendance = new Attendance(rounds.progress());
  }

  /**
   * Measures all of them.
   *
   * @param upstream the service behind, which stays the caller's.
   */
  void run(Upstream upstream) throws IOException, InterruptedException {
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-cold")) {
      final ServerCertificate unused = ServerCertificate.make(folder.path());
      final Site site =
          new Site(
              Outcome.PASS, Wire.HTTP1, 0, upstream.port, unused, folder.path(), rounds.cores());
      final List<Contender> installed = new ArrayList<>(contenders);
      installed.removeIf(each -> !attendance.takesPart(each.name(), each::version));
      for (int round = 1; round <= rounds.count(); round++) {
        for (Contender contender : List.copyOf(installed)) {
          try {
            measure(contender, site, round);
          } catch (IOException e) {
            installed.remove(contender);
            attendance.leaveOut(
                contender.name(), e.getMessage().replace(folder.path().toString(), "FOLDER"));
          }
        }
      }
    }
  }

  private void measure(Contender contender, Site site, int round)
      throws IOException, InterruptedException {
    for (Shape shape : SHAPES) {
      final boolean isLargest = shape == SHAPES.get(SHAPES.size() - 1);
      start(
          contender, site, new Case(shape, true), isLargest, isLargest && round == rounds.count());
      if (contender instanceof WeirSidecar) {
        start(contender, site, new Case(shape, false), false, false);
      }
    }
  }

  private void start(Contender contender, Site site, Case when, boolean fills, boolean isLast)
      throws IOException, InterruptedException {
    final Path folder =
        Files.createDirectory(site.folder().resolve(contender.name() + "-" + ++siteCount));
    final int adminPort = contender instanceof WeirSidecar ? ServerProcess.freePort() : 0;
    final Contender started =
        contender instanceof WeirSidecar weir ? weir.withAdmin(adminPort) : contender;
    final ColdStart start =
        new ColdStart(
            started, site.of(ServerProcess.freePort(), folder), adminPort, rounds.seconds());
    try {
      commands.put(contender.name(), started.runsAs(start.process()));
      final ColdStart.Figures figures =
          start.measure(when.shape(), when.isAtOnce() ? 0 : PAUSE_NS, fills);
      starts.add(when, contender.name(), figures);
      tell(contender, when, figures);
      if (isLast) {
        for (Shape shape : SHAPES) {
          for (LoadFigures second : start.steady(shape, STEADY_SECONDS)) {
            steady.add(shape, contender.name(), second);
          }
        }
      }
    } finally {
      start.end();
    }
  }

  private void tell(Contender contender, Case when, ColdStart.Figures figures) {
    final LoadFigures first = figures.seconds().get(0);
    rounds.tell(
        "%-13s %-7s %2d connections: ready %4.0f ms, first %5.1f ms, second %4.1f ms,"
            + " first second %5.1f us/req, p99 %5.1f ms, %3.0f MiB",
        contender.name(),
        when.isAtOnce() ? "at once" : "later",
        when.shape().inFlight(),
        figures.readyMs(),
        figures.firstMs(),
        figures.secondMs(),
        first.requestUs(),
        first.p99Ms(),
        figures.loadedMib());
  }
}
