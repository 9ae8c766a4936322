package dev.weir.algorithms.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeasingTest {
  private static final long MS = 1_000_000;
  private static final long LIFE_NS = 100 * MS;
  private static final long DEADLINE_NS = 5 * MS;
  private static final LeaseTerms TERMS = new LeaseTerms(LIFE_NS, true);
  private static final LeaseTerms OF_WINDOW = new LeaseTerms(LIFE_NS, false);
  private static final long KEY = 7;

  private final LeaseTable hands = new LeaseTable(64);
  private final RoundTrips roundTrips = new RoundTrips();
  private final Leasing leasing = new Leasing(hands, roundTrips, DEADLINE_NS);
  private final Taken taken = new Taken();
  private long nowNs = 10_000 * MS;

  @AfterEach
  void close() {
    hands.close();
  }

  /** A number of arrivals, equally far apart. */
  private int arrive(int count, long pauseNs) {
    int hand = LeaseTable.NONE;
    for (int i = 0; i < count; i++) {
      nowNs += pauseNs;
      hand = leasing.arrived(KEY, TERMS, nowNs);
    }
    return hand;
  }

  private void lease(int hand, long units, long lifeNs) {
    hands.publish(hand, hands.reserve(hand, KEY), units, nowNs + lifeNs);
    leasing.answered(hand, TERMS, leasing.askNs(nowNs), units, units, false, false, nowNs);
  }

  @Test
  void wantsHalfOfWhatComesInALife() {
    int hand = arrive(10_000, MS / 10); // 10 per ms, for many times 250 ms
    double perLife = 10 * 100;
    assertEquals(perLife / 2, leasing.want(hand, TERMS, 1, nowNs), perLife / 50);
  }

  @Test
  void doesNotCountThePresentArrival() {
    int hand = arrive(10, 0); // 9 before it come to 3.6 in a life
    assertEquals(0, leasing.want(hand, TERMS, 1, nowNs));
    arrive(1, 0); // 10 to 4
    assertEquals(2, leasing.want(hand, TERMS, 1, nowNs));
  }

  @Test
  void wantsNothingOfAKeyThatSeldomComes() {
    int hand = arrive(1_000, 30 * MS); // 3.3 in a life
    assertEquals(0, leasing.want(hand, TERMS, 1, nowNs));
    assertFalse(hands.isAsked(hand, nowNs));
  }

  @Test
  void wantsNoMoreUnitsThanALeaseCanHave() {
    int hand = arrive(10_000, MS / 10);
    assertEquals(1, leasing.want(hand, TERMS, LeaseTable.MAX_UNITS, nowNs));
    nowNs += DEADLINE_NS;
    assertEquals(0, leasing.want(hand, TERMS, LeaseTable.MAX_UNITS + 1, nowNs));
  }

  @Test
  void leasesNothingWhoseLifeIsSpentOnTheWay() {
    roundTrips.add(LIFE_NS / 4 + 1);
    assertEquals(LeaseTable.NONE, leasing.arrived(KEY, TERMS, nowNs));
    for (int i = 0; i < 10; i++) {
      roundTrips.add(MS);
    }
    assertTrue(leasing.arrived(KEY, TERMS, nowNs) >= 0);
  }

  @Test
  void asksAheadWhenAFifthIsLeft() {
    int hand = arrive(100, MS);
    lease(hand, 10, LIFE_NS);
    for (int left = 9; left > 2; left--) {
      assertTrue(hands.take(hand, KEY, 1, nowNs, taken));
      assertFalse(leasing.isAlmostEmpty(TERMS, taken, nowNs), "left: " + left);
    }
    assertTrue(hands.take(hand, KEY, 1, nowNs, taken));
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs));
  }

  @Test
  void asksAheadAFifthOfALifeBeforeTheEnd() {
    int hand = arrive(100, MS);
    lease(hand, 100, LIFE_NS);
    nowNs += 79 * MS;
    assertTrue(hands.take(hand, KEY, 1, nowNs, taken));
    assertFalse(leasing.isAlmostEmpty(TERMS, taken, nowNs));
    nowNs += 2 * MS;
    assertTrue(hands.take(hand, KEY, 1, nowNs, taken));
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs));
  }

  @Test
  void asksNothingAheadOfAWindowsEnd() {
    int hand = arrive(100, MS);
    hands.publish(hand, hands.reserve(hand, KEY), 100, nowNs + 10 * MS);
    leasing.answered(hand, TERMS, leasing.askNs(nowNs), 100, 100, false, true, nowNs);
    assertTrue(hands.take(hand, KEY, 1, nowNs, taken));
    assertFalse(leasing.isAlmostEmpty(TERMS, taken, nowNs));
    assertTrue(hands.take(hand, KEY, 79, nowNs, taken));
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs), "but when it is nearly used up");
  }

  @Test
  void asksOnceUntilTheAnswerOrTheDeadline() {
    int hand = arrive(1_000, MS);
    lease(hand, 1, LIFE_NS);
    assertTrue(leasing.want(hand, TERMS, 1, nowNs) > 0);
    final long askNs = leasing.askNs(nowNs);
    assertEquals(0, leasing.want(hand, TERMS, 1, nowNs));
    assertTrue(hands.take(hand, KEY, 1, nowNs, taken));
    assertFalse(leasing.isAlmostEmpty(TERMS, taken, nowNs));
    leasing.lost(hand, askNs);
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs));
    assertTrue(leasing.want(hand, TERMS, 1, nowNs) > 0);
    nowNs += DEADLINE_NS;
    assertTrue(leasing.want(hand, TERMS, 1, nowNs) > 0, "a lost reply silences nobody");
  }

  @Test
  void pausesAfterAnAskAheadThatFoundNothing() {
    int hand = arrive(1_000, MS);
    lease(hand, 10, 2 * LIFE_NS);
    assertTrue(hands.take(hand, KEY, 9, nowNs, taken));
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs));
    leasing.answered(hand, TERMS, leasing.askNs(nowNs), 0, 10, true, false, nowNs);
    assertFalse(leasing.isAlmostEmpty(TERMS, taken, nowNs + 25 * MS));
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs + 26 * MS));
    assertTrue(leasing.want(hand, TERMS, 1, nowNs) > 0, "a request may still ask for itself");
  }

  @Test
  void pausesAsksAheadWhereUnitsAreFewAndRequestsAskForThemselves() {
    int hand = arrive(1_000, MS);
    lease(hand, 4, 2 * LIFE_NS);
    leasing.answered(hand, TERMS, leasing.askNs(nowNs), 4, 8, false, false, nowNs);
    assertTrue(hands.take(hand, KEY, 3, nowNs, taken));
    assertFalse(leasing.isAlmostEmpty(TERMS, taken, nowNs));
    assertTrue(hands.take(hand, KEY, 1, nowNs, taken));
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs), "half of what was wanted is enough");
    lease(hand, 4, 2 * LIFE_NS);
    leasing.answered(hand, TERMS, leasing.askNs(nowNs), 4, 9, false, false, nowNs);
    assertTrue(hands.take(hand, KEY, 4, nowNs, taken));
    assertFalse(leasing.isAlmostEmpty(TERMS, taken, nowNs + 25 * MS));
    assertTrue(leasing.isAlmostEmpty(TERMS, taken, nowNs + 26 * MS));
    assertTrue(leasing.want(hand, TERMS, 1, nowNs) > 0, "a request may still ask");
  }

  @Test
  void spacesAsksOfAKeyThatIsRefusedFromTwoRoundTripsToAQuarterOfALife() {
    roundTrips.add(MS);
    int hand = arrive(10, MS);
    long spacingNs = 0;
    for (long expected : new long[] {2, 4, 8, 16, 25, 25}) {
      assertFalse(leasing.isSpaced(hand, TERMS, nowNs));
      leasing.decided(hand, TERMS, true, nowNs, 0, nowNs);
      spacingNs = leasing.spacedUntilNs(hand) - nowNs;
      assertEquals(expected * MS, spacingNs, 6 * 65_536.0); // ticks, doubled and rounded
      nowNs += spacingNs + 65_536;
    }
    leasing.decided(hand, TERMS, true, nowNs, 0, nowNs);
    leasing.decided(hand, TERMS, false, nowNs, 0, nowNs);
    assertFalse(leasing.isSpaced(hand, TERMS, nowNs));
  }

  @Test
  void spacesFromTheEndOfTheProofOn() {
    roundTrips.add(MS);
    int hand = arrive(10, MS);
    leasing.decided(hand, TERMS, true, nowNs, nowNs + 10 * MS, nowNs);
    assertEquals(nowNs + 12 * MS, leasing.spacedUntilNs(hand), 2 * 65_536.0);
  }

  @Test
  void spacesForAQuarterOfALifeThoughNothingComesBackForADayAndNotAtAllWhereMoreMayBeThere() {
    roundTrips.add(MS);
    int hand = arrive(10, MS);
    for (int i = 0; i < 4; i++) {
      leasing.decided(hand, TERMS, true, nowNs, nowNs + 86_400_000 * MS, nowNs);
      assertEquals(nowNs + 25 * MS, leasing.spacedUntilNs(hand), 2 * 65_536.0);
      nowNs += 26 * MS;
      assertFalse(leasing.isSpaced(hand, TERMS, nowNs));
    }
    leasing.decided(hand, TERMS, true, nowNs, nowNs + 86_400_000 * MS, nowNs);
    assertTrue(leasing.isSpaced(hand, TERMS, nowNs));
    leasing.endSpacing(hand);
    assertFalse(leasing.isSpaced(hand, TERMS, nowNs));
  }

  @Test
  void spacesNothingWhereARefusalHoldsUntilTheWindowEnds() {
    int hand = arrive(10, MS);
    leasing.decided(hand, OF_WINDOW, true, nowNs, 0, nowNs);
    assertFalse(leasing.isSpaced(hand, OF_WINDOW, nowNs));
  }

  @Test
  void medianOfRoundTripsIsFoundAndIsNotThatOfTheSlowOnes() {
    RoundTrips all = new RoundTrips();
    for (int i = 0; i < 2_000; i++) {
      all.add(i % 10 == 0 ? 50 * MS : MS + i % 7);
    }
    assertEquals(MS, all.medianNs(), 0.1 * MS);
  }

  @Test
  void aMachineThatStoodStillIsNoticed() {
    SuspensionWatch watch = new SuspensionWatch();
    assertFalse(watch.isSuspended(1_000 * MS, nowNs, 25 * MS));
    assertFalse(watch.isSuspended(1_035 * MS, nowNs + 10 * MS, 25 * MS));
    assertTrue(watch.isSuspended(1_071 * MS, nowNs + 20 * MS, 25 * MS));
    assertFalse(watch.isSuspended(1_081 * MS, nowNs + 30 * MS, 25 * MS));
    watch.forget();
    assertFalse(watch.isSuspended(9_000 * MS, nowNs + 40 * MS, 25 * MS));
  }
}
