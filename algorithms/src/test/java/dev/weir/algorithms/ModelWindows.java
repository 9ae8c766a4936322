package dev.weir.algorithms;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** How time is cut into windows. Equal if all windows are. */
interface ModelWindows {
  /** When the window of a time begins; it is in it. */
  long startNs(long timeNs);

  /** When the window of a time ends; it is not in it any more. */
  long endNs(long timeNs);

  /** Windows of one length; {@code offsetNs} is the start of the first one not before 0. */
  record Even(long lengthNs, long offsetNs) implements ModelWindows {
    static Even from(long lengthNs, long epochNs) {
      return new Even(lengthNs, Math.floorMod(epochNs, lengthNs));
    }

    @Override
    public long startNs(long timeNs) {
      return timeNs - Math.floorMod(timeNs - offsetNs, lengthNs);
    }

    @Override
    public long endNs(long timeNs) {
      return startNs(timeNs) + lengthNs;
    }
  }

  /** The windows of a calendar, by {@code java.time}; {@code epochNs} is 1970-01-01T00:00Z. */
  record Calendar(CalendarUnit unit, ZoneId zone, long epochNs) implements ModelWindows {
    @Override
    public long startNs(long timeNs) {
      return clock(start(instant(timeNs)));
    }

    @Override
    public long endNs(long timeNs) {
      return clock(end(instant(timeNs)));
    }

    private Instant start(Instant time) {
      return switch (unit) {
        case MINUTE -> time.truncatedTo(ChronoUnit.MINUTES);
        case HOUR -> time.minus(sinceStartOfDay(time) % 3_600_000_000_000L, ChronoUnit.NANOS);
        default -> startOf(first(time));
      };
    }

    private Instant end(Instant time) {
      return switch (unit) {
        case MINUTE -> start(time).plusSeconds(60);
        case HOUR -> earlier(start(time).plusSeconds(3600), startOf(day(time).plusDays(1)));
        default -> startOf(next(first(time)));
      };
    }

    private long sinceStartOfDay(Instant time) {
      return ChronoUnit.NANOS.between(startOf(day(time)), time);
    }

    /** The first day of the period that a time is in. */
    private LocalDate first(Instant time) {
      final LocalDate day = day(time);
      return switch (unit) {
        case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
        case MONTH -> day.withDayOfMonth(1);
        default -> day;
      };
    }

    private LocalDate next(LocalDate first) {
      return switch (unit) {
        case WEEK -> first.plusWeeks(1);
        case MONTH -> first.plusMonths(1);
        default -> first.plusDays(1);
      };
    }

    /** The last day that has started: where clocks go back over midnight, a date comes twice. */
    private LocalDate day(Instant time) {
      final LocalDate date = LocalDate.ofInstant(time, zone);
      final LocalDate following = date.plusDays(1);
      return startOf(following).isAfter(time) ? date : following;
    }

    private Instant startOf(LocalDate date) {
      return date.atStartOfDay(zone).toInstant();
    }

    private static Instant earlier(Instant a, Instant b) {
      return a.isBefore(b) ? a : b;
    }

    private Instant instant(long timeNs) {
      return Instant.EPOCH.plusNanos(timeNs - epochNs);
    }

    private long clock(Instant instant) {
      return epochNs + ChronoUnit.NANOS.between(Instant.EPOCH, instant);
    }
  }
}
