package dev.weir.scripts;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * Starts of the hours, days, weeks and months of a zone, in Unix microseconds. Hours count from
 * where the day starts, so the last one may be shorter; weeks from Monday. A day that a zone leaves
 * out starts where the next one does. Immutable; any thread.
 */
final class CalendarEdges {
  private static final long HOUR_US = 3_600_000_000L;

  private final ChronoUnit unit;
  private final ZoneId zone;

  CalendarEdges(ChronoUnit unit, ZoneId zone) {
    switch (unit) {
      case HOURS, DAYS, WEEKS, MONTHS -> this.unit = unit;
      default ->
          throw new IllegalArgumentException(
              "unit: " + unit + " (expected: Minutes, Hours, Days, Weeks or Months)");
    }
    this.zone = zone;
  }

  /** No window is longer: a zone moves an hour at most, and leaves out a day at most. */
  long longestUs() {
    return switch (unit) {
      case HOURS -> HOUR_US;
      case DAYS -> 2 * 24 * HOUR_US;
      case WEEKS -> 8 * 24 * HOUR_US;
      default -> 32 * 24 * HOUR_US;
    };
  }

  /** The start of the window that is at {@code timeUs}. */
  long startUs(long timeUs) {
    LocalDate date = first(date(timeUs));
    // Where a zone went back over midnight, the first moment of a date is not the first of its day.
    while (edgeUs(date) > timeUs) {
      date = first(date.minusDays(1));
    }
    final long dayUs = edgeUs(date);
    return unit == ChronoUnit.HOURS ? timeUs - (timeUs - dayUs) % HOUR_US : dayUs;
  }

  /** The end of the window that is at {@code timeUs}, and the start of the next one. */
  long endUs(long timeUs) {
    LocalDate date = first(date(timeUs));
    while (edgeUs(date) <= timeUs) {
      date = next(date);
    }
    final long endUs = edgeUs(date);
    return unit == ChronoUnit.HOURS ? Math.min(startUs(timeUs) + HOUR_US, endUs) : endUs;
  }

  private LocalDate date(long timeUs) {
    try {
      return Instant.ofEpochSecond(Math.floorDiv(timeUs, 1_000_000)).atZone(zone).toLocalDate();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "timeUs: " + timeUs + " (expected: a time of the calendar)", e);
    }
  }

  private LocalDate first(LocalDate date) {
    return switch (unit) {
      case WEEKS -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
      case MONTHS -> date.withDayOfMonth(1);
      default -> date;
    };
  }

  private LocalDate next(LocalDate date) {
    return switch (unit) {
      case WEEKS -> date.plusWeeks(1);
      case MONTHS -> date.plusMonths(1);
      default -> date.plusDays(1);
    };
  }

  private long edgeUs(LocalDate date) {
    return date.atStartOfDay(zone).toEpochSecond() * 1_000_000;
  }
}
