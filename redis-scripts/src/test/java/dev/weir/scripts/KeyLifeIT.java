package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How long keys live, and what a reply promises, with the time as an argument. */
class KeyLifeIT extends ScriptServer {
  private static final long START = 1_700_000_000_000_000L;
  private static final int STEPS = 2_000;

  /**
   * Time to live of a key that does not expire. A short-lived key may be gone before it is asked
   * for.
   */
  private static final long FOR_EVER = -1;

  private final CheckCall call = new CheckCall(2);

  /** A limit, and the longest that a unit of it can count once it has been charged. */
  record Kind(String name, ScriptLimit limit, long countsUs) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Kind[] kinds() {
    return new Kind[] {
      new Kind("paced", ScriptLimit.paced(10, 10, WINDOW_US), WINDOW_US),
      new Kind("fractions", ScriptLimit.paced(10, 7, WINDOW_US + 1), 2 * WINDOW_US),
      new Kind("queue", ScriptLimit.queue(10, 10, WINDOW_US, WINDOW_US / 2), WINDOW_US),
      new Kind("fixed window", ScriptLimit.fixedWindow(10, WINDOW_US, 7), WINDOW_US),
      new Kind("sliding counter", ScriptLimit.slidingCounter(10, WINDOW_US), 2 * WINDOW_US),
      new Kind("sliding log", ScriptLimit.slidingLog(10, WINDOW_US), WINDOW_US),
      new Kind("bucket ring", ScriptLimit.bucketRing(10, WINDOW_US, 10), WINDOW_US),
      new Kind(
          "calendar", ScriptLimit.calendarWindow(10, ChronoUnit.HOURS, ZoneId.of("UTC")), WINDOW_US)
    };
  }

  private CheckReply expiring(long nowUs) throws Exception {
    return reply(client.eval(EXPIRING, Long.toString(nowUs), call, "{p}"), call.checkCount());
  }

  private long pttl() throws Exception {
    return Long.parseLong(client.text("PTTL", "{p}"));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void keysLiveNoLongerThanTheirStateMeansAnything(Kind kind) throws Exception {
    final Random random = new Random(2);
    long latest = START;
    for (int step = 0; step < randomSteps(STEPS); step++) {
      latest += random.nextLong(WINDOW_US / 4);
      // A window back at most counts as late; further, the state is moved to the present.
      final boolean far = random.nextInt(50) == 0;
      final long back =
          random.nextInt(5) > 0 ? 0 : random.nextLong(far ? 100 * WINDOW_US : WINDOW_US);
      final long nowUs = latest - back;
      latest = far ? nowUs : latest;
      call.clear(nowUs).check(1 + random.nextInt(3), 1 + random.nextInt(3), kind.limit);
      final boolean granted = expiring(nowUs).granted(0) > 0;
      final long left = pttl();
      if (granted) {
        final long most = (kind.countsUs + Math.min(back, 3 * kind.countsUs)) / 1000 + 1;
        assertTrue(left != FOR_EVER && left <= most, "step " + step + ": " + left + " of " + most);
      }
    }
    // A step back of days: what is stored is moved even by a refusal, and lives no longer.
    call.clear(latest).check(10, 1, kind.limit);
    expiring(latest);
    final long early = latest - 200 * WINDOW_US;
    call.clear(early).check(10, 10, kind.limit);
    expiring(early);
    final long left = pttl();
    assertTrue(
        left != FOR_EVER && left <= 2 * kind.countsUs / 1000 + 1, "after a step back: " + left);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aKeyLivesUntilWhatTheReplyCallsItsReset(Kind kind) throws Exception {
    // Then in another window, while the key of the first is still there.
    for (long nowUs : new long[] {START, START + 2 * WINDOW_US - WINDOW_US / 8}) {
      final long startNs = System.nanoTime();
      call.clear(nowUs).check(3, 1, kind.limit);
      final CheckReply reply = expiring(nowUs);
      final long left = pttl();
      final long us = reply.resetAtUs(0) - nowUs;
      assertTrue(us > 0);
      // As much as it took to ask, and a moment in which the server's clock may run ahead.
      final long askedMs = (System.nanoTime() - startNs) / 1_000_000;
      assertTrue(
          left <= (us + 999) / 1000 && left > us / 1000 - askedMs - 10_000, left + " of " + us);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theSameRequestPassesAfterTheWaitAndNotAMicrosecondEarlier(Kind kind) throws Exception {
    final Random random = new Random(9);
    long nowUs = START;
    int waits = 0;
    for (int step = 0; step < randomSteps(STEPS); step++) {
      nowUs += random.nextInt(3) == 0 ? 0 : random.nextLong(WINDOW_US / 5);
      final long cost = 1 + random.nextInt(random.nextInt(4) == 0 ? 11 : 4);
      final long requests = 1 + random.nextInt(3);
      call.clear(nowUs).check(requests, cost, kind.limit);
      final CheckReply reply = at(nowUs, call, "{p}");
      final long waitUs = reply.retryAfterUs(0);
      if (cost > 10) {
        assertEquals(CheckReply.NEVER, waitUs);
      } else if (reply.granted(0) == requests) {
        assertEquals(0, waitUs);
      } else {
        final String what = "step " + step + ": " + waitUs;
        assertTrue(waitUs > 0, what);
        assertEquals(0, peek(kind, cost, nowUs + waitUs - 1), what);
        assertEquals(1, peek(kind, cost, nowUs + waitUs), what);
        waits++;
      }
    }
    assertTrue(waits > randomSteps(STEPS) / 10, "waits " + waits);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void allIsThereAgainAtTheResetAndNotAMicrosecondEarlier(Kind kind) throws Exception {
    final Random random = new Random(10);
    long nowUs = START;
    for (int step = 0; step < randomSteps(STEPS); step++) {
      nowUs += random.nextLong(WINDOW_US / 3);
      call.clear(nowUs).check(1, 1 + random.nextInt(3), kind.limit);
      final CheckReply reply = at(nowUs, call, "{p}");
      final long resetAtUs = reply.resetAtUs(0);
      assertEquals(10, remaining(kind, resetAtUs));
      // A sliding counter's last units weigh less than one at the end of the window.
      assertTrue(remaining(kind, resetAtUs - 1) < 10, "step " + step);
    }
  }

  private long peek(Kind kind, long cost, long nowUs) throws Exception {
    call.clear(nowUs).peek(1, cost, kind.limit);
    return at(nowUs, call, "{p}").granted(0);
  }

  private long remaining(Kind kind, long nowUs) throws Exception {
    call.clear(nowUs).peek(1, 1, kind.limit);
    return at(nowUs, call, "{p}").remaining(0);
  }
}
