package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SidecarFiguresTest {
  private static final String METRICS =
      """
      # TYPE weir_store_checks_total counter
      weir_store_checks_total 7
      weir_store_batches_total 5
      weir_store_lease_decisions_total{by="hand"} 100
      weir_store_lease_decisions_total{by="store"} 20
      weir_store_lease_decisions_total{by="spacing"} 4
      weir_store_lease_units_died_total 2
      """;

  @Test
  void areReadFromMetricsByTheirWholeNames() {
    assertEquals(new SidecarFigures(7, 5, 100, 4, 2), SidecarFigures.parse(METRICS));
    assertEquals(104, SidecarFigures.parse(METRICS).local());
  }

  @Test
  void metricsThatLackOneAreNotTakenForZero() {
    assertThrows(
        IllegalArgumentException.class,
        () -> SidecarFigures.parse(METRICS.replace("weir_store_batches_total 5\n", "")));
  }
}
