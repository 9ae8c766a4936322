package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.store.LeaseGrant;
import dev.weir.algorithms.store.PacedBudget;
import dev.weir.algorithms.store.StoredBudgets;
import java.io.IOException;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** Leases of the script: units kept, their life, their marks, and refunds of them. */
class LeaseIT extends ScriptServer {
  private static final long SECOND_US = 1_000_000;
  private static final long MINUTE_US = 60 * SECOND_US;
  private static final long NOW = 1_700_000_000_000_000L;
  private static final long LIFE = 100_000;

  private static final ScriptLimit PLAIN = ScriptLimit.paced(1_000, 1_000, SECOND_US);
  private static final ScriptLimit LEASED = PLAIN.leased(LIFE);

  private final CheckCall call = new CheckCall(8);

  private CheckReply lease(long requests, long keep, long lifeUs, ScriptLimit limit, long nowUs)
      throws IOException {
    call.clear(nowUs).lease(requests, keep, lifeUs, 1, limit);
    return at(nowUs, call, "{p}");
  }

  private long grant(long requests, ScriptLimit limit, long nowUs) throws IOException {
    call.clear(nowUs).check(requests, 1, limit);
    return at(nowUs, call, "{p}").granted(0);
  }

  private long remaining(ScriptLimit limit, long nowUs) throws IOException {
    call.clear(nowUs).peek(1, 1, limit);
    return at(nowUs, call, "{p}").remaining(0);
  }

  private int giveBack(long units, long atUs, long lifeUs, ScriptLimit limit, long mark, long nowUs)
      throws IOException {
    call.clear(nowUs).refund(units, atUs, lifeUs, limit, mark);
    return at(nowUs, call, "{p}").status(0);
  }

  private String valueBytes() throws IOException {
    return client.text("STRLEN", "{p}");
  }

  @Test
  void keepsAQuarterOfWhatIsFreeAtTheEndOfALife() throws Exception {
    final CheckReply reply = lease(100, 1_000, LIFE, LEASED, NOW);
    assertEquals(CheckReply.GRANTED, reply.status(0));
    assertEquals(100, reply.granted(0));
    // A hundred will have come back by then, as many as were granted: 900 are free.
    assertEquals(225, reply.kept(0));
    assertEquals(LIFE, reply.lifeUs(0));
    assertEquals(1_000 - 325, reply.remaining(0));
    assertEquals(0, reply.retryAfterUs(0));
    assertEquals(NOW + 325_000, reply.resetAtUs(0));
  }

  @Test
  void keepsNothingIfNotAllThatIsWantedNowIsGranted() throws Exception {
    final CheckReply reply = lease(1_001, 10, LIFE, LEASED, NOW);
    assertEquals(1_000, reply.granted(0));
    assertEquals(0, reply.kept(0));
    assertEquals(0, reply.lifeUs(0));
    assertTrue(reply.retryAfterUs(0) > 0);
  }

  @Test
  void keepsWithoutGrantingAnythingNowAndWritesNothingIfThereIsNothingToKeep() throws Exception {
    assertEquals(0, lease(0, 0, LIFE, LEASED, NOW).status(0));
    assertEquals("0", client.text("EXISTS", "{p}"));
    final CheckReply ahead = lease(0, 10, LIFE, LEASED, NOW);
    assertEquals(CheckReply.GRANTED, ahead.status(0));
    assertEquals(0, ahead.granted(0));
    assertEquals(10, ahead.kept(0));
    assertEquals(0, ahead.retryAfterUs(0));
  }

  @Test
  void keepsNothingOfTheLastFour() throws Exception {
    assertEquals(897, grant(897, LEASED, NOW));
    // With life, 103 are free, less the hundred of it that are owed already.
    assertEquals(25, lease(0, 100, LIFE, LEASED, NOW).kept(0));
    assertEquals(75, grant(75, LEASED, NOW));
    assertEquals(0, lease(0, 100, LIFE, LEASED, NOW).kept(0));
    assertEquals(1, lease(0, 100, LIFE, LEASED, NOW + 1_000).kept(0));
  }

