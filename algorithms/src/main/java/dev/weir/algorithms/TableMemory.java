package dev.weir.algorithms;

import static dev.weir.algorithms.LimitTable.MAX_SLOT_COUNT;
import static dev.weir.algorithms.LimitTable.MIN_SLOT_COUNT;
import static dev.weir.algorithms.SlotLayout.SLOT_BYTES;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The memory of a {@link LimitTable}: two pieces outside the heap. One is cut into the slots of
 * keys, the slots of shared budgets, marks, counters and weights; the other one holds the rings.
 */
record TableMemory(
    Slots slots,
    Slots overflow,
    OverflowMarks marks,
    Counters counters,
    ZeroedMemory allocated,
    ZeroedMemory allocatedCells) {
  /** Limits whose keys may overflow at a time, each with one shared budget. */
  private static final int MAX_OVERFLOW_SLOT_COUNT = 1024;

  /** Shared budgets of a table with rings, which take more memory each. */
  private static final int MAX_RINGED_OVERFLOW_SLOT_COUNT = 64;

  private static final int CACHE_LINE_BYTES = 64;

  private static final int MAX_BUFFER_BYTES = Integer.MAX_VALUE - CACHE_LINE_BYTES;

  /**
   * @throws IllegalArgumentException as {@link LimitTable#LimitTable(int, int)} says.
   */
  static TableMemory allocate(int slotCount, int cellsPerKey) {
    checkCounts(slotCount, cellsPerKey);
    final int overflowCount =
        Math.min(
            slotCount, cellsPerKey == 0 ? MAX_OVERFLOW_SLOT_COUNT : MAX_RINGED_OVERFLOW_SLOT_COUNT);
    final int slotsBytes = slotCount * SLOT_BYTES;
    final int overflowBytes = overflowCount * SLOT_BYTES;
    final int marksBytes = OverflowMarks.bytes(slotCount);
    // A charge that meets the wrong key after an eviction (see Slots) would spoil that key's ring.
    final int weightsBytes = cellsPerKey == 0 ? slotCount * EvictionWeight.BYTES : 0;
    final int bytes =
        slotsBytes + Counters.COUNTERS_BYTES + overflowBytes + marksBytes + weightsBytes;
    final long cellsBytes = (long) cellsPerKey * Long.BYTES * slotCount;
    final long overflowCellsBytes = (long) cellsPerKey * Long.BYTES * overflowCount;
    if (cellsBytes + overflowCellsBytes > MAX_BUFFER_BYTES) {
      throw new IllegalArgumentException(
          "cellsPerKey: "
              + cellsPerKey
              + " for "
              + slotCount
              + " slots, "
              + (cellsBytes + overflowCellsBytes)
              + " bytes (expected: at most "
              + MAX_BUFFER_BYTES
              + ")");
    }
    final ZeroedMemory allocated = allocateBytes("slotCount: " + slotCount, bytes);
    final ZeroedMemory allocatedCells;
    try {
      allocatedCells =
          allocateBytes("cellsPerKey: " + cellsPerKey, (int) (cellsBytes + overflowCellsBytes));
    } catch (IllegalArgumentException e) {
      allocated.free();
      throw e;
    }
    final int overflowStart = slotsBytes + Counters.COUNTERS_BYTES;
    final int marksStart = overflowStart + overflowBytes;
    final int weightsStart = marksStart + marksBytes;
    final Counters counters = new Counters(allocated.slice(slotsBytes, Counters.COUNTERS_BYTES));
    return new TableMemory(
        new Slots(
            allocated.slice(0, slotsBytes),
            allocatedCells.slice(0, (int) cellsBytes),
            allocated.slice(weightsStart, weightsBytes),
            counters),
        new Slots(
            allocated.slice(overflowStart, overflowBytes),
            allocatedCells.slice((int) cellsBytes, (int) overflowCellsBytes),
            new UnsafeBuffer(0, 0),
            counters),
        new OverflowMarks(allocated.slice(marksStart, marksBytes)),
        counters,
        allocated,
        allocatedCells);
  }

  /** Memory of a test's own, zeroed; cells of capacity 0 for a table without rings. */
  static TableMemory of(
      UnsafeBuffer slotsMemory,
      UnsafeBuffer slotsCells,
      UnsafeBuffer overflowMemory,
      UnsafeBuffer overflowCells) {
    final Counters counters = new Counters(new UnsafeBuffer(new byte[Counters.COUNTERS_BYTES]));
    final int slotCount = slotsMemory.capacity() / SLOT_BYTES;
    final UnsafeBuffer weights =
        new UnsafeBuffer(
            new byte[slotsCells.capacity() == 0 ? slotCount * EvictionWeight.BYTES : 0]);
    final Slots slots = new Slots(slotsMemory, slotsCells, weights, counters);
    return new TableMemory(
        slots,
        new Slots(overflowMemory, overflowCells, new UnsafeBuffer(0, 0), counters),
        new OverflowMarks(new UnsafeBuffer(new byte[OverflowMarks.bytes(slotCount)])),
        counters,
        null,
        null);
  }

  private static void checkCounts(int slotCount, int cellsPerKey) {
    if (slotCount < MIN_SLOT_COUNT
        || slotCount > MAX_SLOT_COUNT
        || Integer.bitCount(slotCount) != 1) {
      throw new IllegalArgumentException(
          "slotCount: "
              + slotCount
              + " (expected: a power of two from "
              + MIN_SLOT_COUNT
              + " to "
              + MAX_SLOT_COUNT
              + ")");
    }
    if (cellsPerKey < 0
        || cellsPerKey > Limit.MAX_CELL_COUNT
        || Integer.bitCount(cellsPerKey) > 1) {
      throw new IllegalArgumentException(
          "cellsPerKey: "
              + cellsPerKey
              + " (expected: 0, or a power of two up to "
              + Limit.MAX_CELL_COUNT
              + ")");
    }
  }

  private static ZeroedMemory allocateBytes(String what, int bytes) {
    try {
      return ZeroedMemory.allocate(bytes, CACHE_LINE_BYTES);
    } catch (OutOfMemoryError e) {
      throw new IllegalArgumentException(
          what + ", " + bytes + " bytes (expected: no more than the system gives)", e);
    }
  }

  /** Frees what was allocated. A later use fails its bounds check, where that is on. */
  void close() {
    slots.close();
    overflow.close();
    allocated.free();
    allocatedCells.free();
  }
}
