package dev.weir.scripts;

import static dev.weir.scripts.server.RespClient.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class CheckOnceIT extends ScriptServer {
  private static final long NOW = 1_700_000_000_000_000L;
  private static final ScriptLimit TEN = ScriptLimit.slidingLog(10, WINDOW_US);

  private final CheckCall call = new CheckCall(20);

  private CheckReply once(long nowUs) throws Exception {
    call.clear().checkOnce(2, TEN);
    return at(nowUs, call, "{p}", "{p}once");
  }

  private long remaining() throws Exception {
    call.clear().peek(1, 1, TEN);
    return at(NOW, call, "{p}").remaining(0);
  }

  @Test
  void repeatsTheFirstDecisionThreeTimesAndThenCharges() throws Exception {
    final CheckReply first = once(NOW);
    assertEquals(CheckReply.GRANTED, first.status(0));
    assertFalse(first.replayed(0));
    assertEquals(8, first.remaining(0));
    call.clear().check(1, 1, TEN);
    at(NOW, call, "{p}");
    for (int repeat = 1; repeat <= 3; repeat++) {
      final CheckReply again = once(NOW + repeat);
      assertTrue(again.replayed(0));
      assertEquals(CheckReply.GRANTED, again.status(0));
      assertEquals(1, again.granted(0));
      assertEquals(8, again.remaining(0));
      assertEquals(10, again.capacity(0));
      assertEquals(first.resetAtUs(0), again.resetAtUs(0));
      assertEquals(7, remaining());
    }
    final String record = client.text("GET", "{p}once");
    for (int further = 0; further < 5; further++) {
      final CheckReply charged = once(NOW);
      assertFalse(charged.replayed(0));
      assertEquals(further < 3 ? CheckReply.GRANTED : CheckReply.REFUSED, charged.status(0));
    }
    assertEquals(record, client.text("GET", "{p}once"));
  }

  @Test
  void keepsTheRecordFiveMinutesFromTheFirstDecisionOn() throws Exception {
    once(NOW);
    final long first = ttl();
    assertTrue(first > 290_000 && first <= 300_000, "PTTL " + first);
    client.text("PEXPIRE", "{p}once", "100000");
    for (int repeat = 0; repeat < 5; repeat++) {
      once(NOW);
      assertTrue(ttl() <= 100_000);
    }
    client.text("DEL", "{p}once");
    assertFalse(once(NOW).replayed(0));
    assertTrue(ttl() > 290_000);
  }

  private long ttl() throws Exception {
    return Long.parseLong(client.text("PTTL", "{p}once"));
  }

  @Test
  void grantsAKeyNoOtherCostThanTheOneItPaid() throws Exception {
    assertEquals(8, once(NOW).remaining(0));
    for (long cost : new long[] {1, 3, 9, 11, 500_000}) {
      call.clear().checkOnce(cost, TEN);
      final CheckReply other = at(NOW, call, "{p}", "{p}once");
      assertEquals(CheckReply.OTHER_COST, other.status(0), "cost " + cost);
      assertEquals(0, other.granted(0));
      assertEquals(8, remaining());
    }
    for (int repeat = 0; repeat < 3; repeat++) {
      assertTrue(once(NOW).replayed(0), "none of these was a repeat");
    }
    call.clear().checkOnce(1, TEN);
    final CheckReply last = at(NOW, call, "{p}", "{p}once");
    assertEquals(CheckReply.OTHER_COST, last.status(0), "nor when the repeats are used up");
    assertEquals(8, remaining());
  }

  private CheckReply ofTwoLimits(long cost, long costOfSecond) throws Exception {
    call.clear().checkOnce(cost, TEN);
    call.also(ScriptLimit.fixedWindow(9, WINDOW_US, 0), costOfSecond);
    return at(NOW, call, "{p}", "{p}w", "{p}once");
  }

  @Test
  void grantsAKeyNoOtherCostOfAFurtherLimit() throws Exception {
    assertEquals(CheckReply.GRANTED, ofTwoLimits(1, 1).status(0));
    assertEquals(CheckReply.OTHER_COST, ofTwoLimits(1, 3).status(0));
    assertTrue(ofTwoLimits(1, 1).replayed(0));
    client.text("DEL", "{p}once");
    assertEquals(CheckReply.GRANTED, ofTwoLimits(1, 3).status(0));
    assertEquals(CheckReply.OTHER_COST, ofTwoLimits(1, 1).status(0));
    assertEquals(CheckReply.OTHER_COST, ofTwoLimits(3, 1).status(0));
    assertTrue(ofTwoLimits(1, 3).replayed(0));
    assertEquals(8, remaining());
  }

  /** A reload adds limits, and names them anew: former names are further limits of a check. */
  @Test
  void repeatsUnderMoreLimitsOrFewerOfTheSameCosts() throws Exception {
    once(NOW);
    assertTrue(ofTwoLimits(2, 2).replayed(0));
    client.text("DEL", "{p}once");
    ofTwoLimits(2, 2);
    assertTrue(once(NOW).replayed(0));
    client.text("DEL", "{p}once");
    ofTwoLimits(2, 3);
    call.clear().checkOnce(2, TEN);
    call.also(ScriptLimit.fixedWindow(9, WINDOW_US, 0), 3);
    call.also(ScriptLimit.fixedWindow(9, 2 * WINDOW_US, 0), 3);
    assertTrue(at(NOW, call, "{p}", "{p}w", "{p}v", "{p}once").replayed(0));
  }

  @Test
  void repeatsARecordOfSeveralLimitsThatHasTheCostOfTheFirst() throws Exception {
    ofTwoLimits(1, 3);
    final byte[] record = record();
    assertEquals(60, record.length);
    final ByteBuffer fields = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    assertTrue(fields.getDouble(44) < 0, "earlier versions read it as one without a cost");
    fields.putDouble(44, 1);
    client.send(bytes("SET"), bytes("{p}once"), record);
    assertTrue(ofTwoLimits(1, 3).replayed(0));
    assertEquals(CheckReply.OTHER_COST, ofTwoLimits(3, 3).status(0));
  }

  /** Sidecars of two versions share a store: records have the 60 bytes that they always had. */
  @Test
  void repeatsARecordThatWasWrittenBeforeRecordsHadCosts() throws Exception {
    once(NOW);
    final byte[] record = record();
    assertEquals(60, record.length);
    final ByteBuffer fields = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(2, fields.getDouble(44), "the cost");
    fields.putDouble(44, 0);
    client.send(bytes("SET"), bytes("{p}once"), record);
    call.clear().checkOnce(9, TEN);
    final CheckReply reply = at(NOW, call, "{p}", "{p}once");
    assertTrue(reply.replayed(0));
    assertEquals(0, reply.retryAfterUs(0));
    assertEquals(60, record().length);
  }

  private byte[] record() throws Exception {
    return client.send(bytes("GET"), bytes("{p}once"));
  }

  @Test
  void keepsNoRefusalSoThatTheClientMayTryAgain() throws Exception {
    call.clear().check(9, 1, TEN);
    at(NOW, call, "{p}");
    assertEquals(CheckReply.REFUSED, once(NOW).status(0));
    assertNull(client.text("GET", "{p}once"));
    final CheckReply later = once(NOW + WINDOW_US);
    assertEquals(CheckReply.GRANTED, later.status(0));
    assertFalse(later.replayed(0));
  }

  @Test
  void repeatsWithinOneCallAndUnderSeveralLimits() throws Exception {
    call.clear();
    for (int i = 0; i < 2; i++) {
      call.checkOnce(3, TEN);
      call.also(ScriptLimit.fixedWindow(4, WINDOW_US, 0), 3);
    }
    final CheckReply reply = at(NOW, call, "{p}", "{p}w", "{p}once", "{p}", "{p}w", "{p}once");
    assertFalse(reply.replayed(0));
    assertTrue(reply.replayed(1));
    assertEquals(1, reply.limitIndex(1));
    assertEquals(1, reply.remaining(1));
    assertEquals(7, remaining());
  }

  @Test
  void tellsARepeatWhatIsLeftOfItsWait() throws Exception {
    final ScriptLimit queue = ScriptLimit.queue(5, 1, 1_000_000, 10_000_000);
    call.clear().check(2, 1, queue);
    call.checkOnce(1, queue);
    assertEquals(2_000_000, at(NOW, call, "{p}", "{p}", "{p}once").waitUs(1));
    call.clear().checkOnce(1, queue);
    assertEquals(1_999_990, at(NOW + 10, call, "{p}", "{p}once").waitUs(0));
    call.clear().checkOnce(1, queue);
    assertEquals(0, at(NOW + 3_000_000, call, "{p}", "{p}once").waitUs(0));
  }

  @Test
  void isDecidedAnewOnceItsChargeHasBeenRefundedAndItsRecordReset() throws Exception {
    once(NOW);
    call.clear().refund(2, NOW, TEN);
    call.reset(1);
    final CheckReply reply = at(NOW, call, "{p}", "{p}once");
    assertEquals(CheckReply.DONE, reply.status(0));
    assertEquals(CheckReply.DONE, reply.status(1));
    assertEquals(10, remaining());
    assertFalse(once(NOW).replayed(0));
    assertEquals(8, remaining());
  }

  @Test
  void chargesNothingWhereTheRecordIsNotOurs() throws Exception {
    client.text("HSET", "{p}once", "a", "b");
    CheckReply reply = once(NOW);
    assertEquals(CheckReply.FOREIGN, reply.status(0));
    assertEquals(1, reply.limitIndex(0));
    client.text("DEL", "{p}once");
    // A limit's state is no record, nor the other way round.
    call.clear().check(1, 1, TEN);
    at(NOW, call, "{p}once");
    assertEquals(CheckReply.FOREIGN, once(NOW).status(0));
    assertEquals(10, remaining());
    client.text("DEL", "{p}once");
    once(NOW);
    call.clear().check(1, 1, TEN);
    reply = at(NOW, call, "{p}once");
    assertEquals(CheckReply.FOREIGN, reply.status(0));
  }
}
