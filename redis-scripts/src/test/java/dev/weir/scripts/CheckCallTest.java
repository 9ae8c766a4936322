package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class CheckCallTest {
  private static final ScriptLimit LIMIT = ScriptLimit.slidingLog(1, 1);

  private final CheckCall call = new CheckCall(4);

  @Test
  void writesNothingOfWhatItRefuses() {
    call.check(2, 3, LIMIT);
    final byte[] before = bytes();
    refused(
        "requests: 1, cost: 0 (expected: 1 or more each, and together at most 9007199254740991)",
        () -> call.check(1, 0, LIMIT));
    refused(null, () -> call.check(0, 1, LIMIT));
    refused(null, () -> call.peek(1L << 40, 1L << 40, LIMIT));
    refused(null, () -> call.peek(1L << 32, 1L << 31, LIMIT));
    refused(null, () -> call.more(0, (1L << 53) / 3));
    refused(null, () -> call.more(0, -1));
    refused("check: 1 (expected: from 0 to 0)", () -> call.more(1, 1));
    refused(null, () -> call.refund(1, -1, LIMIT));
    refused("keys: 9 (expected: from 1 to 8)", () -> call.reset(9));
    assertArrayEquals(before, bytes());
    assertEquals(1, call.keyCount());
    assertEquals(1, call.checkCount());
  }

  @Test
  void writesNothingOfALeaseThatItRefuses() {
    final ScriptLimit queue = ScriptLimit.queue(1, 1, 1, 0);
    final long longest = ScriptLimit.MAX_LIFE_US;
    call.lease(0, 0, 1, 1, LIMIT);
    call.lease(1, (1L << 53) / longest, longest, 1, LIMIT);
    final byte[] before = bytes();
    refused("lifeUs: 0 (expected: from 1 to 16777215)", () -> call.lease(1, 1, 0, 1, LIMIT));
    refused(null, () -> call.lease(1, 1, longest + 1, 1, LIMIT));
    refused(null, () -> call.lease(-1, 1, 1, 1, LIMIT));
    refused(null, () -> call.lease(1, -1, 1, 1, LIMIT));
    refused(null, () -> call.lease(1, (1L << 53) / longest + 1, longest, 1, LIMIT));
    refused(null, () -> call.lease(1 << 20, 1 << 20, 1, 1L << 33, LIMIT));
    final String noQueue = "limit: a queue (expected: one whose units can be kept)";
    refused(noQueue, () -> call.lease(1, 1, 1, 1, queue));
    refused(noQueue, () -> call.also(queue, 1));
    refused(null, () -> call.also(LIMIT, 1L << 40));
    refused(null, () -> call.refund(1, 1, longest + 1, LIMIT, 1));
    refused("mark: -2 (expected: from -1 to 1099511627775)", () -> call.refund(1, 1, 1, LIMIT, -2));
    refused(null, () -> call.refund(1, 1, 1, LIMIT, 1L << 40));
    assertArrayEquals(before, bytes());
    refused(null, () -> call.more(1, 1L << 53));
    refused(null, () -> call.more(1, (1L << 53) - (1L << 53) / longest - 1));
    assertEquals(2, call.leaseCount());
    assertEquals(0, call.clear().leaseCount());
  }

  @Test
  void writesNothingOfAHoldThatItRefuses() {
    final long longest = ScriptLimit.MAX_LIFE_US;
    final ScriptLimit queue = ScriptLimit.queue(1, 1, 1, 0);
    final ScriptLimit running = ScriptLimit.concurrency(3);
    call.hold(0, 1L << 20, longest, -1, 1);
    call.alsoHeld(running, 1, 2, 0, false);
    final byte[] before = bytes();
    assertEquals(2, call.keyCount());
    refused("lifeUs: 0 (expected: from 1 to 16777215)", () -> call.hold(1, 0, 0, 1, 1));
    refused(null, () -> call.hold(1, 0, longest + 1, 1, 1));
    refused(null, () -> call.hold(-1, 0, 1, 1, 1));
    refused(null, () -> call.hold(1, 1L << 53, 1, 1, 1));
    refused("sequence: 0 (expected: from 1 to 9007199254740991)", () -> call.hold(1, 0, 1, 1, 0));
    refused(null, () -> call.alsoHeld(LIMIT, 1, 1, 0, true));
    refused(null, () -> call.alsoHeld(LIMIT, 1, 0, 1, true));
    refused(null, () -> call.alsoHeld(LIMIT, 1, -1, 0, false));
    refused(null, () -> call.alsoHeld(LIMIT, 0, 0, 0, false));
    refused(null, () -> call.alsoHeld(LIMIT, 1L << 40, 0, 0, false));
    refused(
        "limit: a queue (expected: one whose units can be held)",
        () -> call.alsoHeld(queue, 1, 0, 0, false));
    final String held = "limit: concurrency (expected: one that is charged)";
    refused(held, () -> call.also(running, 1));
    refused(held, () -> call.check(1, 1, running));
    refused(held, () -> call.checkOnce(1, running));
    refused(held, () -> call.lease(1, 0, 1, 1, running));
    refused(held, () -> call.refund(1, 1, running));
    refused(held, () -> call.debt(1, 1, 1, running));
    assertArrayEquals(before, bytes());
    assertEquals(1, call.holdCount());
    call.also(LIMIT, 1);
    full("keys: 5 (expected: at most 4)", () -> call.alsoHeld(LIMIT, 1, 0, 0, true));
    full("withHeld: no peek", () -> call.withHeld(0));
    call.clear().check(1, 1, LIMIT);
    full("alsoHeld: no hold to be limited further", () -> call.alsoHeld(LIMIT, 1, 0, 0, true));
    call.clear().peek(1, 1, LIMIT);
    call.withHeld(0).withHeld(0);
    assertEquals(2, call.keyCount());
    refused("limit: 1 (expected: from 0 to 0)", () -> call.withHeld(1));
    assertEquals(0, call.clear().holdCount());
  }

  @Test
  void undoesAllThatWasBegunSinceTheMark() {
    call.hold(1, 0, 1, 1, 1);
    call.alsoHeld(LIMIT, 1, 0, 0, true);
    final byte[] before = bytes();
    call.mark();
    call.refund(1, 1, LIMIT);
    refused(null, () -> call.also(ScriptLimit.concurrency(1), 1));
    call.undo();
    assertArrayEquals(before, bytes());
    call.lease(1, 0, 1, 1, LIMIT);
    call.undo();
    call.hold(1, 0, 1, 1, 1);
    call.undo();
    assertArrayEquals(before, bytes());
    assertEquals(List.of(2, 1, 0, 1), counts());
    call.lease(1, 0, 1, 1, LIMIT);
    assertEquals(List.of(3, 2, 1, 1), counts());
    call.clear();
    call.undo();
    assertEquals(List.of(0, 0, 0, 0), counts());
  }

  private List<Integer> counts() {
    return List.of(call.keyCount(), call.checkCount(), call.leaseCount(), call.holdCount());
  }

  @Test
  void addsRequestsAsIfTheyHadComeAtOnce() {
    assertEquals(0, call.check(5, 2, LIMIT));
    assertEquals(1, call.peek(1, 1, LIMIT));
    final byte[] expected = bytes();
    call.clear().check(2, 2, LIMIT);
    call.peek(1, 1, LIMIT);
    call.more(0, 3);
    assertArrayEquals(expected, bytes());
    call.refund(1, 1, LIMIT);
    refused("check: 2 (expected: one of many requests)", () -> call.more(2, 1));
    call.clear().lease(5, 7, 9, 2, LIMIT);
    call.also(LIMIT, 3);
    final byte[] leased = bytes();
    call.clear().lease(0, 7, 9, 2, LIMIT);
    call.also(LIMIT, 3);
    call.more(0, 4).more(0, 1);
    assertArrayEquals(leased, bytes());
  }

  @Test
  void hasNoRoomBeyondItsKeys() {
    call.check(1, 1, LIMIT);
    call.also(LIMIT, 1).also(LIMIT, 1);
    final byte[] before = bytes();
    full("keys: 5 (expected: at most 4)", () -> call.reset(2));
    call.reset(1);
    assertEquals(4, call.keyCount());
    assertEquals(before.length + 18, call.length());
    full("also: no check to be limited further", () -> call.also(LIMIT, 1));
    full("keys: 5 (expected: at most 4)", () -> call.check(1, 1, LIMIT));
    assertThrows(IllegalArgumentException.class, () -> new CheckCall(1001));
  }

  @Test
  void hasAKeyMoreForACheckOnceAndOneRequest() {
    call.checkOnce(2, LIMIT);
    assertEquals(2, call.keyCount());
    refused("check: 0 (expected: one of many requests)", () -> call.more(0, 1));
    call.also(LIMIT, 1);
    assertEquals(3, call.keyCount());
    final byte[] before = bytes();
    full("keys: 5 (expected: at most 4)", () -> call.checkOnce(1, LIMIT));
    assertArrayEquals(before, bytes());
  }

  @Test
  void takesEightLimitsOfACheckAndNoMore() {
    final CheckCall large = new CheckCall(10);
    large.check(1, 1, LIMIT);
    for (int i = 1; i < CheckCall.MAX_LIMITS; i++) {
      large.also(LIMIT, 1);
    }
    full("limits: 9 (expected: at most 8)", () -> large.also(LIMIT, 1));
  }

  @Test
  void sendsTheEdgesAroundTheCallersTime() {
    final ScriptLimit days =
        ScriptLimit.calendarWindow(1, ChronoUnit.DAYS, ZoneId.of("Europe/Berlin"));
    full("clear: no time (expected: one, for a calendar window)", () -> call.check(1, 1, days));
    // 2024-03-31T00:00 in Berlin, of 23 hours; its middle; its end.
    final long start = 1_711_839_600_000_000L;
    final long hour = 3_600_000_000L;
    edges(days, start, start - 24 * hour, start, start + 23 * hour);
    edges(days, start + 23 * hour / 2 - 1, start - 24 * hour, start, start + 23 * hour);
    edges(days, start + 23 * hour / 2, start, start + 23 * hour, start + 47 * hour);
    edges(days, start + 23 * hour - 1, start, start + 23 * hour, start + 47 * hour);
    edges(days, start + 23 * hour, start, start + 23 * hour, start + 47 * hour);
    edges(days, start - 1, start - 24 * hour, start, start + 23 * hour);
  }

  private void edges(ScriptLimit limit, long nowUs, long b, long c, long d) {
    call.clear(nowUs).check(1, 1, limit);
    final ByteBuffer sent = ByteBuffer.wrap(call.array()).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(6, sent.get(18));
    assertEquals(b, sent.getDouble(27));
    assertEquals(c, sent.getDouble(35));
    assertEquals(d, sent.getDouble(43));
  }

  private byte[] bytes() {
    return Arrays.copyOf(call.array(), call.length());
  }

  private static void refused(String message, Executable attempt) {
    final String actual = assertThrows(IllegalArgumentException.class, attempt).getMessage();
    if (message != null) {
      assertEquals(message, actual);
    }
  }

  private static void full(String message, Executable attempt) {
    assertEquals(message, assertThrows(IllegalStateException.class, attempt).getMessage());
  }
}