  @Test
  void aPacedLimitThatIsNotLeasedKeepsNothingAndALongerLifeThanItsOwnIsShortened()
      throws Exception {
    assertEquals(0, lease(1, 100, LIFE, PLAIN, NOW).kept(0));
    assertEquals("41", valueBytes());
    final CheckReply reply = lease(1, 100, 2 * LIFE, LEASED, NOW);
    assertEquals(LIFE, reply.lifeUs(0));
    assertEquals(50, reply.kept(0));
  }

  @Test
  void aLifeEndsWithTheWindowAndLessIsKeptInProportionRoundedUp() throws Exception {
    final ScriptLimit window = ScriptLimit.fixedWindow(1_000, SECOND_US, 0);
    final ScriptLimit counter = ScriptLimit.slidingCounter(1_000, SECOND_US);
    final ScriptLimit ring = ScriptLimit.bucketRing(1_000, 10 * SECOND_US, 10);
    final ScriptLimit log = ScriptLimit.slidingLog(1_000, SECOND_US);
    for (ScriptLimit limit : new ScriptLimit[] {window, counter, ring, log}) {
      client.text("FLUSHALL");
      final CheckReply reply = lease(1, 100, LIFE, limit, NOW + SECOND_US - LIFE / 3);
      assertEquals(limit == log ? LIFE : LIFE / 3, reply.lifeUs(0));
      assertEquals(limit == log ? 100 : 34, reply.kept(0));
      assertEquals(CheckCall.NO_MARK, reply.keptMark(0, 0));
    }
  }

  @Test
  void aCalendarsWindowEndsALifeAndNothingIsGrantedBeyondTheEdgesThatAreKnown() throws Exception {
    final ScriptLimit day = ScriptLimit.calendarWindow(1_000, ChronoUnit.DAYS, ZoneId.of("UTC"));
    final long dayUs = 24 * 60 * MINUTE_US;
    final long midnight = NOW - NOW % dayUs;
    assertEquals(LIFE / 2, lease(1, 100, LIFE, day, midnight - LIFE / 2).lifeUs(0));
    call.clear(midnight + dayUs / 2 - 1).lease(1, 100, LIFE, 1, day);
    final CheckReply late = at(midnight + 2 * dayUs, call, "{p}");
    assertEquals(0, late.granted(0));
    assertEquals(0, late.kept(0));
  }

  @Test
  void allLimitsOfACheckKeepTheSameOrNothing() throws Exception {
    final ScriptLimit window = ScriptLimit.fixedWindow(40, SECOND_US, 0);
    call.clear().lease(2, 100, LIFE, 3, LEASED);
    call.also(window, 2);
    final CheckReply reply = at(NOW + SECOND_US - LIFE / 2, call, "{p}", "{p}w");
    assertEquals(2, reply.granted(0));
    assertEquals(LIFE / 2, reply.lifeUs(0));
    assertEquals(36 / 4 / 2, reply.kept(0));
    assertEquals(1, reply.limitIndex(0));
    assertEquals(40 - 2 * 6, reply.remaining(0));
    assertEquals(CheckCall.NO_MARK, reply.keptMark(0, 1));
    client.text("SET", "{p}w", "hello");
    final CheckReply foreign = at(NOW + 2 * SECOND_US, call, "{p}", "{p}w");
    assertEquals(CheckReply.FOREIGN, foreign.status(0));
    assertEquals(1, foreign.limitIndex(0));
    assertEquals(0, foreign.kept(0));
  }

  @Test
  void whoeverMeetsACountedValueKeepsItSoAndCountsInIt() throws Exception {
    assertEquals(5, grant(5, PLAIN, NOW));
    assertEquals("41", valueBytes());
    final long mark = lease(0, 10, LIFE, LEASED, NOW).keptMark(0, 0);
    assertEquals("44", valueBytes());
    assertEquals(7, grant(7, PLAIN, NOW));
    assertEquals("44", valueBytes());
    call.clear().debt(3, 1, NOW, PLAIN);
    at(NOW, call, "{p}");
    final CheckReply reply = lease(2, 4, LIFE, LEASED, NOW);
    assertEquals(mark + 7 + 3 + 2 + 4, reply.keptMark(0, 0));
    assertEquals(mark + 7 + 3 + 2, reply.grantedMark(0, 0, 1));
  }

