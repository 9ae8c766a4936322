package dev.weir.algorithms.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTableTest {
  private static final long NOW_NS = 10_000_000_000L;
  private static final long MS = 1_000_000;
  private static final LeaseTerms TERMS = new LeaseTerms(100 * MS, true);

  private final LeaseTable hands = new LeaseTable(8);
  private final Taken taken = new Taken();

  @AfterEach
  void close() {
    hands.close();
  }

  private int hand(long key) {
    int hand = hands.claim(key, NOW_NS);
    hands.arrived(hand, TERMS, NOW_NS);
    return hand;
  }

  private int lease(int hand, long key, long units, long endNs) {
    int place = hands.reserve(hand, key);
    hands.publish(hand, place, units, endNs);
    return place;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, 42, Long.MIN_VALUE})
  void everyKeyFindsItsHand(long key) {
    assertEquals(LeaseTable.NONE, hands.find(key));
    int hand = hand(key);
    assertEquals(hand, hands.find(key));
    assertEquals(1, hands.keyCount());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 9, 12, 1 << 25})
  void refusesACountThatIsNone(int count) {
    assertThrows(IllegalArgumentException.class, () -> new LeaseTable(count).close());
  }

  @Test
  void takesEveryUnitOnceAndNoneMore() {
    int hand = hand(7);
    lease(hand, 7, 3, NOW_NS + MS);
    for (int i = 2; i >= 0; i--) {
      assertTrue(hands.take(hand, 7, 1, NOW_NS, taken));
      assertEquals(i, taken.left());
    }
    assertFalse(hands.take(hand, 7, 1, NOW_NS, taken));
    assertEquals(0, hands.heldUnits());
  }

  @Test
  void takesNothingFromItsEndOn() {
    int hand = hand(7);
    lease(hand, 7, 3, NOW_NS + MS);
    assertEquals(3, hands.usable(7, NOW_NS));
    assertEquals(0, hands.usable(7, NOW_NS + MS));
    assertFalse(hands.take(hand, 7, 1, NOW_NS + MS, taken));
    assertEquals(3, hands.heldUnits());
  }

  @Test
  void takesOfTheLeaseThatEndsFirst() {
    int hand = hand(7);
    int late = lease(hand, 7, 5, NOW_NS + 4 * MS);
    int early = lease(hand, 7, 5, NOW_NS + 2 * MS);
    assertNotEquals(late, early);
    assertTrue(hands.take(hand, 7, 2, NOW_NS, taken));
    assertEquals(8, taken.left());
    assertEquals(5, hands.usable(7, NOW_NS + 3 * MS));
  }

  @Test
  void aRequestsUnitsComeFromBothLeases() {
    int hand = hand(7);
    lease(hand, 7, 5, NOW_NS + 4 * MS);
    lease(hand, 7, 5, NOW_NS + 2 * MS);
    assertFalse(hands.take(hand, 7, 11, NOW_NS, taken));
    assertTrue(hands.take(hand, 7, 7, NOW_NS, taken));
    assertEquals(7, taken.units());
    assertEquals(3, hands.usable(7, NOW_NS + 3 * MS));
    assertEquals(7, hands.putBack(taken));
    assertEquals(10, hands.usable(7, NOW_NS));
    assertEquals(5, hands.usable(7, NOW_NS + 3 * MS));
  }

  @Test
  void thereIsRoomForTwoLeases() {
    int hand = hand(7);
    lease(hand, 7, 5, NOW_NS + 4 * MS);
    lease(hand, 7, 5, NOW_NS + 2 * MS);
    assertEquals(LeaseTable.NO_PLACE, hands.reserve(hand, 7));
    assertTrue(hands.take(hand, 7, 5, NOW_NS, taken));
    assertNotEquals(LeaseTable.NO_PLACE, hands.reserve(hand, 7));
    assertEquals(0, hands.putBack(taken), "their lease is gone");
  }

  @Test
  void unitsOfALeaseThatIsUsedUpGoBackToIt() {
    int hand = hand(7);
    lease(hand, 7, 2, NOW_NS + MS);
    assertTrue(hands.take(hand, 7, 2, NOW_NS, taken));
    assertEquals(2, hands.putBack(taken));
    assertEquals(2, hands.usable(7, NOW_NS));
  }

  @Test
  void whatIsTakenOutIsNobodysUntilItIsRestored() {
    int hand = hand(7);
    int place = lease(hand, 7, 2, NOW_NS + MS);
    long lease = hands.lease(hand, place);
    assertEquals(2, hands.takeOut(hand, place, lease));
    assertEquals(0, hands.takeOut(hand, place, lease));
    assertFalse(hands.take(hand, 7, 1, NOW_NS, taken));
    hands.restore(hand, place, lease, 2);
    assertTrue(hands.take(hand, 7, 1, NOW_NS, taken));
    assertEquals(1, hands.takeOut(hand, place, lease));
    hands.free(hand, place);
    assertEquals(0, hands.putBack(taken));
    assertEquals(0, hands.heldUnits());
  }

  @Test
  void aLeaseWithoutUnitsThatIsEndedTakesNoneBack() {
    int hand = hand(7);
    int place = lease(hand, 7, 1, NOW_NS + MS);
    final long lease = hands.lease(hand, place);
    assertTrue(hands.take(hand, 7, 1, NOW_NS, taken));
    assertEquals(0, hands.takeOut(hand, place, lease));
    assertEquals(0, hands.putBack(taken));
  }

  @Test
  void aFullTableGivesNoHandUntilOneIsIdle() {
    for (long key = 10; key < 18; key++) {
      hand(key);
    }
    assertEquals(LeaseTable.NONE, hands.claim(18, NOW_NS));
    assertEquals(LeaseTable.NONE, hands.claim(18, NOW_NS + 990 * MS));
    assertEquals(2, hands.fullCount());
    int hand = hands.claim(18, NOW_NS + 1_010 * MS);
    assertEquals(hand, hands.find(18));
    assertEquals(8, hands.keyCount());
  }

  @Test
  void aHandWithUnitsOrAnAskUnderWayIsNoOtherKeys() {
    for (long key = 10; key < 18; key++) {
      int hand = hand(key);
      if (key % 2 == 0) {
        lease(hand, key, 1, NOW_NS + 3_000 * MS);
      } else {
        assertTrue(hands.ask(hand, NOW_NS, NOW_NS + 5_000 * MS));
      }
    }
    assertEquals(LeaseTable.NONE, hands.claim(18, NOW_NS + 2_000 * MS));
    assertEquals(
        LeaseTable.NONE, hands.claim(18, NOW_NS + 3_900 * MS), "they may be on their way back");
    assertNotEquals(LeaseTable.NONE, hands.claim(18, NOW_NS + 4_100 * MS));
    assertNotEquals(LeaseTable.NONE, hands.claim(19, NOW_NS + 5_000 * MS));
  }

  @Test
  void whoComesLateForAnotherKeysHandGetsNothing() {
    int hand = hand(10);
    for (long key = 11; key < 18; key++) {
      hand(key);
    }
    long laterNs = NOW_NS + 2_000 * MS;
    int now = hands.claim(18, laterNs);
    assertEquals(hand, now);
    assertEquals(LeaseTable.NO_PLACE, hands.reserve(hand, 10));
    lease(hand, 18, 4, laterNs + MS);
    assertFalse(hands.take(hand, 10, 1, laterNs, taken));
    assertEquals(4, hands.usable(18, laterNs));
  }

  @Test
  void oneAskIsUnderWayAtATimeAndIsForgottenAtItsDeadline() {
    int hand = hand(7);
    assertTrue(hands.ask(hand, NOW_NS, NOW_NS + 5 * MS));
    assertTrue(hands.isAsked(hand, NOW_NS + 4 * MS));
    assertFalse(hands.ask(hand, NOW_NS + 4 * MS, NOW_NS + 9 * MS));
    assertTrue(hands.ask(hand, NOW_NS + 5 * MS, NOW_NS + 10 * MS));
    hands.answered(hand, NOW_NS + 5 * MS);
    assertTrue(hands.isAsked(hand, NOW_NS + 6 * MS), "the answer was that of a forgotten one");
    hands.answered(hand, NOW_NS + 10 * MS);
    assertFalse(hands.isAsked(hand, NOW_NS + 6 * MS));
  }
}
