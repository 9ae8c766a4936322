package dev.weir.bench.compare;

import dev.weir.bench.compare.Comparison.Cell;
import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.compare.Upstream.Services;
import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.process.ServerCertificate;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the contenders behind one another's load: all of them are up at a time and take turns, round
 * by round, so that what disturbs disturbs them all.
 */
final class ProxyBench {
  /** The share of the slowest contender's throughput at which all are loaded alike. */
  static final double FIXED_SHARE = 0.4;

  /** A round with more is not what it says, and is tried again; so is one without an answer. */
  private static final double MOST_WRONG = 0.01;

  /** In a round at a fixed rate. */
  private static final double LEAST_REQUESTS = 10;

  private static final int NO_PORT = 0;
  private static final int MOST_WARM_UPS = 5;
  private static final int ATTEMPTS = 3;
  private static final double SETTLING_SECONDS = 0.5;
  private static final int MOST_SETTLING = 20;

  private final ProxySettings settings;
  private final Rounds rounds;
  private final Comparison comparison;

  ProxyBench(ProxySettings settings) {
    this.settings = settings;
    rounds = settings.rounds();
    comparison = new Comparison(settings.contenders(), rounds.progress());
  }

  /** One that is up. */
  private record Running(Contender contender, ServerProcess process, Site site) {
    LoadAnswers load(Traffic traffic, double seconds) throws IOException, InterruptedException {
      return traffic.load().run(site.port(), seconds);
    }
  }