  /** Else what the lease holds up would come back too. */
  @Test
  void aRefundUnderALimitThatIsNotLeasedKnowsOfTheLeasesOfOthers() throws Exception {
    assertEquals(50, grant(50, PLAIN, NOW));
    assertEquals(10, lease(0, 10, LIFE, LEASED, NOW).kept(0));
    assertEquals(1_000 - 110, remaining(PLAIN, NOW));
    assertEquals(CheckReply.NOTHING, giveBack(50, NOW, 0, PLAIN, CheckCall.NO_MARK, NOW));
    assertEquals(1_000 - 110, remaining(PLAIN, NOW));
  }

  @Test
  void whatDiedUnusedComesBackInFullWhereOthersOweTheRest() throws Exception {
    final long life = 2 * SECOND_US;
    final ScriptLimit limit = ScriptLimit.paced(600, 600, MINUTE_US).leased(life);
    for (boolean isMarked : new boolean[] {false, true}) {
      client.text("FLUSHALL");
      assertEquals(100, grant(100, limit, NOW));
      final CheckReply kept = lease(0, 60, life, limit, NOW);
      assertEquals(60, kept.kept(0));
      final long mark = isMarked ? kept.keptMark(0, 0) : CheckCall.NO_MARK;
      final long late = NOW + 5 * SECOND_US;
      assertEquals(600 - 110, remaining(limit, late));
      assertEquals(CheckReply.DONE, giveBack(60, NOW, life, limit, mark, late));
      // Thirty have drained since the end of the life. By the mark they were those of before.
      assertEquals(600 - 110 + (isMarked ? 60 : 30), remaining(limit, late));
    }
  }

  /** A unit and more comes back in a life: it is none of what others keep. */
  @Test
  void whatWasGrantedAtOnceComesBackInFullWhateverIsKept() throws Exception {
    final CheckReply before = lease(0, 10, LIFE, LEASED, NOW);
    assertEquals(10, before.kept(0));
    final CheckReply granted = lease(3, 0, LIFE, LEASED, NOW + 1_000);
    assertEquals(
        CheckReply.DONE,
        giveBack(3, NOW + 1_000, 0, LEASED, granted.grantedMark(0, 0, 1), NOW + 3_000));
    assertEquals(1_000 - 107, remaining(LEASED, NOW + 3_000));
    final long later = NOW + 1_000_000;
    final long mark = lease(3, 0, LIFE, LEASED, later).grantedMark(0, 0, 1);
    assertEquals(CheckReply.DONE, giveBack(3, later, 0, LEASED, mark, later + 500));
    assertEquals(1_000, remaining(LEASED, later + 500));
  }

  @Test
  void marksCountOnBeyondTheirWrap() throws Exception {
    final long wrap = NOW - NOW % (1L << 32) + (1L << 32);
    final long justBefore = wrap - 1;
    final CheckReply reply = lease(100, 200, LIFE, LEASED, justBefore);
    assertEquals(300 - 256, reply.keptMark(0, 0));
    assertEquals((1L << 40) - 256 + 100, reply.grantedMark(0, 0, 1));
    final PacedBudget twin = new PacedBudget(1_000, 1, 1_000, LIFE);
    final LeaseGrant grant = new LeaseGrant(1);
    new StoredBudgets(twin).lease(100, 200, LIFE, new long[] {1}, justBefore, grant);
    assertEquals(reply.keptMark(0, 0), grant.keptMark(0));
    assertEquals(reply.grantedMark(0, 0, 1), grant.grantedMark(0));
    // 100 of 300, 200 since: what is owed besides what the lease holds up is nothing of the 100.
    giveBack(100, justBefore, 0, LEASED, reply.grantedMark(0, 0, 1), justBefore + LIFE);
    assertEquals(1_000 - 200, remaining(LEASED, justBefore + LIFE));
  }

  @Test
  void aCounterThatStartedAnewGivesNothingBackForAnOldMark() throws Exception {
    final CheckReply kept = lease(0, 100, LIFE, LEASED, NOW);
    final long mark = kept.keptMark(0, 0);
    for (String gone : new String[] {"DEL", "UNLINK"}) { // as expired, or evicted
      client.text(gone, "{p}");
      final long later = NOW + LIFE + 100_000;
      assertEquals(1_000, grant(1_000, LEASED, later));
      assertEquals(CheckReply.NOTHING, giveBack(100, NOW, LIFE, LEASED, mark, later));
      assertEquals(0, remaining(LEASED, later));
    }
  }

