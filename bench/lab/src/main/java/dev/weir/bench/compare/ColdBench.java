package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerCertificate;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.RoundTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Starts each contender many times, in turns, and measures what its first clients get. */
final class ColdBench {
  /** Longer than a sidecar warms up while nobody comes. */
  static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

  /** Connections: few, whose requests seldom wait for one another, and many, which saturate. */
  static final List<Shape> SHAPES = List.of(Shape.parse("2"), Shape.parse("32"));

  private static final int STEADY_SECONDS = 3;

  private final List<Contender> contenders;
  private final int rounds;
  private final double secondLength;
  private final Cores cores;
  private final Consumer<String> progress;
  private final RoundTable<Case, ColdStart.Figures> starts = new RoundTable<>();
  private final RoundTable<Shape, ColdStart.Second> steady = new RoundTable<>();
  private final Map<String, String> versions = new LinkedHashMap<>();
  private final Map<String, String> commands = new LinkedHashMap<>();
  private final List<String> leftOut = new ArrayList<>();
  private int siteCount;

  /**
   * When clients come, and how many.
   *
   * @param isAtOnce or after {@link #PAUSE_NS}.
   */
  record Case(Shape shape, boolean isAtOnce) {}

  /**
   * @param secondLength of a second of load: 1; less in tests.
   */
  ColdBench(
      List<Contender> contenders,
      int rounds,
      double secondLength,
      Cores cores,
      Consumer<String> progress) {
    this.contenders = contenders;
    this.rounds = rounds;
    this.secondLength = secondLength;
    this.cores = cores;
    this.progress = progress;
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
          new Site(Outcome.PASS, Wire.HTTP1, 0, upstream.port(), unused, folder.path(), cores);
      final List<Contender> installed = installed();
      for (int round = 1; round <= rounds; round++) {
        for (Contender contender : List.copyOf(installed)) {
          try {
            measure(contender, site, round);
          } catch (IOException e) {
            installed.remove(contender);
            leaveOut(contender, e.getMessage().replace(folder.path().toString(), "FOLDER"));
          }
        }
      }
    }
  }

  private List<Contender> installed() {
    final List<Contender> installed = new ArrayList<>();
    for (Contender contender : contenders) {
      try {
        versions.put(contender.name(), contender.version());
        installed.add(contender);
      } catch (IOException e) {
        leaveOut(contender, e.getMessage());
      }
    }
    return installed;
  }

  private void leaveOut(Contender contender, String why) {
    leftOut.add(contender.name() + ": " + why);
    progress.accept("left out: " + contender.name() + ": " + why);
  }

  private void measure(Contender contender, Site site, int round)
      throws IOException, InterruptedException {
    for (Shape shape : SHAPES) {
      final boolean isLargest = shape == SHAPES.get(SHAPES.size() - 1);
      start(contender, site, new Case(shape, true), isLargest, isLargest && round == rounds);
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
        new ColdStart(started, site.of(ServerProcess.freePort(), folder), adminPort, secondLength);
    try {
      commands.put(contender.name(), started.runsAs(start.process()));
      final ColdStart.Figures figures =
          start.measure(when.shape(), when.isAtOnce() ? 0 : PAUSE_NS, fills);
      starts.add(when, contender.name(), figures);
      progress.accept(line(contender, when, figures));
      if (isLast) {
        for (Shape shape : SHAPES) {
          for (ColdStart.Second second : start.steady(shape, STEADY_SECONDS)) {
            steady.add(shape, contender.name(), second);
          }
        }
      }
    } finally {
      start.end();
    }
  }

  private static String line(Contender contender, Case when, ColdStart.Figures figures) {
    final ColdStart.Second first = figures.seconds().get(0);
    return String.format(
        Locale.ROOT,
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

  /** Starts, by when clients came. */
  RoundTable<Case, ColdStart.Figures> starts() {
    return starts;
  }

  /** Seconds of a contender that is warm. */
  RoundTable<Shape, ColdStart.Second> steady() {
    return steady;
  }

  Map<String, String> versions() {
    return versions;
  }

  /** What ran, where that is not what was asked for; by the contenders' names. */
  Map<String, String> commands() {
    return commands;
  }

  /** Who was not measured, or not to the end, and why. */
  List<String> leftOut() {
    return leftOut;
  }
}
