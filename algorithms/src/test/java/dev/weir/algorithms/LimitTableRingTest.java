package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table with limits of every kind, one beside the other. */
class LimitTableRingTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long HOUR = 3_600 * SECOND;
  private static final long NOW = 10 * HOUR;

  private final LimitTable table = new LimitTable(256, 16);
  private final LimitTable tiny = new LimitTable(4, 16);
  private final Decision out = new Decision();

  static Limit[] tenPerSecond() {
    return new Limit[] {
      Limit.gcra(10, SECOND, 10),
      Limit.fixedWindow(10, SECOND, 0),
      Limit.slidingCounter(10, SECOND),
      Limit.slidingLog(10, SECOND),
      Limit.bucketRing(10, SECOND, 10),
    };
  }

  @AfterEach
  void free() {
    table.close();
    tiny.close();
  }

  @Test
  void keysOfAllKindsLiveInOneTable() {
    final Limit[] limits = tenPerSecond();
    for (int key = 0; key < 100; key++) {
      for (int units = 0; units < 10; units++) {
        assertTrue(table.check(key, limits[key % limits.length], 1, NOW, out));
      }
      assertFalse(table.check(key, limits[key % limits.length], 1, NOW, out));
    }
    assertEquals(100, table.occupancy(NOW));
    assertEquals(0, table.overflowCount());
  }

  @ParameterizedTest
  @MethodSource("tenPerSecond")
  void aSlotIsReusedForAnotherKindWithACleanRing(Limit limit) {
    final Limit[] limits = tenPerSecond();
    long nowNs = NOW;
    for (int turn = 0; turn < 200; turn++) {
      final Limit before = limits[turn % limits.length];
      for (long key = 0; key < 4; key++) {
        assertTrue(tiny.check(turn * 8L + key, before, 10, nowNs, out));
      }
      nowNs += 5 * SECOND;
      for (long key = 4; key < 8; key++) {
        assertTrue(tiny.check(turn * 8L + key, limit, 10, nowNs, out));
        assertFalse(tiny.check(turn * 8L + key, limit, 1, nowNs, out));
      }
      nowNs += 5 * SECOND;
    }
    assertEquals(0, tiny.overflowCount());
    assertTrue(tiny.reclaimedCount() > 1_000);
  }

  @ParameterizedTest
  @MethodSource("tenPerSecond")
  void keysThatFindNoRoomShareOneBudgetAndComeOutOfItWithoutAFreshOne(Limit limit) {
    for (long key = 0; key < 4; key++) {
      tiny.check(key, limit, 1, NOW, out);
      tiny.check(key, limit, 1, NOW, out);
    }
    int passed = 0;
    for (long key = 100; key < 200; key++) {
      passed += tiny.check(key, limit, 1, NOW, out) ? 1 : 0;
      assertTrue(out.shared());
    }
    assertEquals(10, passed);
    // A slot comes free, the shared budget is still spent.
    tiny.reset(0, NOW - 2 * SECOND);
    assertFalse(tiny.peek(100, limit, 1, NOW, out));
    assertFalse(tiny.check(100, limit, 1, NOW, out));
    assertTrue(out.shared());
    // Once all has left, it gets a slot of its own.
    final long laterNs = NOW + 5 * SECOND;
    assertTrue(tiny.check(100, limit, 10, laterNs, out));
    assertFalse(out.shared());
  }

  @ParameterizedTest
  @MethodSource("tenPerSecond")
  void aRefundGivesBackWhatWasChargedAndNoMore(Limit limit) {
    assertFalse(table.refund(7, limit, 1, NOW, NOW), "no such key");
    assertTrue(table.check(7, limit, 4, NOW, out));
    assertTrue(table.check(7, limit, 5, NOW, out));
    assertTrue(table.refund(7, limit, 5, NOW, NOW));
    table.peek(7, limit, 6, NOW, out);
    assertTrue(out.allowed());
    assertEquals(4, out.current());
    assertTrue(table.refund(7, limit, 1_000, NOW, NOW));
    table.peek(7, limit, 10, NOW, out);
    assertTrue(out.allowed());
    assertEquals(0, out.current());
    assertFalse(table.refund(7, limit, 1, NOW, NOW));
    assertFalse(table.refund(7, limit, 1, NOW, NOW + HOUR));
  }

  @ParameterizedTest
  @MethodSource("tenPerSecond")
  void anotherAlgorithmTakesOverWhatWasConsumed(Limit to) {
    for (Limit from : tenPerSecond()) {
      final long key = 1_000 + from.fingerprint() % 1_000;
      assertTrue(table.check(key, from, 7, NOW, out));
      assertTrue(table.changeLimit(key, from, to, NOW));
      table.peek(key, to, 3, NOW, out);
      assertEquals(7, out.current());
      assertTrue(table.check(key, to, 3, NOW, out));
      assertFalse(table.check(key, to, 1, NOW, out));
      assertTrue(table.reset(key, NOW));
    }
  }

  @ParameterizedTest
  @MethodSource("tenPerSecond")
  void anotherKeyTakesOverWhatWasConsumed(Limit to) {
    for (Limit from : tenPerSecond()) {
      assertTrue(table.check(1, from, 7, NOW, out));
      assertTrue(table.carryOver(1, from, table, 2, to, true, NOW, out));
      table.peek(2, to, 3, NOW, out);
      assertEquals(7, out.current());
      table.peek(1, from, 1, NOW, out);
      assertEquals(0, out.current());
      assertTrue(table.reset(2, NOW));
    }
  }

  @Test
  void aDebtArrivesInALogWhoseRefundedUnitsALateClockStillSees() {
    final Limit log = Limit.slidingLog(4, SECOND);
    try (LimitTable four = new LimitTable(64, 4)) {
      four.check(1, log, 1, NOW, out);
      four.check(1, log, 2, NOW, out);
      assertTrue(four.refund(1, log, 2, NOW, NOW));
      four.check(2, log, 1, NOW, out);
      assertTrue(four.carryOver(2, log, four, 1, log, true, NOW - 1, out));
      four.peek(1, log, 1, NOW, out);
      assertEquals(2, out.current());
    }
  }

  @Test
  void theFirstSubWindowThereIsLeavesLikeAnyOther() {
    final Limit ring = Limit.bucketRing(3, 3 * SECOND, 3);
    assertTrue(table.check(1, ring, 2, 1, out));
    assertTrue(table.check(1, ring, 1, 2 * SECOND, out));
    assertFalse(table.check(1, ring, 1, 3 * SECOND - 1, out));
    assertEquals(1, out.retryAfterNs());
    assertTrue(table.check(1, ring, 1, 3 * SECOND, out));
    assertEquals(2, out.current());
  }

  @Test
  void aLoweredLimitCountsWhatPassedAndLetsNothingPassUntilItHasLeft() {
    final Limit ten = Limit.slidingLog(10, SECOND);
    final Limit five = Limit.slidingLog(5, SECOND);
    table.check(1, ten, 4, NOW, out);
    table.check(1, ten, 4, NOW + 1, out);
    assertTrue(table.changeLimit(1, ten, five, NOW + 2));
    assertFalse(table.check(1, five, 1, NOW + 2, out));
    assertEquals(8, out.current());
    assertEquals(0, out.remaining());
    assertEquals(SECOND - 2, out.retryAfterNs());
    assertTrue(table.check(1, five, 1, NOW + SECOND, out));
    assertFalse(table.check(1, five, 1, NOW + SECOND, out));
    assertTrue(table.changeLimit(1, five, ten, NOW + SECOND));
    assertTrue(table.check(1, ten, 5, NOW + SECOND, out));
    assertFalse(table.check(1, ten, 1, NOW + SECOND, out));
  }
}
