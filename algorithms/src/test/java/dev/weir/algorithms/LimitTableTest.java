package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitTableTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 100 * SECOND;
  private static final Limit TEN_PER_SECOND = Limit.gcra(10, SECOND, 10);

  private static final UnsafeBuffer NO_CELLS = new UnsafeBuffer(new byte[0]);

  private final LimitTable table = new LimitTable(64);
  private final LimitTable tiny = new LimitTable(4);
  private final Decision out = new Decision();

  @AfterEach
  void close() {
    table.close();
    tiny.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1, 2, 3, 5, 48, (1 << 26) + 1, 1 << 27, Integer.MAX_VALUE})
  void refusesASlotCountOutOfRange(int slotCount) {
    final IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> new LimitTable(slotCount));
    assertEquals(
        "slotCount: " + slotCount + " (expected: a power of two from 4 to 67108864)",
        thrown.getMessage());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void refusesACostBelowOne(long cost) {
    final IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class, () -> table.check(1, TEN_PER_SECOND, cost, NOW, out));
    assertEquals("cost: " + cost + " (expected: 1 or more)", thrown.getMessage());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Limit.MAX_TIME_NS + 1})
  void refusesATimeOutOfRange(long nowNs) {
    final IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class, () -> table.peek(1, TEN_PER_SECOND, 1, nowNs, out));
    assertEquals(
        "nowNs: " + nowNs + " (expected: from 1 to 288230376151711744)", thrown.getMessage());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, 63, 64, Long.MIN_VALUE, Long.MAX_VALUE})
  void passesExactlyTheBurstUnderAnyKey(long key) {
    for (int i = 9; i >= 0; i--) {
      assertTrue(table.check(key, TEN_PER_SECOND, 1, NOW, out));
      assertEquals(i, out.remaining());
    }
    assertFalse(table.check(key, TEN_PER_SECOND, 1, NOW, out));
    assertEquals(SECOND / 10, out.retryAfterNs());
    assertEquals(NOW + SECOND, out.resetAtNs());
  }

  @Test
  void tellsTheTimeOfTheFirstAndTheLastNanosecond() {
    assertTrue(table.check(1, TEN_PER_SECOND, 10, 1, out));
    assertFalse(table.check(1, TEN_PER_SECOND, 1, SECOND / 10, out));
    assertEquals(1, out.retryAfterNs());
    assertTrue(table.check(1, TEN_PER_SECOND, 1, SECOND / 10 + 1, out));
    final Limit longest = Limit.gcra(1, Limit.MAX_TIME_NS - 1, 1);
    assertTrue(table.check(2, longest, 1, Limit.MAX_TIME_NS, out));
    assertFalse(table.check(2, longest, 1, Limit.MAX_TIME_NS, out));
    assertEquals(Limit.MAX_TIME_NS - 1, out.retryAfterNs());
  }

  @Test
  void aCostAboveTheBurstNeverPassesAndTakesNoSlot() {
    assertFalse(table.check(1, TEN_PER_SECOND, 11, NOW, out));
    assertEquals(Decision.NEVER, out.retryAfterNs());
    assertEquals(10, out.remaining());
    assertEquals(0, table.insertedCount());
  }

  @Test
  void aRefusedCheckChangesNoByte() {
    final UnsafeBuffer memory = new UnsafeBuffer(new byte[64 * SlotLayout.SLOT_BYTES]);
    final LimitTable onHeap =
        new LimitTable(TableMemory.of(memory, NO_CELLS, new UnsafeBuffer(new byte[64]), NO_CELLS));
    assertTrue(onHeap.check(1, TEN_PER_SECOND, 9, NOW, out));
    final byte[] before = memory.byteArray().clone();
    assertFalse(onHeap.check(1, TEN_PER_SECOND, 2, NOW, out));
    assertFalse(onHeap.check(2, TEN_PER_SECOND, 11, NOW, out));
    assertTrue(onHeap.peek(1, TEN_PER_SECOND, 1, NOW, out));
    assertTrue(onHeap.peek(3, TEN_PER_SECOND, 1, NOW, out));
    assertEquals(new UnsafeBuffer(before), memory);
  }

  @Test
  void aClockThatStepsBackGivesNothingBack() {
    assertTrue(table.check(1, TEN_PER_SECOND, 10, NOW, out));
    assertFalse(table.check(1, TEN_PER_SECOND, 1, NOW - SECOND / 2, out));
    assertEquals(0, out.remaining());
    assertEquals(SECOND / 2 + SECOND / 10, out.retryAfterNs());
    assertTrue(table.check(1, TEN_PER_SECOND, 1, NOW + SECOND / 10, out));
  }

  @Test
  void grantsWhatIsLeft() {
    assertEquals(7, Grants.upTo(table, 1, TEN_PER_SECOND, 7, NOW, out));
    assertEquals(3, Grants.upTo(table, 1, TEN_PER_SECOND, 7, NOW, out));
    assertEquals(0, Grants.upTo(table, 1, TEN_PER_SECOND, 7, NOW, out));
    assertFalse(out.allowed());
    assertEquals(SECOND / 10, out.retryAfterNs());
    assertEquals(10, Grants.upTo(table, 2, TEN_PER_SECOND, Long.MAX_VALUE, NOW, out));
  }

  @Test
  void everyKeyOfAFullWindowHasItsOwnSlot() {
    for (long key = 0; key < 32; key++) {
      assertTrue(table.check(key << 32, TEN_PER_SECOND, 10, NOW, out));
      assertFalse(out.shared());
    }
    assertEquals(32, table.occupancy(NOW));
    assertEquals(32, table.insertedCount());
    for (long key = 0; key < 32; key++) {
      assertFalse(table.check(key << 32, TEN_PER_SECOND, 1, NOW, out));
    }
  }

  @Test
  void aWindowHasThirtyTwoSlotsWhereverItStartsAndWrapsAround() {
    final Slots slots = new Slots(new UnsafeBuffer(new byte[64 * 16]), NO_CELLS, NO_CELLS, null);
    for (long key = 0; key < 64; key++) {
      final Set<Integer> window = new HashSet<>();
      for (int position = 0; position < Slots.WINDOW; position++) {
        final int slot = slots.probe(key, position);
        assertTrue(slot >= 0 && slot < 64);
        window.add(slot);
      }
      assertEquals(slots.home(key), slots.probe(key, 0));
      assertEquals(Slots.WINDOW, window.size());
    }
  }

  @Test
  void keysThatFindNoRoomShareOneBudgetAndNoneIsEvicted() {
    fillTiny();
    int passed = 0;
    for (long key = 100; key < 200; key++) {
      passed += tiny.check(key, TEN_PER_SECOND, 1, NOW, out) ? 1 : 0;
      assertTrue(out.shared());
    }
    assertEquals(10, passed);
    assertEquals(100, tiny.overflowCount());
    for (long key = 0; key < 4; key++) {
      assertFalse(tiny.check(key, TEN_PER_SECOND, 1, NOW, out), "evicted");
    }
  }

  @ParameterizedTest
  @CsvSource({"0.5, 0", "0.6, 50", "0.75, 4000"})
  void nearlyEveryKeyFindsRoomUpToSixtyPercent(double load, long mostOverflows) {
    final int slotCount = 1 << 20;
    final SplittableRandom random = new SplittableRandom(3);
    try (LimitTable large = new LimitTable(slotCount)) {
      for (int i = 0; i < load * slotCount; i++) {
        large.check(random.nextLong(), TEN_PER_SECOND, 1, NOW, out);
      }
      assertTrue(large.evictedCount() <= mostOverflows, large.evictedCount() + " gave way");
      assertEquals(0, large.overflowCount());
    }
  }

  @Test
  void keysForSixTenthsOfTheSlotsFindRoom() {
    final int keys = 1_250_000;
    final SplittableRandom random = new SplittableRandom(7);
    final SplittableRandom again = new SplittableRandom(7);
    try (LimitTable large = new LimitTable(1 << 21)) {
      for (int i = 0; i < keys; i++) {
        assertTrue(large.check(random.nextLong(), TEN_PER_SECOND, 10, NOW, out) || out.shared());
      }
      assertEquals(keys, large.occupancy(NOW) + large.overflowCount());
      assertTrue(large.overflowCount() < keys / 10_000, large.overflowCount() + " without a slot");
      int refused = 0;
      for (int i = 0; i < keys; i++) {
        refused += large.check(again.nextLong(), TEN_PER_SECOND, 1, NOW, out) ? 0 : 1;
      }
      assertEquals(keys, refused);
    }
  }

  @Test
  void limitsOverflowApart() {
    fillTiny();
    assertTrue(tiny.check(100, TEN_PER_SECOND, 10, NOW, out));
    assertFalse(tiny.check(101, TEN_PER_SECOND, 1, NOW, out));
    assertTrue(tiny.check(102, Limit.gcra(5, SECOND, 5), 5, NOW, out));
  }

  @Test
  void aKeyThatGetsItsSlotAfterAllInheritsTheSharedDebt() {
    fillTiny();
    assertTrue(tiny.check(100, TEN_PER_SECOND, 6, NOW, out));
    assertTrue(tiny.reset(3, NOW - 2 * SECOND));
    assertTrue(tiny.peek(100, TEN_PER_SECOND, 4, NOW, out));
    assertFalse(tiny.check(100, TEN_PER_SECOND, 5, NOW, out));
    assertTrue(out.shared());
    assertTrue(tiny.check(100, TEN_PER_SECOND, 4, NOW, out));
    assertFalse(out.shared());
    assertEquals(0, out.remaining());
  }

  @Test
  void aCrowdedWindowDoesNotMakeNewcomersElsewherePay() {
    try (LimitTable two = new LimitTable(4096)) {
      long key = 0;
      while (two.overflowCount() == 0) {
        two.check(key++ << 32, TEN_PER_SECOND, 10, NOW, out);
      }
      assertFalse(two.check(key << 32, TEN_PER_SECOND, 1, NOW, out), "shared budget not used up");
      assertTrue(two.check(2048, TEN_PER_SECOND, 10, NOW, out));
      assertFalse(out.shared());
    }
  }

  @Test
  void anExpiredSlotIsReusedOnceTheGraceIsOver() {
    fillTiny();
    final long whole = NOW + SECOND;
    assertTrue(tiny.check(100, TEN_PER_SECOND, 1, whole + SlotLayout.GRACE_NS, out));
    assertTrue(out.shared());
    assertTrue(tiny.check(101, TEN_PER_SECOND, 9, whole + SlotLayout.GRACE_NS + 1, out));
    assertFalse(out.shared());
    assertEquals(1, tiny.reclaimedCount());
    assertTrue(tiny.check(0, TEN_PER_SECOND, 1, whole + SlotLayout.GRACE_NS + 1, out));
  }

  @Test
  void anExpiredKeyComesBackToItsOwnSlot() {
    assertTrue(table.check(1, TEN_PER_SECOND, 10, NOW, out));
    assertTrue(table.check(1, TEN_PER_SECOND, 10, NOW + 100 * SECOND, out));
    assertEquals(1, table.insertedCount());
  }

  @Test
  void aResetKeyIsFreshAndItsSlotRests() {
    assertTrue(table.check(1, TEN_PER_SECOND, 10, NOW, out));
    assertTrue(table.reset(1, NOW));
    assertFalse(table.reset(1, NOW));
    assertEquals(0, table.occupancy(NOW));
    assertTrue(table.check(1, TEN_PER_SECOND, 10, NOW, out));
    assertFalse(table.check(1, TEN_PER_SECOND, 1, NOW, out));
    assertEquals(2, table.insertedCount());
    assertEquals(0, table.reclaimedCount());
  }

  @Test
  void aKeyBehindATombstoneIsFound() {
    assertTrue(table.check(0, TEN_PER_SECOND, 10, NOW, out));
    assertTrue(table.check(1L << 32, TEN_PER_SECOND, 10, NOW, out));
    assertTrue(table.reset(0, NOW));
    assertFalse(table.check(1L << 32, TEN_PER_SECOND, 1, NOW, out));
  }

  @Test
  void aLowerLimitBitesAtOnceAndAHigherOneKeepsWhatWasConsumed() {
    assertTrue(table.check(1, TEN_PER_SECOND, 8, NOW, out));
    final Limit five = Limit.gcra(5, SECOND, 5);
    assertTrue(table.changeLimit(1, TEN_PER_SECOND, five, NOW));
    assertFalse(table.check(1, five, 1, NOW, out));
    assertEquals(0, out.remaining());
    assertEquals(SECOND / 5, out.retryAfterNs());
    final Limit hundred = Limit.gcra(100, SECOND, 100);
    assertTrue(table.changeLimit(1, five, hundred, NOW));
    assertTrue(table.peek(1, hundred, 95, NOW, out));
    assertEquals(95, out.remaining());
    assertFalse(table.changeLimit(2, five, hundred, NOW));
  }

  @Test
  void carriesWhatWasConsumedToAnotherKeyOnce() {
    final Limit twenty = Limit.gcra(20, SECOND, 20);
    assertTrue(table.check(1, TEN_PER_SECOND, 8, NOW, out));
    assertTrue(table.check(2, twenty, 1, NOW, out));
    for (int i = 0; i < 3; i++) {
      assertTrue(table.carryOver(1, TEN_PER_SECOND, table, 2, twenty, true, NOW, out));
    }
    assertTrue(table.peek(2, twenty, 1, NOW, out));
    assertEquals(11, out.remaining());
    assertTrue(table.peek(1, TEN_PER_SECOND, 10, NOW, out));
    assertThrows(
        IllegalArgumentException.class,
        () -> table.carryOver(1, twenty, table, 1, twenty, true, NOW, out));
  }

  @Test
  void aKeyThatWasCarriedOverIsMovedForASecond() {
    final Limit twenty = Limit.gcra(20, SECOND, 20);
    for (long consumed = 0; consumed < 2; consumed++) {
      final long from = 10 + consumed;
      assertTrue(consumed == 0 || table.check(from, TEN_PER_SECOND, 8, NOW, out));
      assertTrue(table.carryOver(from, TEN_PER_SECOND, table, 2, twenty, false, NOW, out));
      final long graceEnds = NOW + SlotLayout.GRACE_NS;
      assertFalse(table.check(from, TEN_PER_SECOND, 1, graceEnds, out));
      assertTrue(out.moved());
      assertFalse(table.peek(from, TEN_PER_SECOND, 1, graceEnds, out));
      assertTrue(out.moved());
      assertEquals(0, Grants.upTo(table, from, TEN_PER_SECOND, 1, graceEnds, out));
      assertFalse(table.refund(from, TEN_PER_SECOND, 1, NOW, graceEnds));
      assertFalse(table.reset(from, graceEnds));
      assertTrue(table.check(from, TEN_PER_SECOND, 1, graceEnds + 1, out));
      assertFalse(out.moved());
    }
    table.peek(2, twenty, 1, NOW, out);
    assertEquals(12, out.remaining());
  }

  @Test
  void nothingIsCarriedToAKeyThatHasBeenMovedOn() {
    final Limit twenty = Limit.gcra(20, SECOND, 20);
    assertTrue(table.check(1, TEN_PER_SECOND, 8, NOW, out));
    assertTrue(table.carryOver(2, twenty, table, 3, twenty, false, NOW, out));
    assertFalse(table.carryOver(1, TEN_PER_SECOND, table, 2, twenty, false, NOW, out));
    assertTrue(out.moved());
    assertTrue(table.carryOver(1, TEN_PER_SECOND, table, 3, twenty, false, NOW, out));
    table.peek(3, twenty, 1, NOW, out);
    assertEquals(12, out.remaining());
  }

  @Test
  void aMarkTakesNobodysPlace() {
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, TEN_PER_SECOND, 1, NOW, out));
    }
    assertFalse(tiny.carryOver(100, TEN_PER_SECOND, table, 1, TEN_PER_SECOND, false, NOW, out));
    assertTrue(out.contended());
    assertEquals(0, tiny.evictedCount());
  }

  @Test
  void carriesToAnotherTableUnderTheSameKeyAndBack() {
    final Limit log = Limit.slidingLog(20, SECOND);
    try (LimitTable rings = new LimitTable(64, log.cells())) {
      assertTrue(table.check(1, TEN_PER_SECOND, 8, NOW, out));
      assertTrue(rings.check(1, log, 1, NOW, out));
      for (int i = 0; i < 3; i++) {
        assertTrue(table.carryOver(1, TEN_PER_SECOND, rings, 1, log, true, NOW, out));
      }
      assertTrue(rings.peek(1, log, 1, NOW, out));
      assertEquals(11, out.remaining());
      assertTrue(table.peek(1, TEN_PER_SECOND, 10, NOW, out));
      assertTrue(rings.carryOver(1, log, table, 1, TEN_PER_SECOND, true, NOW, out));
      assertTrue(table.peek(1, TEN_PER_SECOND, 1, NOW, out));
      assertEquals(1, out.remaining());
      assertTrue(rings.peek(1, log, 20, NOW, out));
      assertThrows(
          IllegalArgumentException.class,
          () -> rings.carryOver(1, log, rings, 1, log, true, NOW, out));
    }
  }

  @Test
  void carriesIntoTheSharedBudgetIfThereIsNoRoom() {
    fillTiny();
    final Limit twenty = Limit.gcra(20, SECOND, 20);
    assertTrue(tiny.carryOver(0, TEN_PER_SECOND, tiny, 100, twenty, true, NOW, out));
    assertTrue(out.shared());
    assertTrue(tiny.check(100, twenty, 10, NOW, out));
    assertFalse(tiny.check(100, twenty, 1, NOW, out));
  }

  @Test
  void fractionsOfATokenAddUp() {
    final Limit bucket = Limit.tokenBucket(2, 3, SECOND, 1000);
    assertTrue(table.check(1, bucket, 500, NOW, out));
    assertEquals(1500, out.remaining());
    assertTrue(table.check(1, bucket, 1500, NOW, out));
    assertFalse(table.check(1, bucket, 1, NOW, out));
    assertEquals(333_334, out.retryAfterNs(), 1);
  }

  @Test
  void aClosedTableFailsInsteadOfTouchingFreedMemory() {
    final LimitTable closed = new LimitTable(64);
    closed.close();
    assertThrows(
        IndexOutOfBoundsException.class, () -> closed.check(1, TEN_PER_SECOND, 1, NOW, out));
  }

  private void fillTiny() {
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, TEN_PER_SECOND, 10, NOW, out));
      assertFalse(out.shared());
    }
  }
}
