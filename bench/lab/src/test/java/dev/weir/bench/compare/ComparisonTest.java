package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.rounds.Spread;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Cell CELL =
      new Cell(Outcome.PASS, new Traffic(Wire.HTTP1, 1, new Shape(16, 16), Traffic.CLOSED));

  private final Comparison comparison = new Comparison();

  private void add(String name, double... requestUs) {
    for (double us : requestUs) {
      comparison.add(CELL, name, new RoundFigures(1000 / us, us, 1, 1, 1, 1, 1, 1, 0));
    }
  }

  @Test
  void theBetterPeerIsThatOfEachRound() {
    comparison.installed(new Nginx(), "");
    comparison.installed(new HaProxy(), "");
    add("nginx", 10, 40);
    add("haproxy", 20, 20);
    add("weir-epoll", 5, 30);
    assertEquals(
        new Spread(1, 0.5, 1.5),
        comparison.ratioToLeast(CELL, "weir-epoll", RoundFigures::requestUs));
    assertEquals(
        1 / 1.5, comparison.ratioToMost(CELL, "weir-epoll", RoundFigures::perSecond).least(), 1e-9);
    assertEquals(
        new Spread(0.625, 0.5, 0.75),
        comparison.ratio(CELL, "weir-epoll", "nginx", RoundFigures::requestUs));
  }

  @Test
  void weirIsNoPeerOfItself() {
    comparison.installed(Contenders.ALL.get(2), "");
    add("weir-io_uring", 10);
    assertEquals(
        "-", comparison.ratioToLeast(CELL, "weir-io_uring", RoundFigures::requestUs).text(2));
  }

  @Test
  void theFixedRateIsMeasuredByTheSlowest() {
    add("nginx", 10, 20, 40);
    add("haproxy", 5, 100, 10);
    assertEquals(50, comparison.slowestPerSecond(CELL));
  }

  @Test
  void wrongAnswersAreToldBesideTheName() {
    comparison.add(CELL, "nginx", new RoundFigures(1, 1, 1, 1, 1, 1, 1, 1, 0.9));
    comparison.add(CELL, "haproxy", new RoundFigures(1, 1, 1, 1, 1, 1, 1, 1, 1.1));
    final String tables = new ProxyTables(comparison).markdown();
    assertTrue(tables.contains("| nginx "), tables);
    assertTrue(tables.contains("| haproxy (1.1 % wrong) "), tables);
  }
}
