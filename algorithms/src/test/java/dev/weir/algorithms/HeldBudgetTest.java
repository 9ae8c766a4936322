package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.adaptive.AdaptiveLimit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Units that are held from a verdict to an end, of limits and by themselves. */
class HeldBudgetTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final long KEY = 7;
  private static final long HELD = 8;
  private static final Limit THREE = Limit.heldUnits(3);
  private static final Limit TEN = Limit.fixedWindow(10, 100 * SECOND, 0);
  private static final Limit PACED = Limit.gcra(10, 100 * SECOND, 10);

  private final LimitTable table = new LimitTable(64);
  private final Decision out = new Decision();

  @AfterEach
  void close() {
    table.close();
  }

  private boolean hold(Limit limit, long units, long nowNs) {
    return HeldBudget.hold(table, KEY, limit, table, HELD, units, nowNs, out);
  }

  private long settle(Limit limit, long units, long cost, long nowNs) {
    assertTrue(HeldBudget.settle(table, KEY, limit, cost, table, HELD, units, nowNs, out));
    return cost == 0 ? 0 : out.granted();
  }

  private long used(Limit limit, long nowNs) {
    table.peek(KEY, limit, 1, nowNs, out);
    return out.current();
  }

  private long held(long nowNs) {
    return held(HELD, nowNs);
  }

  private long held(long key, long nowNs) {
    table.peek(key, THREE, 1, nowNs, out);
    return out.current();
  }

  @Test
  void asManyAreInFlightAsTheLimitSays() {
    for (int i = 1; i <= 3; i++) {
      assertTrue(table.check(KEY, THREE, 1, NOW, out));
      assertEquals(3 - i, out.remaining());
      assertEquals(i, out.held());
    }
    assertFalse(table.check(KEY, THREE, 1, NOW, out));
    assertEquals(SECOND, out.retryAfterNs());
    table.release(KEY, 1, NOW);
    assertTrue(table.check(KEY, THREE, 1, NOW, out));
  }

  @Test
  void asManyAreInFlightAsANumberThatMoves() {
    AdaptiveLimit number = new AdaptiveLimit(2, 100);
    Limit limit = Limit.heldUnits(number);
    assertTrue(table.check(KEY, limit, 1, NOW, out));
    assertTrue(table.check(KEY, limit, 1, NOW, out));
    assertFalse(table.check(KEY, limit, 1, NOW, out));
    assertEquals(SECOND, out.retryAfterNs());
    for (int i = 0; i < 10; i++) {
      number.answered(SECOND, 2, NOW + i * SECOND);
    }
    assertEquals(3, limit.capacity());
    assertTrue(table.check(KEY, limit, 1, NOW, out));
    assertEquals(0, out.remaining());
    for (int i = 0; i < 30; i++) {
      number.dropped(3, NOW + i * SECOND);
    }
    assertEquals(2, out.limit());
    assertFalse(table.check(KEY, limit, 1, NOW, out));
    assertEquals(3, out.held(), "what began goes on");
    assertEquals(0, out.remaining());
    assertEquals(2, table.release(KEY, 1, NOW));
    assertFalse(table.check(KEY, limit, 1, NOW, out));
    assertEquals(1, table.release(KEY, 1, NOW));
    assertEquals(0, table.release(KEY, 1, NOW));
  }

  /**
   * A bug of the caller's is an assertion; a thread that never returns would stop its event loop.
   */
  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aReleaseOfWhatIsNotHeldEnds() {
    assertTrue(table.check(KEY, THREE, 2, NOW, out));
    assertThrows(AssertionError.class, () -> table.release(KEY, 3, NOW));
    assertEquals(0, held(KEY, NOW), "as many as were held");
    assertThrows(AssertionError.class, () -> table.release(KEY, 1, NOW));
    assertThrows(AssertionError.class, () -> table.release(KEY + 1, 1, NOW));
    assertTrue(table.check(KEY, THREE, 3, NOW, out), "the key is as it was");
  }

  @Test
  void unitsAreHeldHoweverLongItTakes() {
    assertTrue(table.check(KEY, THREE, 3, 1, out));
    assertFalse(table.check(KEY, THREE, 1, Limit.MAX_TIME_NS, out));
    table.release(KEY, 3, Limit.MAX_TIME_NS);
  }

  @Test
  void aKeyThatHoldsGivesWayToNoOther() {
    try (LimitTable small = new LimitTable(4)) {
      for (int key = 0; key < 4; key++) {
        assertTrue(small.check(key, THREE, 1, NOW, out));
      }
      assertFalse(small.check(4, THREE, 1, NOW, out));
      assertTrue(out.noRoom());
      assertTrue(small.check(5, TEN, 1, NOW, out));
      assertTrue(out.shared(), "a key that can share does");
      for (int key = 0; key < 4; key++) {
        small.release(key, 1, NOW);
      }
      assertFalse(small.check(4, THREE, 1, NOW + SECOND, out), "a second of grace");
      assertTrue(small.check(4, THREE, 1, NOW + SECOND + 1, out));
      assertEquals(1, small.reclaimedCount());
    }
  }

  @Test
  void whatIsHeldAndWhatIsUsedFitTogether() {
    assertTrue(hold(TEN, 4, NOW));
    assertEquals(6, out.remaining());
    assertEquals(4, out.held());
    assertEquals(0, out.current());
    assertTrue(hold(TEN, 4, NOW));
    assertFalse(hold(TEN, 4, NOW));
    assertEquals(2, out.remaining());
    assertEquals(8, out.held());
    assertEquals(SECOND, out.retryAfterNs(), "what is held stands in the way");
    assertEquals(8, held(NOW));
    assertEquals(1, settle(TEN, 4, 1, NOW));
    assertTrue(hold(TEN, 4, NOW));
    assertEquals(1, out.remaining());
    assertEquals(1, out.current());
  }

  @Test
  void whatIsUsedTellsWhenItComesBack() {
    assertTrue(hold(PACED, 8, NOW));
    assertEquals(8, settle(PACED, 8, 8, NOW));
    assertFalse(hold(PACED, 4, NOW));
    assertEquals(20 * SECOND, out.retryAfterNs());
    assertFalse(hold(PACED, 11, NOW));
    assertEquals(Decision.NEVER, out.retryAfterNs());
    assertEquals(0, held(NOW));
  }

  @Test
  void aCostThatIsNotKnownToBeAnythingChargesNothing() {
    assertTrue(hold(TEN, 5, NOW));
    assertEquals(0, settle(TEN, 5, 0, NOW));
    assertEquals(0, used(TEN, NOW));
    assertEquals(0, held(NOW));
  }

  @Test
  void aCostAboveWhatWasHeldIsChargedAsFarAsItCanBeCounted() {
    assertTrue(hold(PACED, 1, NOW));
    assertEquals(20, settle(PACED, 1, 25, NOW), "a pace owes twice its capacity");
    assertFalse(table.check(KEY, PACED, 1, NOW + 109 * SECOND, out));
    assertTrue(table.check(KEY, PACED, 1, NOW + 110 * SECOND, out));
    assertTrue(HeldBudget.hold(table, 17, TEN, table, 18, 1, NOW, out));
    assertTrue(HeldBudget.settle(table, 17, TEN, 1_000, table, 18, 1, NOW, out));
    assertEquals(1_000, out.granted(), "a window counts on");
  }

  @Test
  void aLogTakesWhatItHasCellsFor() {
    final Limit log = Limit.slidingLog(5, 100 * SECOND);
    try (LimitTable rings = new LimitTable(64, 8)) {
      assertTrue(HeldBudget.hold(rings, KEY, log, table, HELD, 2, NOW, out));
      assertTrue(HeldBudget.settle(rings, KEY, log, 100, table, HELD, 2, NOW, out));
      assertEquals(8, out.granted());
      assertTrue(HeldBudget.hold(rings, 9, log, table, 10, 2, NOW + 100 * SECOND, out));
      assertFalse(HeldBudget.hold(rings, KEY, log, table, HELD, 1, NOW + 100 * SECOND - 1, out));
      assertTrue(HeldBudget.hold(rings, KEY, log, table, HELD, 5, NOW + 100 * SECOND, out));
    }
  }

  @Test
  void aBudgetThatWasCarriedElsewhereIsChargedThere() {
    assertTrue(hold(PACED, 4, NOW));
    assertTrue(table.carryOver(KEY, PACED, table, 9, TEN, false, NOW, out));
    assertFalse(HeldBudget.settle(table, KEY, PACED, 3, table, HELD, 4, NOW, out));
    assertEquals(4, held(NOW), "nothing has been done");
    assertTrue(HeldBudget.settle(table, 9, TEN, 3, table, HELD, 4, NOW, out));
    assertEquals(0, held(NOW));
    assertTrue(table.peek(9, TEN, 7, NOW, out));
    assertFalse(table.peek(9, TEN, 8, NOW, out));
  }

  @Test
  void aResetLeavesWhatIsHeld() {
    final LimitSet set = new LimitSet();
    set.addHeld(table, KEY, TEN, table, HELD, 4).add(table, 20, THREE, 1);
    assertTrue(set.check(NOW, out));
    set.reset(NOW);
    assertEquals(4, held(NOW));
    table.peek(20, THREE, 1, NOW, out);
    assertEquals(1, out.held());
  }

  @Test
  void aSetHoldsAllOrNothing() {
    final LimitSet set = new LimitSet();
    for (int i = 0; i < 4; i++) {
      final boolean passes = i < 2;
      set.clear().add(table, 20, THREE, 1).addHeld(table, KEY, TEN, table, HELD, 4);
      set.add(table, 21, PACED, 1);
      assertEquals(passes, set.peek(NOW, out));
      assertEquals(passes, set.check(NOW, out));
      assertEquals(1, set.chosen(), "has the smallest share left");
      assertTrue(set.isHeld(0) && set.isHeld(1) && !set.isHeld(2));
    }
    table.peek(20, THREE, 1, NOW, out);
    assertEquals(2, out.held());
    table.peek(21, PACED, 1, NOW, out);
    assertEquals(2, out.current());
  }
}
