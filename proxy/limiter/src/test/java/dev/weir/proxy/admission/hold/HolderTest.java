package dev.weir.proxy.admission.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.hold.Holder.Answer;
import dev.weir.proxy.admission.hold.Holder.Applied;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HolderTest {
  private static final long SECOND = 1_000_000_000;
  private final Holder holder = new Holder();
  private final HoldMessage message = new HoldMessage();
  private long nowNs = 5 * SECOND;
  private long wallNs;
  private long ids = 1;

  @BeforeEach
  void begin() {
    holder.begin(1, ids);
  }

  private void say(long requests, long reserve) {
    say(requests, reserve, 0);
  }

  private void say(long requests, long reserve, long keep) {
    holder.reserve(0, reserve);
    holder.say(message, requests, keep, nowNs, wallNs);
  }

  private Answer applied(long granted) {
    return holder.answered(Applied.APPLIED, granted, 0, ++ids, nowNs, wallNs);
  }

  private void assertSays(boolean mayBeNew, long held, long charged) {
    assertEquals(mayBeNew, message.mayBeNew());
    assertEquals(held, message.held(0));
    assertEquals(charged, message.charged(0));
  }

  @Test
  void saysWhatItHoldsAndHasChargedInAbsoluteNumbers() {
    say(3, 4);
    assertSays(true, 0, 0);
    assertEquals(Answer.DECIDED, applied(2));
    holder.settle(0, holder.generation(), 4, 1, 0);
    say(1, 5);
    assertSays(false, 4, 1);
    assertEquals(Answer.DECIDED, applied(1));
    say(0, 1);
    assertSays(false, 9, 1);
    assertEquals(Answer.DECIDED, applied(0));
    assertFalse(holder.isUnsaid());
  }

  @Test
  void saysWhatWasNotAnsweredAsIfNothingHadBeenGranted() {
    say(1, 4);
    holder.lost();
    assertFalse(holder.isDue(nowNs));
    nowNs += SECOND / 2;
    assertTrue(holder.isDue(nowNs), "it may have been granted");
    say(0, 1);
    assertSays(true, 0, 0);
    assertEquals(Answer.DECIDED, applied(0));
    assertTrue(holder.isFree());
  }

  @Test
  void saysNothingOfWhatWasNeverSent() {
    say(1, 4);
    holder.unsent();
    assertTrue(holder.isFree());
  }

  @Test
  void aMessageThatWasNeverSentPutsNoRenewalOff() {
    say(1, 4);
    assertEquals(Answer.DECIDED, applied(1));
    nowNs += 3 * SECOND;
    assertTrue(holder.isDue(nowNs));
    say(0, 1);
    holder.unsent();
    assertTrue(holder.isDue(nowNs));
    say(2, 4);
    holder.unsent();
    assertTrue(holder.isDue(nowNs));
  }

  @Test
  void chargesAndSaysNoLargerNumbersThanTheStoreCanCount() {
    long most = (1L << 53) - 1;
    say(3, 4);
    assertEquals(Answer.DECIDED, applied(3));
    holder.settle(0, holder.generation(), 4, most - 1, 0);
    holder.settle(0, holder.generation(), 4, most, 0);
    say(0, 1);
    assertSays(false, 4, most);
    assertEquals(Answer.DECIDED, applied(0));
    holder.beginAnewIfFull(++ids);
    say(1, 4);
    assertSays(true, 0, 0);
    assertEquals(ids, message.id());
    assertEquals(Answer.DECIDED, applied(1));
    holder.settle(
        0, holder.generation() - 1, 4, 5, 0); // its reserve was charged as the record ended
    holder.beginAnewIfFull(++ids);
    say(0, 1);
    assertSays(false, 4, 1);
  }

  @Test
  void doesNotUseAnAnswerThatIsReadAfterTheLifeOfItsRecord() {
    say(1, 4);
    nowNs += Holder.ALIVE_NS;
    assertEquals(Answer.UNUSABLE, applied(1));
    assertEquals(0, holder.held(0));
    say(1, 4);
    nowNs += Holder.ALIVE_NS - 1;
    assertEquals(Answer.DECIDED, applied(1));
  }

  @Test
  void doesNotUseAnAnswerThatIsReadAfterTheMachineWasSuspendedForTheLifeOfItsRecord() {
    say(1, 4, 2);
    wallNs += Holder.ALIVE_NS; // the other clock stood still
    assertEquals(Answer.UNUSABLE, applied(1));
    assertEquals(0, holder.held(0));
    say(1, 4);
    wallNs += Holder.ALIVE_NS - 1;
    assertEquals(Answer.DECIDED, applied(1));
  }

  @Test
  void chargesWhatWasPaidOnlyWhatItCostMoreThanItsReserve() {
    say(2, 4);
    assertEquals(Answer.DECIDED, applied(2));
    final int generation = holder.generation();
    nowNs += 3 * SECOND;
    assertTrue(holder.isDue(nowNs), "a renewal");
    say(1, 4);
    assertEquals(Answer.ASK_AGAIN, holder.answered(Applied.FORGOTTEN, 0, 0, ++ids, nowNs, wallNs));
    holder.settle(0, generation, 4, 3, 0);
    holder.settle(0, generation, 4, 6, 0);
    say(1, 4);
    assertSays(true, 0, 0);
    assertEquals(ids, message.id());
    assertEquals(Answer.DECIDED, applied(0));
    assertTrue(holder.isUnsaid());
    say(0, 1);
    assertSays(false, 0, 2);
    assertEquals(Answer.DECIDED, applied(0));
    assertTrue(holder.isFree());
    assertFalse(holder.isOver(nowNs));
    assertTrue(holder.isOver(nowNs + Holder.LIFE_NS));
  }

  @Test
  void saysWhatEndsWhileAMessageIsUnderWayInTheNext() {
    say(1, 4);
    assertEquals(Answer.DECIDED, applied(1));
    say(0, 1);
    holder.settle(0, holder.generation(), 4, 2, 0);
    assertFalse(holder.isUnsaid(), "one at a time");
    assertEquals(Answer.DECIDED, applied(0));
    assertTrue(holder.isUnsaid());
    say(0, 1);
    assertSays(false, 0, 2);
  }

  @Test
  void stopsSayingAfterALifeThatALostMessageMayHaveBeenGranted() {
    say(1, 4);
    holder.lost();
    for (int i = 0; i < 19; i++) {
      nowNs += SECOND / 2;
      assertTrue(holder.isDue(nowNs));
      say(0, 1);
      holder.lost();
    }
    nowNs += SECOND / 2;
    assertFalse(holder.isDue(nowNs));
    assertTrue(holder.isFree());
  }

  /** Has ten units in hand, of which the record is a second old. */
  private void keepTen() {
    say(0, 1, 10);
    holder.answered(Applied.APPLIED, 0, 10, ++ids, nowNs, wallNs);
    nowNs += SECOND;
    wallNs += SECOND;
  }

  private boolean take(long units) {
    return holder.take(new long[] {units}, nowNs, wallNs);
  }

  private boolean settle(long reserved, long cost, long mostInHand) {
    return holder.settle(0, holder.generation(), reserved, cost, mostInHand);
  }

  @Test
  void unitsInHandAreLentOnceAndCountAsHeld() {
    assertFalse(take(1));
    keepTen();
    assertFalse(take(11));
    assertTrue(take(4));
    assertTrue(take(6));
    assertFalse(take(1));
    assertEquals(10, holder.held(0));
    assertFalse(holder.isUnsaid(), "the store knows it");
    say(0, 1);
    assertSays(false, 10, 0);
  }

  @Test
  void whatARequestDidNotUseIsInHandAgain() {
    keepTen();
    assertTrue(take(8));
    assertFalse(settle(8, 0, 10));
    assertFalse(holder.isUnsaid(), "as before");
    assertTrue(take(8));
    assertFalse(settle(8, 3, 10));
    assertEquals(7, holder.inHand(0));
    assertTrue(holder.isUnsaid());
    say(0, 1);
    assertSays(false, 7, 3);
  }

  @Test
  void whatARequestCostBeyondItsReserveIsTakenFromTheHand() {
    keepTen();
    assertTrue(take(4));
    assertFalse(settle(4, 6, 10));
    assertEquals(4, holder.inHand(0));
    assertTrue(take(4));
    assertFalse(settle(4, 9, 10));
    assertEquals(0, holder.inHand(0));
    say(0, 1);
    assertSays(false, 0, 15);
  }

  @Test
  void whatIsMoreThanMayBeInHandIsReleased() {
    keepTen();
    assertTrue(take(4));
    assertTrue(settle(4, 1, 7));
    assertEquals(7, holder.held(0));
    assertTrue(settle(0, 0, 0), "all of it");
    say(0, 1);
    assertSays(false, 0, 1);
  }

  @Test
  void aLookTellsTheFewestUnitsSinceTheLastOne() {
    keepTen();
    assertEquals(0, holder.look(0));
    assertTrue(take(4));
    settle(4, 0, 10);
    assertEquals(6, holder.look(0));
    assertEquals(10, holder.look(0));
    holder.release(0, 3);
    assertEquals(7, holder.look(0));
  }

  @Test
  void unitsAreLentUntilTheRecordMayHaveExpiredByEitherClock() {
    keepTen();
    nowNs += Holder.ALIVE_NS - SECOND - 1;
    wallNs += Holder.ALIVE_NS - SECOND - 1;
    assertTrue(take(1));
    nowNs++;
    assertFalse(take(1));
    nowNs--;
    wallNs++;
    assertFalse(take(1), "the machine was suspended");
    wallNs--;
    say(0, 1);
    holder.lost();
    nowNs++;
    assertFalse(take(1), "nobody knows whether that was heard");
    say(0, 1);
    assertEquals(Answer.DECIDED, applied(0));
    assertTrue(take(1));
  }

  @Test
  void nothingIsInHandOfARecordThatHasEnded() {
    keepTen();
    assertTrue(take(4));
    final int generation = holder.generation();
    say(0, 1);
    holder.answered(Applied.FORGOTTEN, 0, 0, ++ids, nowNs, wallNs);
    assertEquals(0, holder.inHand(0));
    assertFalse(take(1));
    assertFalse(holder.settle(0, generation, 4, 0, 10), "paid");
    assertEquals(0, holder.inHand(0));
  }
}
