package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PlannedLimitTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long NOW = 1_000 * MINUTE;
  private static final long USER = 77;
  private static final long KEY = 42;
  private static final long HELD = 43;
  private static final Limit NONE = Limit.gcra(1, SECOND, 1);
  private static final Limit FREE = Limit.gcra(100, MINUTE, 100);
  private static final Limit PREMIUM = Limit.gcra(1_000, MINUTE, 1_000);
  private static final Limit SLOW = Limit.gcra(10, MINUTE, 10);
  private static final Limit[] LIMITS = {NONE, FREE, PREMIUM, SLOW};
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 3;

  private final LimitTable table = new LimitTable(64, 8);
  private final UserTable users = new UserTable(new UnsafeBuffer(new byte[64 * 16]));
  private final Decision out = new Decision();
  private final PlannedLimit planned = new PlannedLimit();
  private final LimitSet set = new LimitSet();
  private final int slot = users.meet(USER);

  @AfterEach
  void free() {
    table.close();
  }

  private long word() {
    return users.word(slot, USER);
  }

  private Limit limit() {
    final long word = word();
    return planned.under(
        LIMITS[UserWord.plan(word)], LIMITS[UserWord.planBefore(word)], users, slot, USER, word);
  }

  private void plan(int plan) {
    assertTrue(users.set(slot, USER, word(), plan, UserWord.RECORD, true));
  }

  /** Changes the plan as who changes a record does. */
  private void change(int plan, long nowNs) {
    assertTrue(table.convert(KEY, limit(), nowNs));
    plan(plan);
    assertTrue(table.convert(KEY, limit(), nowNs));
  }

  private long pass(long nowNs) {
    return pass(nowNs, Long.MAX_VALUE);
  }

  private long pass(long nowNs, long most) {
    long passed = 0;
    while (passed < most && table.check(KEY, limit(), 1, nowNs, out)) {
      passed++;
    }
    return passed;
  }

  @Test
  void whatWasUsedStaysUsedUnderTheNextPlan() {
    plan(A);
    assertEquals(100, pass(NOW));
    assertEquals(600_000_000, out.retryAfterNs());
    change(B, NOW);
    table.peek(KEY, limit(), 1, NOW, out);
    assertEquals(900, out.remaining());
    assertEquals(100, out.current());
    assertEquals(900, pass(NOW));
    change(A, NOW);
    table.peek(KEY, limit(), 1, NOW, out);
    assertEquals(100, out.current(), "a full budget, told as its capacity");
    assertEquals(900 * MINUTE / 100 + MINUTE / 100, out.retryAfterNs());
    change(B, NOW);
    assertEquals(0, pass(NOW));
    assertEquals(1, pass(NOW + MINUTE / 1_000));
  }

  @Test
  void aWordThatNobodyTouchedIsConvertedBeforeTheNextChange() {
    plan(A);
    pass(NOW);
    change(B, NOW);
    change(A, NOW);
    change(B, NOW);
    change(A, NOW);
    assertEquals(0, pass(NOW));
    assertEquals(1, pass(NOW + MINUTE / 100));
  }

  @Test
  void withoutConvertingTheShareStaysUsed() {
    plan(A);
    assertEquals(50, pass(NOW, 50));
    plan(B);
    plan(C);
    assertEquals(5, pass(NOW), "half of the budget");
  }

  @Test
  void aPartOfAUnitIsConvertedToo() {
    plan(B);
    assertEquals(1_000, pass(NOW));
    final long nowNs = NOW + MINUTE / 1_000 / 2;
    change(A, nowNs);
    table.peek(KEY, limit(), 1, nowNs, out);
    assertEquals(nowNs + 600 * SECOND - MINUTE / 100 / 2, out.resetAtNs());
  }

  @Test
  void aDebtIsRoundedUpToTheNextTick() {
    final PacedLimit threes = (PacedLimit) Limit.gcra(3, 10, 100);
    final PacedLimit sevens = (PacedLimit) Limit.gcra(1, 7, 100);
    final long owed = threes.charge(0, 1_000, 5);
    assertEquals(1_017, owed);
    assertEquals(1_035, sevens.tatOf(threes, owed, 1_000));
    assertEquals(1_000 + 7 * 5 - 2, sevens.tatOf(threes, owed, 1_001));
    assertEquals(owed, sevens.tatOf(threes, owed, owed), "what has passed stays as it is");
    assertEquals(owed, sevens.tatOf(threes, owed, owed + 5));
    assertEquals(owed, threes.tatOf(threes, owed, 1_000));
  }

  @Test
  void rescalesAsRationalNumbersDo() {
    assertEquals(0, Ticks.rescaled(0, 7, 3));
    assertEquals(5, Ticks.rescaled(2, 7, 3));
    assertEquals(1, Ticks.rescaled(1, 1, 1L << 60));
    assertEquals((1L << 60) - 1, Ticks.rescaled((1L << 60) - 1, 1L << 60, 1L << 60));
    final SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      final long from = 1 + random.nextLong(1L << random.nextInt(1, 60));
      final long part = random.nextLong(from);
      final long to = 1 + random.nextLong(1L << random.nextInt(1, 60));
      final BigInteger[] exact =
          BigInteger.valueOf(part)
              .multiply(BigInteger.valueOf(to))
              .divideAndRemainder(BigInteger.valueOf(from));
      assertEquals(exact[0].longValueExact() + exact[1].signum(), Ticks.rescaled(part, to, from));
    }
  }

  @Test
  void aDebtBeyondAllTimesEndsBelowThem() {
    final PacedLimit many = (PacedLimit) Limit.gcra(1_000_000, SECOND, 1_000_000);
    final PacedLimit slow = (PacedLimit) Limit.gcra(1, 86_400 * SECOND, 1);
    final long owed = many.charge(0, NOW, 1_000_000);
    assertEquals(NOW + PacedLimit.MAX_CONVERTED_TICKS, slow.tatOf(many, owed, NOW));
    final PacedLimit fraction = (PacedLimit) Limit.gcra(3, 86_400 * SECOND + 1, 1);
    final long lastNs = Limit.MAX_TIME_NS;
    assertTrue(
        fraction.tatOf(many, many.charge(0, lastNs, 1_000_000), lastNs) < StateWord.PLAN_BIT);
  }

  @Test
  void aPlanThatChangedMeanwhileIsNotDecidedBy() {
    plan(A);
    assertTrue(set().check(NOW, out));
    plan(B);
    assertFalse(set.check(NOW, out));
    assertTrue(out.moved());
    assertFalse(set.peek(NOW, out));
    assertTrue(out.moved());
    assertFalse(table.convert(KEY, stale(), NOW));
    table.chargeUsed(KEY, stale(), 3, 0, NOW, out);
    assertTrue(out.moved());
    assertEquals(0, out.granted());
    assertFalse(table.refund(KEY, stale(), 1, NOW, NOW));
    assertFalse(HeldBudget.settle(table, KEY, stale(), 1, table, HELD, 1, NOW, out));
    assertFalse(
        table.carryOver(KEY, stale(), table, KEY + 1, FREE, false, NOW, out), "of the past");
    assertFalse(table.carryOver(KEY, FREE, table, KEY + 1, stale(), false, NOW, out), "to it");
    assertTrue(out.moved());
    assertTrue(set().check(NOW, out));
    assertFalse(out.moved());
    assertEquals(2, out.current());
  }

  private LimitSet set() {
    final long word = word();
    return set.clear()
        .add(table, KEY, LIMITS[UserWord.plan(word)], 1)
        .underPlan(LIMITS[UserWord.planBefore(word)], users, slot, USER, word);
  }

  /** A limit of what the user was before. */
  private Limit stale() {
    return planned.under(FREE, FREE, users, slot, USER, word() ^ 1);
  }

  @Test
  void whoIsAnotherUserMeanwhileIsNotDecidedBy() {
    plan(A);
    final Limit limit = planned.under(FREE, FREE, users, slot, USER + 1, word());
    assertFalse(table.check(KEY, limit, 1, NOW, out));
    assertTrue(out.moved());
  }

  @Test
  void aKeyKeepsWhatANewPlanFoundAtItsEnd() {
    plan(B);
    pass(NOW);
    plan(A);
    final long word = table.fetch(KEY);
    table.chargeUsed(KEY, limit(), 50, 0, NOW, out);
    assertEquals(0, out.granted(), "twice the capacity is owed by far");
    assertEquals(word, table.fetch(KEY));
    change(B, NOW);
    table.chargeUsed(KEY, limit(), 1_500, 0, NOW, out);
    assertEquals(1_000, out.granted());
  }

  @Test
  void whatIsHeldIsHeldUnderAnyPlan() {
    plan(A);
    assertTrue(hold(60));
    plan(B);
    assertTrue(hold(900));
    assertEquals(960, out.held());
    assertFalse(hold(41));
    assertTrue(HeldBudget.settle(table, KEY, limit(), 60, table, HELD, 60, NOW, out));
    plan(A);
    assertFalse(hold(1));
    assertTrue(HeldBudget.settle(table, KEY, limit(), 5, table, HELD, 900, NOW, out));
    assertEquals(65, out.current());
    assertFalse(hold(36));
    assertTrue(hold(35));
  }

  @Test
  void whatWasHeldUnderALargePlanIsChargedWholeUnderASmallOne() {
    plan(B);
    assertTrue(hold(900));
    change(C, NOW);
    assertTrue(HeldBudget.settle(table, KEY, limit(), 1_000, table, HELD, 900, NOW, out));
    assertEquals(900, out.granted(), "and nothing above it, as that is owed more than twice");
    change(B, NOW);
    assertFalse(hold(101));
    assertTrue(hold(100));
  }

  private boolean hold(long units) {
    return HeldBudget.hold(table, KEY, limit(), table, HELD, units, NOW, out);
  }

  @Test
  void aRefundGivesBackWhatThePlanStillCounts() {
    plan(A);
    table.check(KEY, limit(), 10, NOW, out);
    plan(B);
    table.check(KEY, limit(), 10, NOW, out);
    assertTrue(table.refund(KEY, limit(), 10, NOW, NOW));
    table.peek(KEY, limit(), 1, NOW, out);
    assertEquals(10, out.current());
    assertFalse(table.refund(KEY, limit(), 1, NOW, NOW + MINUTE), "all has come back");
  }

  @Test
  void carriesUnitsOverFromAndToPlans() {
    plan(A);
    table.check(KEY, limit(), 40, NOW, out);
    plan(B);
    final PlannedLimit next = new PlannedLimit();
    final Limit slower = Limit.gcra(50, MINUTE, 500);
    final Limit to = next.under(slower, slower, users, slot, USER, word());
    assertTrue(table.carryOver(KEY, limit(), table, KEY + 1, to, false, NOW, out));
    table.peek(KEY + 1, to, 1, NOW, out);
    assertEquals(40, out.current());
    assertTrue(table.carryOver(KEY + 1, to, table, KEY + 2, FREE, false, NOW, out));
    table.peek(KEY + 2, FREE, 1, NOW, out);
    assertEquals(40, out.current(), "and to a limit without plans");
  }

  @Test
  void ofAnUnknownUserWordsAreReadAndLeftAsTheyAre() {
    plan(A);
    plan(B);
    table.check(KEY, limit(), 100, NOW, out);
    table.check(KEY, planned.unknown(FREE), 1, NOW, out);
    assertEquals(11, out.current(), "6 s owed are ten units of it");
    plan(B);
    table.peek(KEY, limit(), 1, NOW, out);
    assertEquals(110, out.current(), "with the bit it had");
  }

  @Test
  void aResetForgetsWhicheverPlanCounted() {
    plan(A);
    pass(NOW);
    plan(B);
    assertTrue(set().check(NOW, out));
    set.reset(NOW);
    assertEquals(1_000, pass(NOW));
  }

  @Test
  void countsAreReadUnderAnyNumber() {
    final Limit[][] pairs = {
      {Limit.fixedWindow(5, MINUTE, 0), Limit.fixedWindow(8, MINUTE, 0)},
      {Limit.slidingCounter(5, MINUTE), Limit.slidingCounter(8, MINUTE)},
      {Limit.slidingLog(5, MINUTE), Limit.slidingLog(8, MINUTE)},
      {Limit.bucketRing(5, MINUTE, 4), Limit.bucketRing(8, MINUTE, 4)},
    };
    plan(A);
    for (int i = 0; i < pairs.length; i++) {
      final int key = 100 + i;
      final Limit small = pairs[i][0];
      final Limit large = pairs[i][1];
      assertSame(small, planned.under(small, large, users, slot, USER, word()));
      final long[] passed = new long[5];
      for (int turn = 0; turn < passed.length; turn++) {
        final Limit limit = turn % 2 == 0 ? small : large;
        while (table.check(key, limit, 1, NOW, out)) {
          passed[turn]++;
        }
        assertTrue(table.convert(key, limit, NOW));
      }
      assertEquals("[5, 3, 0, 0, 0]", Arrays.toString(passed), small.toString());
      assertFalse(table.check(key, small, 1, NOW + 1, out));
      assertTrue(table.check(key, small, 1, NOW + 3 * MINUTE, out));
    }
  }

  @Test
  void aKeyThatWasConvertedGivesWayNoMore() {
    try (LimitTable small = new LimitTable(4)) {
      plan(A);
      small.check(0, limit(), 1, NOW, out);
      plan(B);
      small.check(0, limit(), 1, NOW, out);
      for (int key = 1; key < 6; key++) {
        small.check(key << 8, FREE, 1, NOW, out);
      }
      assertEquals(2, small.evictedCount());
      assertTrue(small.isKnown(0, NOW));
    }
  }

  @Test
  void aSlotIsReusedOnceAWordOfEitherParityHasExpired() {
    for (int parity = 0; parity < 2; parity++) {
      plan(parity == 0 ? A : B);
      try (LimitTable small = new LimitTable(4)) {
        for (int key = 0; key < 4; key++) {
          small.check(key, limit(), 100, NOW, out);
        }
        assertEquals(4, small.occupancy(NOW));
        small.check(9, limit(), 1, NOW + 2 * MINUTE, out);
        assertEquals(1, small.reclaimedCount());
        assertFalse(out.shared());
      }
    }
  }
}