  /**
   * Measures everything with everybody that is there.
   *
   * @param services stay the caller's.
   */
  Comparison run(Services services) throws IOException, InterruptedException {
    final List<Contender> installed =
        settings.contenders().stream()
            .filter(each -> comparison.attendance.takesPart(each.name(), each::version))
            .toList();
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-compare")) {
      final ServerCertificate certificate = ServerCertificate.make(folder.path());
      for (Wire wire : settings.wires()) {
        for (Outcome outcome : settings.outcomes()) {
          compare(
              installed,
              new Site(
                  outcome,
                  wire,
                  NO_PORT,
                  services.of(wire).port,
                  certificate,
                  Files.createDirectory(folder.path().resolve(outcome + "-" + wire.name())),
                  rounds.cores()));
        }
      }
    }
    return comparison;
  }

  private void leaveOut(Contender contender, Site site, String why) {
    comparison.attendance.leaveOut(
        contender.name() + ", " + site.wire() + ", " + site.outcome(),
        why.replace(site.folder().toString(), "FOLDER"));
  }

  /**
   * @param site of all, without a port; each contender has a folder in its folder.
   */
  private void compare(List<Contender> installed, Site site)
      throws IOException, InterruptedException {
    final List<Running> running = new ArrayList<>();
    try {
      for (Contender contender : installed) {
        final Path own = Files.createDirectory(site.folder().resolve(contender.name()));
        start(contender, site.of(ServerProcess.freePort(), own), running);
      }
      if (running.isEmpty()) {
        return;
      }
      for (int keys : settings.keys()) {
        measureAll(running, site.outcome(), site.wire(), keys);
      }
    } finally {
      running.forEach(each -> each.process().close());
    }
  }

  private void start(Contender contender, Site site, List<Running> running)
      throws InterruptedException {
    final Running started;
    try {
      started = new Running(contender, contender.start(site), site);
    } catch (IOException e) {
      leaveOut(contender, site, e.getMessage());
      return;
    }
    running.add(started);
    try {
      comparison.setUp(
          contender.name(), site.wire(), setUp(started), contender.runsAs(started.process()));
      warmUp(started);
    } catch (IOException e) {
      stop(started, running, e.getMessage());
    }
  }

  private static String setUp(Running running) {
    final Site site = running.site();
    final String setUp = running.contender().setUp(site).strip();
    // The certificate's folder is a part of the contender's own.
    return setUp
        .replace(site.folder().toString(), "FOLDER")
        .replace(site.certificate().chain().getParent().toString(), "CERTIFICATES");
  }

  private void warmUp(Running running) throws IOException, InterruptedException {
    final Site site = running.site();
    rounds.tell("warm-up: %s, %s, %s", site.wire(), site.outcome(), running.contender().name());
    final int mostKeys = settings.keys().stream().mapToInt(Integer::intValue).max().orElseThrow();
    final Traffic traffic = Traffic.closed(site.wire(), mostKeys, settings.usualShape());
    // By requests too: on a machine that others use, time alone warms nothing up.
    final double most = rounds.warmUpSeconds() * site.wire().warmPerSecond();
    double done = 0;
    for (int i = 0; i < MOST_WARM_UPS && done < most; i++) {
      done += running.load(traffic, rounds.warmUpSeconds()).count();
    }
  }

  private void measureAll(List<Running> running, Outcome outcome, Wire wire, int keys)
      throws IOException, InterruptedException {
    for (Shape shape : settings.shapes()) {
      measure(running, new Cell(outcome, Traffic.closed(wire, keys, shape)));
    }
    if (!settings.fixedRate()) {
      return;
    }
    final Traffic usual = Traffic.closed(wire, keys, settings.usualShape());
    final double slowest = comparison.slowestPerSecond(new Cell(outcome, usual));
    final double fixed =
        Math.rint(Math.max(FIXED_SHARE * slowest, LEAST_REQUESTS / rounds.seconds()));
    measure(running, new Cell(outcome, usual.at(fixed)));
  }

  private void measure(List<Running> running, Cell cell) throws InterruptedException {
    for (int round = 1; round <= rounds.count(); round++) {
      for (Running each : List.copyOf(running)) {
        final String name = each.contender().name();
        try {
          final LoadFigures figures = measure(each, cell);
          comparison.figures.add(cell, name, figures);
          tell(cell, round, name, figures);
        } catch (IOException e) {
          stop(each, running, e.getMessage());
        }
      }
    }
  }

  // What others have shown by then is not lost for the one that fails.
  private void stop(Running failed, List<Running> running, String why) {
    failed.process().close();
    running.remove(failed);
    leaveOut(failed.contender(), failed.site(), why);
  }

  private void tell(Cell cell, int round, String name, LoadFigures figures) {
    rounds.tell(
        "%-10s %-6s %6d keys %5s in flight%s, round %d: %-13s %7.0f/s %6.2f us/req  p99 %.2f ms"
            + "  %.2f %% wrong",
        cell.traffic().wire(),
        cell.outcome(),
        cell.traffic().keys(),
        cell.traffic().inFlightText(),
        cell.traffic().open() ? ", fixed rate" : "",
        round,
        name,
        figures.perSecond(),
        figures.requestUs(),
        figures.p99Ms(),
        figures.wrongPercent());
  }

  private LoadFigures measure(Running running, Cell cell) throws IOException, InterruptedException {
    LoadFigures figures = null;
    for (int i = 0; i < ATTEMPTS && (figures == null || isToBeRepeated(figures)); i++) {
      settle(running, cell);
      figures =
          LoadFigures.measure(
              cell.traffic().load(),
              running.site().port(),
              rounds.seconds(),
              answers -> cell.traffic().wrongShare(cell.outcome(), answers),
              rounds.cores(),
              running.process().pid());
      if (!running.process().isAlive()) {
        throw new IOException(running.contender().name() + " has ended while it was measured");
      }
    }
    if (figures.count() == 0) {
      throw new IOException(running.contender().name() + ": no request was answered");
    }
    return figures;
  }

  /** Too much was wrong, or this machine has paused for as long as a round takes. */
  private static boolean isToBeRepeated(LoadFigures figures) {
    return figures.count() == 0 || figures.wrongPercent() > 100 * MOST_WRONG;
  }

  // Budgets come back: where one of many keys has not been asked for since, its next request
  // passes. They are spent before it counts.
  private void settle(Running running, Cell cell) throws IOException, InterruptedException {
    if (cell.outcome() == Outcome.PASS || cell.traffic().keys() == 1) {
      return;
    }
    final Traffic closed = cell.traffic().at(LocalLoad.CLOSED);
    final double seconds = Math.min(SETTLING_SECONDS, rounds.seconds());
    for (int i = 0; i < MOST_SETTLING; i++) {
      final LoadAnswers answers = running.load(closed, seconds);
      if (closed.wrongShare(cell.outcome(), answers) <= MOST_WRONG) {
        return;
      }
    }
  }

  /**
   * A comparison of proxies.
   *
   * @param shapes of requests at once, ascending; each is a cell.
   * @param fixedRate whether there is a cell at a fixed rate too.
   */
  record ProxySettings(
      List<Outcome> outcomes,
      List<Integer> keys,
      List<Wire> wires,
      List<Contender> contenders,
      List<Shape> shapes,
      boolean fixedRate,
      Rounds rounds) {
    /** Among the shapes, the one of warm-ups and of the fixed rate. */
    Shape usualShape() {
      return shapes.get(shapes.size() / 2);
    }

    /** About how long it takes if every contender takes part in everything. */
    double estimatedSeconds() {
      final int groups = outcomes.size() * wires.size() * contenders.size();
      final int measurements = keys.size() * rounds.count() * (shapes.size() + (fixedRate ? 1 : 0));
      return groups * (rounds.warmUpSeconds() + measurements * (rounds.seconds() + 0.2));
    }
  }
}
