package dev.weir.bench.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The judge of every window: silent at the limit, not at one more. */
class UsesTest {
  private static final long START_US = 1_728_000_000_000_000L;

  private static long use(Uses uses, long atUs, int count) {
    return uses.use(START_US + atUs, count);
  }

  @Test
  void seesWhatIsOverTheBurstAtOnce() {
    Uses uses = new Uses.Paced(10, 1, 1_000);
    assertEquals(0, use(uses, 0, 10));
    assertEquals(1, use(uses, 999, 1));
  }

  @Test
  void seesWhatIsOverTheBurstAndTheRateInALongWindow() {
    Uses uses = new Uses.Paced(10, 1, 1_000);
    assertEquals(0, use(uses, 0, 10));
    assertEquals(0, use(uses, 5_000, 5));
    assertEquals(0, use(uses, 7_500, 2));
    assertEquals(0, use(uses, 8_000, 1));
    assertEquals(1, use(uses, 8_000, 1));
  }

  @Test
  void forgetsAPacedBudgetThatHasComeBackWhole() {
    Uses uses = new Uses.Paced(10, 1, 1_000);
    use(uses, 0, 10);
    assertEquals(10, uses.freeAt(START_US + 60_000_000));
    assertEquals(0, use(uses, 60_000_000, 10));
    assertEquals(1, use(uses, 60_000_000, 1));
  }

  @Test
  void countsAFixedWindowFromItsEdge() {
    Uses uses = new Uses.Fixed(3, 1_000);
    assertEquals(0, use(uses, 999, 3));
    assertEquals(0, use(uses, 1_000, 3));
    assertEquals(1, use(uses, 1_999, 1));
  }

  @Test
  void weighsTheWindowBeforeByWhatIsStillCovered() {
    Uses uses = new Uses.Counter(10, 1_000);
    assertEquals(0, use(uses, 0, 10));
    assertEquals(0, use(uses, 1_500, 5));
    assertEquals(1, use(uses, 1_500, 1));
    assertEquals(10, uses.freeAt(START_US + 9_000));
  }

  @Test
  void seesOneTooManyInAWindowAcrossAnyEdge() {
    Uses uses = new Uses.Log(20, 1_000);
    assertEquals(0, use(uses, 700, 20));
    assertEquals(1, use(uses, 1_699, 1));
    assertEquals(0, use(uses, 1_700, 19));
    assertEquals(1, use(uses, 1_700, 1));
  }

  @Test
  void countsASubWindowUntilAWindowLaterItLeavesWhole() {
    Uses uses = new Uses.Ring(10, 100, 10);
    assertEquals(0, use(uses, 99, 10));
    assertEquals(1, use(uses, 999, 1));
    assertEquals(0, use(uses, 1_000, 9));
    assertEquals(1, use(uses, 1_001, 1));
  }
}
