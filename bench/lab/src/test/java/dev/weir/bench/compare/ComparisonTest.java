package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.compare.Comparison.Cell;
import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.Spread;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Cell CELL =
      new Cell(Outcome.PASS, Traffic.closed(Wire.HTTP1, 1, new Shape(16, 16)));

  private final Comparison comparison = new Comparison(Contenders.ALL, step -> {});

  private static LoadFigures figures(double perSecond, double requestUs, double wrongPercent) {
    return new LoadFigures(1, perSecond, requestUs, 1, 1, 1, 1, 1, 1, 1, wrongPercent);
  }

  private void add(String name, double... requestUs) {
    for (double us : requestUs) {
      comparison.figures.add(CELL, name, figures(1000 / us, us, 0));
    }
  }

  @Test
  void theBetterPeerIsThatOfEachRound() {
    add("nginx", 10, 40);
    add("haproxy", 20, 20);
    add("weir-epoll", 5, 30);
    assertEquals(
        new Spread(1, 0.5, 1.5),
        comparison.ratioToLeast(CELL, "weir-epoll", LoadFigures::requestUs));
    assertEquals(
        1 / 1.5, comparison.ratioToMost(CELL, "weir-epoll", LoadFigures::perSecond).least(), 1e-9);
    assertEquals(
        new Spread(0.625, 0.5, 0.75),
        comparison.figures.ratio(CELL, "weir-epoll", "nginx", LoadFigures::requestUs));
  }

  @Test
  void weirIsNoPeerOfItself() {
    add("weir-io_uring", 10);
    assertEquals(
        "-", comparison.ratioToLeast(CELL, "weir-io_uring", LoadFigures::requestUs).text(2));
  }

  @Test
  void theFixedRateIsMeasuredByTheSlowest() {
    add("nginx", 10, 20, 40);
    add("haproxy", 5, 100, 10);
    assertEquals(50, comparison.slowestPerSecond(CELL));
  }

  @Test
  void wrongAnswersAreToldBesideTheName() {
    comparison.figures.add(CELL, "nginx", figures(1, 1, 0.9));
    comparison.figures.add(CELL, "haproxy", figures(1, 1, 1.1));
    final String tables = CompareReport.tables(comparison);
    assertTrue(tables.contains("| nginx "), tables);
    assertTrue(tables.contains("| haproxy (1.1 % wrong) "), tables);
  }
}
