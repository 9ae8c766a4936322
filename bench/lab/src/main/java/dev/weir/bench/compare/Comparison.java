package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.rounds.Attendance;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** All that was measured of proxies, and why the rest was not. */
final class Comparison {
  final RoundTable<Cell, LoadFigures> figures = new RoundTable<>();
  private final List<String> peers;
  final Map<SetUp, String> setUps = new LinkedHashMap<>();
  final Attendance attendance;

  /**
   * @param contenders of which some are those with which Weir is compared.
   */
  Comparison(List<Contender> contenders, Consumer<String> progress) {
    peers = contenders.stream().filter(Contender::isPeer).map(Contender::name).toList();
    attendance = new Attendance(progress);
  }

  /** All rounds of all contenders under one traffic. */
  record Cell(Outcome outcome, Traffic traffic) {}

  record SetUp(String name, Wire wire) {}

  /**
   * Notes how a contender is set up; that of the first case on a wire stays.
   *
   * @param command empty if the set-up says it all.
   */
  void setUp(String name, Wire wire, String text, String command) {
    setUps.putIfAbsent(
        new SetUp(name, wire), command.isEmpty() ? text : text + "\n# runs as: " + command);
  }

  /** To the least among the peers, of the same round. */
  Spread ratioToLeast(Cell cell, String contender, ToDoubleFunction<LoadFigures> figure) {
    return Spread.ratio(figures.rounds(cell, contender, figure), best(cell, figure, 1));
  }

  /** To the most among the peers, of the same round. */
  Spread ratioToMost(Cell cell, String contender, ToDoubleFunction<LoadFigures> figure) {
    return Spread.ratio(figures.rounds(cell, contender, figure), best(cell, figure, -1));
  }

  private double[] best(Cell cell, ToDoubleFunction<LoadFigures> figure, int sign) {
    double[] best = {};
    for (String peer : peers) {
      final double[] theirs = figures.rounds(cell, peer, figure);
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
    return figures.names(cell).stream()
        .mapToDouble(name -> figures.spread(cell, name, LoadFigures::perSecond).median())
        .min()
        .orElse(0);
  }
}