  @Test
  void aCountedValueLivesNoLongerThanWhatIsOwed() throws Exception {
    call.clear().lease(0, 100, LIFE, 1, LEASED);
    reply(client.eval(EXPIRING, Long.toString(NOW), call, "{p}"), call);
    final long left = Long.parseLong(client.text("PTTL", "{p}"));
    assertTrue(left <= 200, left + " ms");
  }

  @Test
  void aWindowTakesBackWhatItCountsAndALogWhatLeavesByTheEndOfTheLife() throws Exception {
    final ScriptLimit window = ScriptLimit.fixedWindow(1_000, SECOND_US, 0);
    assertEquals(100, lease(0, 100, LIFE, window, NOW).kept(0));
    assertEquals(CheckReply.NOTHING, giveBack(100, NOW, LIFE, window, -1, NOW + SECOND_US));
    assertEquals(CheckReply.DONE, giveBack(100, NOW, LIFE, window, -1, NOW + LIFE));
    client.text("FLUSHALL");
    final ScriptLimit log = ScriptLimit.slidingLog(1_000, SECOND_US);
    assertEquals(100, lease(0, 100, LIFE, log, NOW).kept(0));
    final long left = NOW + SECOND_US + LIFE;
    assertEquals(1_000 - 100, remaining(log, left - 1));
    assertEquals(1_000, remaining(log, left));
    assertEquals(CheckReply.NOTHING, giveBack(100, NOW, LIFE, log, -1, left));
    assertEquals(CheckReply.DONE, giveBack(100, NOW, LIFE, log, -1, left - 1));
  }

  @Test
  void aRingTakesBackIntoTheSubWindowOfTheChargeAsLongAsThatCounts() throws Exception {
    final ScriptLimit ring = ScriptLimit.bucketRing(1_000, 10 * SECOND_US, 10);
    assertEquals(50, grant(50, ring, NOW));
    assertEquals(100, lease(0, 100, LIFE, ring, NOW).kept(0));
    final long later = NOW + 9 * SECOND_US;
    assertEquals(300, grant(300, ring, later));
    assertEquals(CheckReply.NOTHING, giveBack(100, NOW + SECOND_US, LIFE, ring, -1, later));
    assertEquals(1_000 - 450, remaining(ring, later));
    assertEquals(CheckReply.DONE, giveBack(60, NOW, LIFE, ring, -1, later));
    assertEquals(1_000 - 390, remaining(ring, later));
    final long left = NOW + 10 * SECOND_US;
    assertEquals(1_000 - 300, remaining(ring, left));
    assertEquals(1, grant(1, ring, left));
    assertEquals(CheckReply.NOTHING, giveBack(40, NOW, LIFE, ring, -1, left));
    assertEquals(1_000 - 301, remaining(ring, left));
  }

  /** Charges of a clock that stepped back count in the newest sub-window. */
  @Test
  void aRingTakesNothingBackOutOfALaterSubWindowThanThatOfTheCharge() throws Exception {
    final ScriptLimit ring = ScriptLimit.bucketRing(1_000, 10 * SECOND_US, 10);
    assertEquals(5, grant(5, ring, NOW));
    assertEquals(5, grant(5, ring, NOW + 2 * SECOND_US));
    assertEquals(100, lease(0, 100, LIFE, ring, NOW).kept(0));
    assertEquals(CheckReply.DONE, giveBack(100, NOW, LIFE, ring, -1, NOW + 2 * SECOND_US));
    assertEquals(1_000 - 105, remaining(ring, NOW + 2 * SECOND_US));
  }

  @Test
  void travelsWithChecksInOneCall() throws Exception {
    call.clear();
    call.check(1, 1, PLAIN);
    call.lease(2, 20, LIFE, 1, LEASED);
    call.refund(1, NOW, PLAIN);
    call.lease(3, 0, LIFE, 1, LEASED);
    call.check(1, 1, PLAIN);
    final CheckReply reply = at(NOW, call, "{p}a", "{p}b", "{p}a", "{p}c", "{p}a");
    assertEquals(1, reply.granted(0));
    assertEquals(2, reply.granted(1));
    assertEquals(CheckReply.DONE, reply.status(2));
    assertEquals(3, reply.granted(3));
    assertEquals(999, reply.remaining(4));
    assertEquals(20, reply.kept(0));
    assertEquals(0, reply.kept(1));
  }
}
