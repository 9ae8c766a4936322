package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.CalendarUnit;
import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CalendarWindowIT extends ScriptServer {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final long DAY_US = 24 * WINDOW_US;

  private final CheckCall call = new CheckCall(4);
  private final ScriptLimit days = ScriptLimit.calendarWindow(10, ChronoUnit.DAYS, BERLIN);
  private final long midnight = us("2024-10-26T22:00:00Z");

  /** Asks for units at the caller's time, and has the server decide at its own. */
  private CheckReply ask(ScriptLimit limit, long units, long callerUs, long serverUs)
      throws Exception {
    call.clear(callerUs).check(units, 1, limit);
    return at(serverUs, call, "{p}");
  }

  private static long us(String time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(time));
  }

  @ParameterizedTest
  @CsvSource({
    "HOURS, HOUR, Australia/Lord_Howe, 2024-10-05T00:00:00Z, 3",
    "DAYS, DAY, Europe/Berlin, 2024-10-20T00:00:00Z, 15",
    "DAYS, DAY, Pacific/Apia, 2011-12-25T00:00:00Z, 10",
    "WEEKS, WEEK, America/New_York, 2024-02-20T00:00:00Z, 60",
    "MONTHS, MONTH, Europe/Berlin, 2024-01-15T00:00:00Z, 500",
  })
  void decidesAsTheJavaLibraryAcrossTheEdges(
      ChronoUnit unit, CalendarUnit of, ZoneId zone, Instant from, int spanDays) throws Exception {
    final long epochUs = us(from.toString()) - 40 * DAY_US;
    final ScriptLimit script = ScriptLimit.calendarWindow(10, unit, zone);
    final Limit limit = Limit.fixedWindow(10, of, zone, -epochUs * 1000);
    final Random random = new Random(7);
    final Decision out = new Decision();
    try (LimitTable table = new LimitTable(64)) {
      long nowUs = us(from.toString());
      final long end = nowUs + spanDays * DAY_US;
      int refused = 0;
      while (nowUs < end) {
        nowUs += random.nextLong(spanDays * DAY_US / 500);
        final long cost = 1 + random.nextInt(3);
        // A caller that is some minutes off, to either side.
        final long callerUs = nowUs + random.nextLong(-WINDOW_US / 10, WINDOW_US / 10);
        call.clear(callerUs).check(1, cost, script);
        final CheckReply reply = at(nowUs, call, "{p}");
        table.check(1, limit, cost, (nowUs - epochUs) * 1000, out);
        final String what = Instant.EPOCH.plus(nowUs, ChronoUnit.MICROS).toString();
        assertEquals(out.allowed() ? 1 : 0, reply.granted(0), what);
        assertEquals(out.remaining(), reply.remaining(0), what);
        assertEquals(out.resetAtNs() / 1000 + epochUs, reply.resetAtUs(0), what);
        assertEquals(out.retryAfterNs() / 1000, reply.retryAfterUs(0), what);
        refused += out.allowed() ? 0 : 1;
      }
      assertTrue(refused > 50, "refused " + refused);
    }
  }

  @Test
  void goesByTheServersTimeWhereTheCallersIsOff() throws Exception {
    // The server has not reached midnight, whatever the caller believes.
    assertEquals(10, ask(days, 20, midnight + WINDOW_US, midnight - 1).granted(0));
    assertEquals(0, ask(days, 1, midnight - WINDOW_US, midnight - 1).granted(0));
    assertEquals(1, ask(days, 1, midnight + WINDOW_US, midnight - 1).retryAfterUs(0));
    assertEquals(10, ask(days, 20, midnight - WINDOW_US, midnight).granted(0));
    assertEquals(0, ask(days, 20, midnight + WINDOW_US, midnight).granted(0));
  }

  @Test
  void issuesNothingAnewForACallerThatIsFarOff() throws Exception {
    final long noon = midnight + DAY_US / 2;
    assertEquals(10, ask(days, 20, noon, noon).granted(0));
    for (int off = -40; off <= 40; off++) {
      assertEquals(0, ask(days, 1, noon + off * DAY_US / 2, noon).granted(0), "off " + off);
    }
  }

  @Test
  void aCallerThatIsLateBeginsNoWindowAndIsToAskAgainAtOnce() throws Exception {
    final long noon = midnight + DAY_US / 2;
    final long now = noon + 5 * DAY_US;
    assertEquals(0, ask(days, 1, noon, now).granted(0));
    assertEquals(0, ask(days, 1, noon, now).retryAfterUs(0));
    assertEquals("0", client.text("DBSIZE"));
    // The window that another caller has begun is known.
    assertEquals(4, ask(days, 4, now, now).granted(0));
    assertEquals(6, ask(days, 20, noon, now).granted(0));
    assertEquals(0, ask(days, 1, now, now).granted(0));
    // Until that is over.
    assertEquals(0, ask(days, 1, noon, now + DAY_US).granted(0));
    assertEquals(10, ask(days, 20, now + DAY_US, now + DAY_US).granted(0));
    assertEquals(0, ask(days, 1, noon, now + DAY_US).granted(0));
  }

  @Test
  void keepsTheCountWhenTheServersClockStepsBackAndThenDrains() throws Exception {
    final long noon = midnight + DAY_US / 2;
    assertEquals(10, ask(days, 20, noon, noon).granted(0));
    // Less than a window: it still is the stored one.
    assertEquals(0, ask(days, 1, midnight - 1, midnight - 1).granted(0));
    final long early = noon - 30 * DAY_US;
    final CheckReply refused = ask(days, 1, early, early);
    assertEquals(0, refused.granted(0));
    final long later = early + refused.retryAfterUs(0);
    assertEquals(0, ask(days, 1, later - 1, later - 1).granted(0));
    assertEquals(10, ask(days, 20, later, later).granted(0));
  }

  @Test
  void issuesNothingAnewForALateCallerOnAServerWhoseClockHasSteppedBack() throws Exception {
    final long noon = midnight + DAY_US / 2;
    assertEquals(10, ask(days, 20, noon + 5 * DAY_US, noon + 5 * DAY_US).granted(0));
    assertEquals(0, ask(days, 1, noon - 5 * DAY_US, noon).granted(0));
    assertEquals(0, ask(days, 1, noon, noon).granted(0));
  }

  @Test
  void keepsTheCountWhenTheCalendarChanges() throws Exception {
    final long noon = midnight + DAY_US / 2;
    assertEquals(7, ask(days, 7, noon, noon).granted(0));
    final ScriptLimit elsewhere =
        ScriptLimit.calendarWindow(10, ChronoUnit.DAYS, ZoneId.of("Asia/Tokyo"));
    assertEquals(2, ask(elsewhere, 2, noon, noon).granted(0));
    final ScriptLimit months = ScriptLimit.calendarWindow(10, ChronoUnit.MONTHS, BERLIN);
    assertEquals(1, ask(months, 20, noon, noon).granted(0));
    assertEquals(0, ask(days, 1, noon, noon).granted(0));
  }

  @Test
  void refundsWithinTheWindowAlone() throws Exception {
    final long noon = midnight + DAY_US / 2;
    ask(days, 7, noon, noon);
    call.clear(noon).refund(3, noon, days);
    call.refund(3, midnight - 1, days);
    call.refund(3, noon + DAY_US, days);
    final CheckReply reply = at(noon, call, "{p}", "{p}", "{p}");
    assertEquals(CheckReply.DONE, reply.status(0));
    assertEquals(CheckReply.NOTHING, reply.status(1));
    assertEquals(CheckReply.NOTHING, reply.status(2));
    assertEquals(6, reply.remaining(2));
  }
}
