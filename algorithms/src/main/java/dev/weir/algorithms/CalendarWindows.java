package dev.weir.algorithms;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.Arrays;

/**
 * Hours, days, weeks and months of a time zone. Where they start is worked out once, for all times
 * that there can be: 27 KiB for the days of nine years.
 */
final class CalendarWindows implements Windows {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long HOUR_NS = 3600 * SECOND_NS;

  /** A day that loses half an hour, or a quarter, ends with a piece of an hour. */
  private static final long SHORTEST_HOUR_NS = HOUR_NS / 4;

  private final CalendarUnit unit;
  private final ZoneId zone;
  private final long epochNs;

  /**
   * The starts of days, weeks or months, in ascending order, from before 0 to after the last time.
   */
  private final long[] starts;

  private final long averageNs;
  private final long shortestNs;

  /**
   * @param unit not MINUTE.
   * @param epochNs the Unix epoch on the caller's clock.
   */
  CalendarWindows(CalendarUnit unit, ZoneId zone, long epochNs) {
    this.unit = unit;
    this.zone = zone;
    this.epochNs = epochNs;
    starts = starts();
    averageNs = (starts[starts.length - 1] - starts[0]) / (starts.length - 1);
    long shortest = unit == CalendarUnit.HOUR ? SHORTEST_HOUR_NS : Long.MAX_VALUE;
    for (int i = 1; i < starts.length; i++) {
      shortest = Math.min(shortest, starts[i] - starts[i - 1]);
    }
    shortestNs = shortest;
  }

  private long[] starts() {
    final long zeroUnixNs = -epochNs;
    final LocalDate zero =
        Instant.ofEpochSecond(
                Math.floorDiv(zeroUnixNs, SECOND_NS), Math.floorMod(zeroUnixNs, SECOND_NS))
            .atZone(zone)
            .toLocalDate();
    LocalDate date =
        switch (unit) {
          case WEEK -> zero.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
          case MONTH -> zero.withDayOfMonth(1);
          default -> zero;
        };
    long[] found = new long[4096];
    int count = 0;
    do {
      final long startNs = date.atStartOfDay(zone).toEpochSecond() * SECOND_NS + epochNs;
      // A day that a zone leaves out starts where the next one does.
      if (count == 0 || startNs > found[count - 1]) {
        found = count == found.length ? Arrays.copyOf(found, 2 * count) : found;
        found[count++] = startNs;
      }
      date =
          switch (unit) {
            case WEEK -> date.plusWeeks(1);
            case MONTH -> date.plusMonths(1);
            default -> date.plusDays(1);
          };
    } while (found[count - 1] <= 2 * Limit.MAX_TIME_NS);
    return Arrays.copyOf(found, count);
  }

  @Override
  public long endNs(long timeNs) {
    // Uneven lengths put the estimate off by a day, week or month or two.
    int i = (int) Math.min((timeNs - starts[0]) / averageNs, starts.length - 2);
    while (starts[i] > timeNs) {
      i--;
    }
    while (starts[i + 1] <= timeNs) {
      i++;
    }
    if (unit == CalendarUnit.HOUR) {
      final long hours = (timeNs - starts[i]) / HOUR_NS;
      return Math.min(starts[i] + (hours + 1) * HOUR_NS, starts[i + 1]);
    }
    return starts[i + 1];
  }

  @Override
  public long shortestNs() {
    return shortestNs;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CalendarWindows that
        && unit == that.unit
        && zone.equals(that.zone)
        && epochNs == that.epochNs;
  }

  @Override
  public int hashCode() {
    return (unit.ordinal() * 31 + zone.hashCode()) * 31 + Long.hashCode(epochNs);
  }
}
