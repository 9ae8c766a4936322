package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Charges for requests that passed undecided: the judge is a second key, which was charged for them
 * when they passed.
 */
class DebtIT extends ScriptServer {
  private static final long NOW = 1_700_000_000_000_000L;
  private static final int ROUNDS = 150;

  private final Random random = new Random(5);
  private final CheckCall call = new CheckCall(4);

  private long grant(String key, long wanted, ScriptLimit limit, long nowUs) throws IOException {
    call.clear(nowUs).check(wanted, 1, limit);
    return at(nowUs, call, key).granted(0);
  }

  private long left(String key, ScriptLimit limit, long nowUs) throws IOException {
    call.clear(nowUs).peek(1, 1, limit);
    return at(nowUs, call, key).remaining(0);
  }

  private int debt(String key, long units, long passedAtUs, ScriptLimit limit, long nowUs)
      throws IOException {
    call.clear(nowUs).debt(units, 1, passedAtUs, limit);
    final CheckReply reply = at(nowUs, call, key);
    assertEquals(0, reply.granted(0));
    return reply.status(0);
  }

  @Test
  void aWindowIsNotChargedForWhatPassedInAnother() throws Exception {
    final ScriptLimit[] limits = {
      ScriptLimit.fixedWindow(10, WINDOW_US, 7),
      ScriptLimit.calendarWindow(10, ChronoUnit.HOURS, ZoneId.of("Asia/Kathmandu"))
    };
    for (ScriptLimit limit : limits) {
      client.text("FLUSHALL");
      assertEquals(10, grant("{p}edge", 10, limit, NOW));
      call.clear(NOW).peek(1, 1, limit);
      final long edgeUs = at(NOW, call, "{p}edge").resetAtUs(0);
      assertEquals(CheckReply.NOTHING, debt("{p}", 4, edgeUs - 1, limit, edgeUs));
      assertEquals(10, left("{p}", limit, edgeUs));
      assertEquals(CheckReply.DONE, debt("{p}", 4, edgeUs, limit, edgeUs + 1));
      assertEquals(6, left("{p}", limit, edgeUs + 1));
    }
  }

  @Test
  void aMeterIsChargedForWhatHasNotDrained() throws Exception {
    final ScriptLimit limit = ScriptLimit.paced(100, 1_000, 1_000_000);
    assertEquals(CheckReply.DONE, debt("{p}", 100, NOW - 40_000, limit, NOW));
    assertEquals(40, left("{p}", limit, NOW));
    assertEquals(CheckReply.NOTHING, debt("{p}", 30, NOW - 30_000, limit, NOW));
    assertEquals(CheckReply.DONE, debt("{p}", 1_000, NOW, limit, NOW));
    assertEquals(0, left("{p}", limit, NOW));
    assertEquals(50, left("{p}", limit, NOW + 50_000), "one full budget at most");
  }

  @Test
  void aQueueIsMadeNoLongerThanSomebodyMayWaitInIt() throws Exception {
    final ScriptLimit limit = ScriptLimit.queue(10, 10, 10_000_000, 3_000_000);
    assertEquals(CheckReply.DONE, debt("{p}", 10, NOW, limit, NOW));
    assertEquals(0, grant("{p}", 1, limit, NOW));
    assertEquals(1, grant("{p}", 1, limit, NOW + 1_000_000));
  }

  @Test
  void takesNothingFromWhatTheLimitThatIsInForceNowHasCounted() throws Exception {
    final ScriptLimit before = ScriptLimit.paced(100, 100, 1_000_000);
    final ScriptLimit now = ScriptLimit.fixedWindow(50, 3_600_000_000L, 0);
    assertEquals(49, grant("{p}", 49, now, NOW));
    debt("{p}", 100, NOW, before, NOW);
    assertTrue(grant("{p}", 50, now, NOW + 1_000_000) <= 1);
  }

  @Test
  void isChargedUnderTheLimitThatIsInForceNowThoughTheKeyHasAnother() throws Exception {
    final ScriptLimit before = ScriptLimit.paced(100, 100, 1_000_000);
    final ScriptLimit now = ScriptLimit.fixedWindow(50, 3_600_000_000L, 0);
    assertEquals(10, grant("{p}", 10, before, NOW));
    assertEquals(CheckReply.DONE, debt("{p}", 20, NOW, now, NOW));
    assertEquals(20, left("{p}", now, NOW));
  }

  /** Whatever else was charged meanwhile, and at every moment from then on. */
  @ParameterizedTest
  @EnumSource(names = "QUEUE", mode = EnumSource.Mode.EXCLUDE) // it refuses what waits too long
  void neverCountsMoreOrLongerThanIfItHadBeenChargedInTime(Algorithm algorithm) throws Exception {
    boolean counted = false;
    for (int round = 0; round < ROUNDS; round++) {
      client.text("FLUSHALL");
      final ScriptLimit limit = algorithm.script(1_000);
      final long passedUs = NOW + random.nextLong(WINDOW_US);
      final long units = 1 + random.nextInt(6);
      long nowUs = passedUs - random.nextLong(WINDOW_US);
      boolean owes = true;
      final int charges = random.nextInt(6);
      final long spanUs = 3 * WINDOW_US / (charges + 1);
      for (int i = 0; i <= charges; i++) {
        if (owes && nowUs >= passedUs) {
          owes = false;
          assertEquals(units, grant("{p}intime", units, limit, passedUs));
        }
        if (i < charges) {
          final long wanted = 1 + random.nextInt(4);
          assertEquals(wanted, grant("{p}intime", wanted, limit, nowUs));
          assertEquals(wanted, grant("{p}late", wanted, limit, nowUs));
        }
        nowUs += random.nextLong(spanUs);
      }
      nowUs = Math.max(nowUs, passedUs);
      if (owes) {
        assertEquals(units, grant("{p}intime", units, limit, passedUs));
      }
      debt("{p}late", units, passedUs, limit, nowUs);
      for (int look = 0; look < 20; look++) {
        final long inTime = left("{p}intime", limit, nowUs);
        final long late = left("{p}late", limit, nowUs);
        assertTrue(late >= inTime, "round " + round + ": " + late + " of " + inTime + " left");
        if (algorithm != Algorithm.GCRA) {
          assertEquals(inTime, late, "round " + round);
        }
        counted |= late < 1_000;
        nowUs += random.nextLong(WINDOW_US / 4);
      }
    }
    assertTrue(counted);
  }

  /** A full budget is the most that is owed, whatever was charged already. */
  @ParameterizedTest
  @EnumSource
  void neverChargesMoreThanTheBudgetHas(Algorithm algorithm) throws Exception {
    final ScriptLimit limit = algorithm.script(10);
    for (int round = 0; round < ROUNDS / 5; round++) {
      client.text("FLUSHALL");
      long nowUs = NOW + random.nextLong(WINDOW_US);
      grant("{p}", 1 + random.nextInt(12), limit, nowUs);
      for (int i = 0; i < 4; i++) {
        nowUs += random.nextLong(WINDOW_US / 3);
        debt("{p}", 1 + random.nextInt(12), nowUs - random.nextLong(WINDOW_US), limit, nowUs);
        call.clear().peek(1, 1, limit);
        final CheckReply reply = at(nowUs, call, "{p}");
        assertTrue(reply.remaining(0) >= 0 && reply.remaining(0) <= 10);
        assertTrue(reply.resetAtUs(0) <= nowUs + 2 * WINDOW_US);
      }
      assertEquals(10, left("{p}", limit, nowUs + 2 * WINDOW_US));
    }
  }
}
