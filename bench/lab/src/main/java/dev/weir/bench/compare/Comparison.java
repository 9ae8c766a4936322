package dev.weir.bench.compare;

import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Spread;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** All that was measured, and why the rest was not. Rounds of a cell are in order of time. */
final class Comparison {
  private final RoundTable<Cell, RoundFigures> figures = new RoundTable<>();
  private final Set<String> peers = new LinkedHashSet<>();
  private final Map<String, String> versions = new LinkedHashMap<>();
  private final Map<SetUp, String> setUps = new LinkedHashMap<>();
  private final Set<String> leftOut = new LinkedHashSet<>();

  /** A contender on a wire. */
  record SetUp(String name, Wire wire) {}

  /** Takes a contender in. */
  void installed(Contender contender, String version) {
    versions.put(contender.name(), version);
    if (contender.isPeer()) {
      peers.add(contender.name());
    }
  }

  void setUp(String name, Wire wire, String text) {
    setUps.putIfAbsent(new SetUp(name, wire), text);
  }

  /**
   * @param command empty if the set-up says it all.
   */
  void runsAs(String name, Wire wire, String command) {
    if (!command.isEmpty()) {
      setUps.computeIfPresent(
          new SetUp(name, wire),
          (any, setUp) -> setUp.contains("\n# ") ? setUp : setUp + "\n# runs as: " + command);
    }
  }

  void leftOut(String what, String why) {
    leftOut.add(what + ": " + why);
  }

  void add(Cell cell, String contender, RoundFigures round) {
    figures.add(cell, contender, round);
  }

  /** By the contenders' names. */
  Map<String, String> versions() {
    return versions;
  }

  /** How each is set up to pass. */
  Map<SetUp, String> setUps() {
    return setUps;
  }

  Set<String> leftOut() {
    return leftOut;
  }

  List<Cell> cells() {
    return figures.cells();
  }

  /** The contenders of which there are figures in a cell. */
  List<String> contenders(Cell cell) {
    return figures.names(cell);
  }

  /** Round by round; none if it was not measured. */
  double[] rounds(Cell cell, String contender, ToDoubleFunction<RoundFigures> figure) {
    return figures.rounds(cell, contender, figure);
  }

  Spread spread(Cell cell, String contender, ToDoubleFunction<RoundFigures> figure) {
    return figures.spread(cell, contender, figure);
  }

  /** To another contender's of the same round. */
  Spread ratio(Cell cell, String contender, String to, ToDoubleFunction<RoundFigures> figure) {
    return figures.ratio(cell, contender, to, figure);
  }

  /** To the least among the peers, of the same round. */
  Spread ratioToLeast(Cell cell, String contender, ToDoubleFunction<RoundFigures> figure) {
    return Spread.ratio(rounds(cell, contender, figure), best(cell, figure, 1));
  }

  /** To the most among the peers, of the same round. */
  Spread ratioToMost(Cell cell, String contender, ToDoubleFunction<RoundFigures> figure) {
    return Spread.ratio(rounds(cell, contender, figure), best(cell, figure, -1));
  }

  private double[] best(Cell cell, ToDoubleFunction<RoundFigures> figure, int sign) {
    double[] best = {};
    for (String peer : peers) {
      final double[] theirs = rounds(cell, peer, figure);
      if (best.length == 0) {
        best = theirs;
      }
      for (int i = 0; i < Math.min(best.length, theirs.length); i++) {
        best[i] = sign * Math.min(sign * best[i], sign * theirs[i]);
      }
    }
    return best;
  }

  /** The least median rate of those in a cell; 0 if there are none. */
  double slowestPerSecond(Cell cell) {
    return contenders(cell).stream()
        .mapToDouble(name -> spread(cell, name, RoundFigures::perSecond).median())
        .min()
        .orElse(0);
  }
}
