package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Limit;
import org.junit.jupiter.api.Test;

class LimitTablesTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void takesNoMemoryForRingsThatNobodyNeeds() {
    try (LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 16_384, 0), 0)) {
      assertNull(tables.rings());
      assertEquals("limit table: 0.0 MiB for 1,000 keys", tables.toString());
    }
  }

  @Test
  void keepsLimitsWithRingsApartFromThoseOfOneWord() {
    try (LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 16_384, 0), 16)) {
      assertSame(tables.words(), tables.of(Limit.gcra(1, SECOND, 1)));
      assertSame(tables.words(), tables.of(Limit.slidingCounter(1, SECOND)));
      assertSame(tables.rings(), tables.of(Limit.slidingLog(16, SECOND)));
      assertSame(tables.rings(), tables.of(Limit.bucketRing(1, SECOND, 10)));
      assertNotNull(tables.rings());
      assertEquals(32_768, tables.rings().slotCount());
      assertEquals(
          "limit table: 0.0 MiB for 1,000 keys; rings: 4.5 MiB for 16,384 keys of 16 cells",
          tables.toString());
    }
  }

  @Test
  void knowsHowManyKeysFitOneTable() {
    for (int cells = 16; cells <= Limit.MAX_CELL_COUNT; cells *= 2) {
      int most = LimitTables.maxRingKeys(cells);
      assertTrue(
          LimitTables.ringBytes(most, cells) <= LimitTables.MAX_RING_BYTES, cells + " cells");
      assertTrue(
          LimitTables.ringBytes(most + most / 4, cells) > LimitTables.MAX_RING_BYTES,
          cells + " cells");
    }
  }

  @Test
  void roundsTheLengthOfARingUp() {
    assertEquals(128, new AdmissionSettings(1, 1, 100).ringCells(5));
    assertEquals(128, new AdmissionSettings(1, 1, 128).ringCells(0));
    assertEquals(64, new AdmissionSettings(1, 1, 0).ringCells(64));
    assertEquals(0, new AdmissionSettings(1, 1, 0).ringCells(0));
    assertEquals(1, new AdmissionSettings(1, 1, 1).ringCells(0));
  }
}
