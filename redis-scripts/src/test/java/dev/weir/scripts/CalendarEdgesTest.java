package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CalendarEdgesTest {
  @ParameterizedTest
  @CsvSource({
    // A day of 23 hours and one of 25.
    "DAYS, Europe/Berlin, 2024-03-31T10:00:00Z, 2024-03-30T23:00:00Z, 2024-03-31T22:00:00Z",
    "DAYS, Europe/Berlin, 2024-10-27T10:00:00Z, 2024-10-26T22:00:00Z, 2024-10-27T23:00:00Z",
    // Midnight is skipped: the day starts at one.
    "DAYS, America/Sao_Paulo, 2018-11-04T12:00:00Z, 2018-11-04T03:00:00Z, 2018-11-05T02:00:00Z",
    // The clock goes back over midnight: 23:30 comes twice, and the second time is the old day.
    "DAYS, America/Sao_Paulo, 2018-02-18T02:30:00Z, 2018-02-17T02:00:00Z, 2018-02-18T03:00:00Z",
    // A day is left out.
    "DAYS, Pacific/Apia, 2011-12-30T09:59:59Z, 2011-12-29T10:00:00Z, 2011-12-30T10:00:00Z",
    "DAYS, Pacific/Apia, 2011-12-30T10:00:00Z, 2011-12-30T10:00:00Z, 2011-12-31T10:00:00Z",
    "HOURS, Europe/Berlin, 2024-10-27T01:30:00Z, 2024-10-27T01:00:00Z, 2024-10-27T02:00:00Z",
    "HOURS, Asia/Kathmandu, 2024-05-01T00:00:00Z, 2024-04-30T23:15:00Z, 2024-05-01T00:15:00Z",
    // A day of 23.5 hours ends with half an hour.
    "HOURS, Australia/Lord_Howe, 2024-10-06T12:45:00Z, 2024-10-06T12:30:00Z, 2024-10-06T13:00:00Z",
    "WEEKS, America/New_York, 2024-03-10T12:00:00Z, 2024-03-04T05:00:00Z, 2024-03-11T04:00:00Z",
    "MONTHS, UTC, 2024-02-29T23:59:59.999999Z, 2024-02-01T00:00:00Z, 2024-03-01T00:00:00Z",
    "MONTHS, UTC, 2023-02-28T23:59:59.999999Z, 2023-02-01T00:00:00Z, 2023-03-01T00:00:00Z",
    "MONTHS, Europe/Berlin, 2024-12-31T23:00:00Z, 2024-12-31T23:00:00Z, 2025-01-31T23:00:00Z",
    "MONTHS, Europe/Berlin, 2024-03-31T21:59:59Z, 2024-02-29T23:00:00Z, 2024-03-31T22:00:00Z",
  })
  void areThoseOfTheZone(ChronoUnit unit, ZoneId zone, Instant time, Instant start, Instant end) {
    final CalendarEdges edges = new CalendarEdges(unit, zone);
    assertEquals(start, instant(edges.startUs(us(time))));
    assertEquals(end, instant(edges.endUs(us(time))));
  }

  @Test
  void followOneAnotherWithoutGapOrOverlap() {
    final Random random = new Random(1);
    for (ChronoUnit unit :
        new ChronoUnit[] {ChronoUnit.HOURS, ChronoUnit.DAYS, ChronoUnit.WEEKS, ChronoUnit.MONTHS}) {
      for (String zone :
          new String[] {"UTC", "America/Sao_Paulo", "Pacific/Apia", "Africa/Cairo"}) {
        final CalendarEdges edges = new CalendarEdges(unit, ZoneId.of(zone));
        for (int i = 0; i < 2000; i++) {
          final long time = random.nextLong(2_000_000_000_000_000L);
          final long start = edges.startUs(time);
          final long end = edges.endUs(time);
          assertTrue(start <= time && time < end);
          assertEquals(start, edges.startUs(start));
          assertEquals(end, edges.endUs(start));
          assertEquals(start, edges.startUs(end - 1));
          assertEquals(end, edges.startUs(end));
        }
      }
    }
  }

  @Test
  void refusesUnitsThatAreNoWindows() {
    final String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> new CalendarEdges(ChronoUnit.YEARS, ZoneId.of("UTC")))
            .getMessage();
    assertEquals("unit: Years (expected: Minutes, Hours, Days, Weeks or Months)", message);
  }

  private static long us(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static Instant instant(long us) {
    return Instant.EPOCH.plus(us, ChronoUnit.MICROS);
  }
}
