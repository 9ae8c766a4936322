package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneId;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class WindowsTest {
  private static final long SECOND = 1_000_000_000L;

  /** A clock that was started at 2026-01-01T00:00Z. */
  private static final long EPOCH = -1_767_225_600L * SECOND;

  @ParameterizedTest
  @CsvSource({
    "10, 0, 1, 10",
    "10, 0, 9, 10",
    "10, 0, 10, 20",
    "10, 3, 1, 3",
    "10, 3, 3, 13",
    "10, -7, 2, 3",
    "10, 1000003, 12, 13",
    "10, -1000007, 13, 23",
    "7, 9223372036854775807, 1, 7",
  })
  void evenWindowsStartAtTheEpoch(long lengthNs, long epochNs, long timeNs, long endNs) {
    assertEquals(endNs, new EvenWindows(lengthNs, epochNs).endNs(timeNs));
  }

  @ParameterizedTest
  @CsvSource({
    "HOUR,  UTC,                 2026-03-29T00:59:59.999999999Z, 2026-03-29T01:00:00Z",
    "HOUR,  UTC,                 2026-03-29T01:00:00Z,           2026-03-29T02:00:00Z",
    "HOUR,  Asia/Kathmandu,      2026-03-29T00:00:00Z,           2026-03-29T00:15:00Z",
    "DAY,   UTC,                 2026-02-28T23:59:59Z,           2026-03-01T00:00:00Z",
    "DAY,   Asia/Tokyo,          2026-02-28T15:00:00Z,           2026-03-01T15:00:00Z",
    // 23 hours, and 25.
    "DAY,   Europe/Berlin,       2026-03-28T23:00:00Z,           2026-03-29T22:00:00Z",
    "DAY,   Europe/Berlin,       2026-10-24T22:00:00Z,           2026-10-25T23:00:00Z",
    // The hour that clocks show twice is two hours.
    "HOUR,  Europe/Berlin,       2026-10-25T00:30:00Z,           2026-10-25T01:00:00Z",
    "HOUR,  Europe/Berlin,       2026-10-25T01:30:00Z,           2026-10-25T02:00:00Z",
    // Half an hour less: the day ends with a piece of an hour.
    "HOUR,  Australia/Lord_Howe, 2026-10-04T12:45:00Z,           2026-10-04T13:00:00Z",
    // Midnight does not exist on that day.
    "DAY,   America/Asuncion,    2026-01-01T00:00:00Z,           2026-01-01T03:00:00Z",
    "WEEK,  UTC,                 2026-01-01T00:00:00Z,           2026-01-05T00:00:00Z",
    "WEEK,  UTC,                 2026-01-05T00:00:00Z,           2026-01-12T00:00:00Z",
    "MONTH, UTC,                 2026-02-01T00:00:00Z,           2026-03-01T00:00:00Z",
    "MONTH, UTC,                 2028-02-29T23:00:00Z,           2028-03-01T00:00:00Z",
    "MONTH, America/New_York,    2026-03-31T23:00:00Z,           2026-04-01T04:00:00Z",
    "MONTH, UTC,                 2034-12-31T23:59:59Z,           2035-01-01T00:00:00Z",
  })
  void calendarWindowsEndWhereTheZoneSays(CalendarUnit unit, String zone, Instant at, Instant end) {
    final CalendarWindows windows = new CalendarWindows(unit, ZoneId.of(zone), EPOCH);
    assertEquals(end, instant(windows.endNs(clock(at))));
  }

  @ParameterizedTest
  @EnumSource(
      value = CalendarUnit.class,
      names = {"HOUR", "DAY", "WEEK", "MONTH"})
  void oneWindowEndsWhereTheNextOneStartsForNineYears(CalendarUnit unit) {
    for (String zone : new String[] {"Europe/Berlin", "Australia/Lord_Howe", "America/New_York"}) {
      final CalendarWindows windows = new CalendarWindows(unit, ZoneId.of(zone), EPOCH);
      long endNs = windows.endNs(1);
      while (endNs <= Limit.MAX_TIME_NS) {
        assertEquals(endNs, windows.endNs(endNs - 1));
        final long nextNs = windows.endNs(endNs);
        assertTrue(nextNs - endNs >= windows.shortestNs(), zone + " at " + instant(endNs));
        endNs = nextNs;
      }
    }
  }

  @Test
  void theEndIsFoundAgainFromItsStamp() {
    final SplittableRandom random = new SplittableRandom(9);
    for (CalendarUnit unit : CalendarUnit.values()) {
      final Windows windows =
          unit == CalendarUnit.MINUTE
              ? new EvenWindows(60 * SECOND, EPOCH)
              : new CalendarWindows(unit, ZoneId.of("Europe/Berlin"), EPOCH);
      final int grain = StateWord.grain(windows.shortestNs());
      final int shift = StateWord.shift(grain);
      for (int i = 0; i < 100_000; i++) {
        final long endNs = windows.endNs(1 + random.nextLong(Limit.MAX_TIME_NS));
        assertEquals(endNs, windows.endOf(StateWord.empty(grain, shift, endNs), shift));
      }
    }
  }

  private static long clock(Instant at) {
    return at.getEpochSecond() * SECOND + at.getNano() + EPOCH;
  }

  private static Instant instant(long clockNs) {
    return Instant.ofEpochSecond(0, clockNs - EPOCH);
  }
}
