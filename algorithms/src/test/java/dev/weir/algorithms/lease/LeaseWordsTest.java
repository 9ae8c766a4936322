package dev.weir.algorithms.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The words of a hand, by their rulers. */
class LeaseWordsTest {
  private static final long TICK_NS = 65_536;
  private static final long STEP_NS = 1 << 22;
  private static final double OF_A_STEP = DemandWord.decayPerStep(STEP_NS);

  @Test
  void leaseHasUnitsAndItsEnd() {
    long word = LeaseWord.of(7, 5 * TICK_NS + 1);
    assertEquals(5L << 24 | 7, word);
    assertEquals(7, LeaseWord.units(word));
    assertEquals(5L << 24, LeaseWord.end(word));
    assertEquals(0x7f_ffff, LeaseWord.units(LeaseWord.of(LeaseTable.MAX_UNITS, TICK_NS)));
  }

  @Test
  void noUnitIsUsableFromTheEndOn() {
    long word = LeaseWord.of(7, 5 * TICK_NS + 1);
    assertEquals(7, LeaseWord.usable(word, 5 * TICK_NS - 1));
    assertEquals(0, LeaseWord.usable(word, 5 * TICK_NS));
    assertEquals(0, LeaseWord.usable(word, 5 * TICK_NS + 1));
    assertEquals(0, LeaseWord.usable(word, 1_000 * TICK_NS));
    assertEquals(TICK_NS, LeaseWord.leftNs(word, 5 * TICK_NS - 1));
    assertEquals(3 * TICK_NS, LeaseWord.leftNs(word, 2 * TICK_NS));
  }

  @Test
  void endsAreComparedOverTheWrapOfTheirTicks() {
    long wrapNs = 1L << 56;
    long word = LeaseWord.of(3, wrapNs + 2 * TICK_NS);
    assertEquals(3, LeaseWord.usable(word, wrapNs - TICK_NS));
    assertEquals(3, LeaseWord.usable(word, wrapNs + TICK_NS));
    assertEquals(0, LeaseWord.usable(word, wrapNs + 2 * TICK_NS));
  }

  @Test
  void nothingAndReservedHaveNoUnits() {
    for (long word : new long[] {LeaseWord.NOTHING, LeaseWord.RESERVED}) {
      assertEquals(0, LeaseWord.units(word));
      assertEquals(0, LeaseWord.usable(word, 1));
      assertEquals(0, LeaseWord.usable(word, 1L << 55));
    }
    assertFalse(LeaseWord.isAlive(LeaseWord.RESERVED, 1));
  }

  @Test
  void arrivalsDecayByAFactorOfEInTau() {
    double decay = DemandWord.decayPerStep(100 * STEP_NS);
    long word = 0;
    for (int i = 0; i < 1_000; i++) {
      word = DemandWord.arrived(word, decay, 5 * STEP_NS + i);
    }
    assertEquals(999, DemandWord.before(word), 0.01);
    word = DemandWord.arrived(word, decay, 105 * STEP_NS);
    assertEquals(1_000 / Math.E, DemandWord.before(word), 0.1);
    assertEquals(3 * STEP_NS, DemandWord.idleNs(word, 108 * STEP_NS));
  }

  @Test
  void aDecayInManyStepsIsThatOfOne() {
    double decay = DemandWord.decayPerStep(60 * STEP_NS);
    long word = 1L << 34 | 1_000_000L << 8;
    for (int step = 2; step <= 61; step++) {
      word = DemandWord.arrived(word, decay, step * STEP_NS) - (1 << 8);
    }
    assertEquals(1_000_000 / Math.E - 1, DemandWord.before(word), 200);
  }

  @Test
  void oneArrivalIsNoDemandAndALongPauseForgetsAll() {
    long word = DemandWord.arrived(0, OF_A_STEP, 7 * STEP_NS);
    assertEquals(0, DemandWord.before(word));
    word = DemandWord.arrived(word, OF_A_STEP, 7 * STEP_NS);
    assertEquals(1, DemandWord.before(word));
    assertEquals(0, DemandWord.before(DemandWord.arrived(word, OF_A_STEP, 1_000_000 * STEP_NS)));
  }

  @Test
  void aClockThatLagsSeesThePresentStep() {
    long word = DemandWord.arrived(0, OF_A_STEP, 8 * STEP_NS);
    assertEquals(1, DemandWord.before(DemandWord.arrived(word, OF_A_STEP, 7 * STEP_NS)));
    assertEquals(0, DemandWord.idleNs(word, 7 * STEP_NS));
  }

  @Test
  void arrivalsStopAtTheMostThatTheWordHolds() {
    long full = (1L << 34) - 1;
    assertEquals(full, DemandWord.arrived(full, OF_A_STEP, 1));
  }

  @Test
  void aheadKnowsTheLastLeaseAndItsPause() {
    long word = AheadWord.leased(9, true);
    assertEquals(9, AheadWord.units(word));
    assertTrue(AheadWord.isAtEdge(word));
    assertFalse(AheadWord.isPaused(word, 1));
    long paused = AheadWord.paused(word, 10 * TICK_NS);
    assertEquals(9, AheadWord.units(paused));
    assertTrue(AheadWord.isPaused(paused, 10 * TICK_NS));
    assertFalse(AheadWord.isPaused(paused, 11 * TICK_NS));
    assertFalse(AheadWord.isPaused(AheadWord.leased(9, false), 1));
    assertFalse(AheadWord.isAtEdge(AheadWord.leased(LeaseTable.MAX_UNITS, false)));
  }

  @Test
  void spacingIsDoubledUpToItsMostAndHalved() {
    long nowNs = 1_000 * TICK_NS;
    long word = SpacingWord.refused(0, nowNs, nowNs, nowNs, 2 * TICK_NS, 7 * TICK_NS);
    assertEquals(nowNs + 2 * TICK_NS, SpacingWord.untilNs(word));
    assertFalse(SpacingWord.isOver(word, nowNs + 2 * TICK_NS - 1));
    assertTrue(SpacingWord.isOver(word, nowNs + 2 * TICK_NS));
    long sentEarlier = nowNs + TICK_NS;
    assertEquals(word, SpacingWord.refused(word, sentEarlier, sentEarlier, 0, 2, 7 * TICK_NS));
    nowNs += 2 * TICK_NS;
    word = SpacingWord.refused(word, nowNs, nowNs, 0, 2 * TICK_NS, 7 * TICK_NS);
    assertEquals(4 * TICK_NS, SpacingWord.spacingNs(word));
    nowNs += 4 * TICK_NS;
    word = SpacingWord.refused(word, nowNs, nowNs, 0, 2 * TICK_NS, 7 * TICK_NS);
    assertEquals(7 * TICK_NS, SpacingWord.spacingNs(word));
    word = SpacingWord.granted(word);
    assertTrue(SpacingWord.isOver(word, 1));
    assertEquals(3 * TICK_NS, SpacingWord.spacingNs(word));
  }
}
