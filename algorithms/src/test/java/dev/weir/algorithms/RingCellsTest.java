package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The rulers of the rings, in literal numbers. */
class RingCellsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int SLOTS = 4;
  private static final int CELLS = 4;

  private final UnsafeBuffer slots = new UnsafeBuffer(new byte[SLOTS * SlotLayout.SLOT_BYTES]);
  private final UnsafeBuffer cells = new UnsafeBuffer(new byte[SLOTS * CELLS * Long.BYTES]);
  private final LimitTable table =
      new LimitTable(
          TableMemory.of(
              slots,
              cells,
              new UnsafeBuffer(new byte[SLOTS * SlotLayout.SLOT_BYTES]),
              new UnsafeBuffer(new byte[SLOTS * CELLS * Long.BYTES])));
  private final Decision out = new Decision();

  /** The word of the first slot; key 0 lies there. */
  private long word() {
    return slots.getLong(SlotLayout.STATE_OFFSET);
  }

  private long cell(int index) {
    return cells.getLong(index * Long.BYTES);
  }

  @Test
  void aLogHasLeavingTimesWithTheirLapAndCountsInItsWord() {
    final Limit log = Limit.slidingLog(4, SECOND);
    assertTrue(table.check(0, log, 3, 10 * SECOND, out));
    assertEquals(22_000_000_001L, cell(0));
    assertEquals(22_000_000_001L, cell(2));
    assertEquals(0, cell(3));
    // Grain 4, 11 s / 2^29 = 20, three units.
    assertEquals(0x4000_0000_0000_0000L + (20L << 30) + 3, word());
    assertTrue(table.check(0, log, 2, 12 * SECOND, out));
    assertEquals(26_000_000_001L, cell(3));
    assertEquals(26_000_000_000L, cell(0));
    assertEquals(0x4000_0000_0000_0000L + (24L << 30) + 5, word());
  }

  @Test
  void aRingHasCountsUnderTheNumberOfTheirBucketAndTheTotalInItsWord() {
    final Limit ring = Limit.bucketRing(9, 4 * SECOND, 4);
    assertTrue(table.check(0, ring, 2, 10 * SECOND, out));
    assertEquals(0, cell(2));
    // Grain 4, leaves at 14 s: 14 s / 2^29 = 26; a total of 2.
    assertEquals(0x4000_0000_0000_0000L + (26L << 30) + 2, word());
    assertTrue(table.check(0, ring, 3, 11 * SECOND, out));
    assertEquals((11L << 29) + 2, cell(2));
    assertEquals(0x4000_0000_0000_0000L + (27L << 30) + 5, word());
    assertTrue(table.check(0, ring, 1, 14 * SECOND, out));
    assertEquals((12L << 29) + 3, cell(3));
    assertEquals(0x4000_0000_0000_0000L + (33L << 30) + 4, word());
  }
}
