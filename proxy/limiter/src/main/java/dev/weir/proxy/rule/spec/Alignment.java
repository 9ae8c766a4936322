package dev.weir.proxy.rule.spec;

import dev.weir.algorithms.CalendarUnit;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The start of the windows of a fixed window. */
public enum Alignment {
  /** At every multiple of the window since 1970-01-01T00:00Z. */
  EPOCH(null, null, null),
  MINUTE(CalendarUnit.MINUTE, ChronoUnit.MINUTES, new Rate(1, TimeUnit.MINUTES.toNanos(1))),
  HOUR(CalendarUnit.HOUR, ChronoUnit.HOURS, new Rate(1, TimeUnit.HOURS.toNanos(1))),
  DAY(CalendarUnit.DAY, ChronoUnit.DAYS, new Rate(1, TimeUnit.DAYS.toNanos(1))),
  /** From Monday. */
  WEEK(CalendarUnit.WEEK, ChronoUnit.WEEKS, new Rate(1, TimeUnit.DAYS.toNanos(7))),
  MONTH(CalendarUnit.MONTH, ChronoUnit.MONTHS, Rate.perMonth(1));

  private final CalendarUnit unit;
  private final ChronoUnit storeUnit;
  private final Rate rate;

  Alignment(CalendarUnit unit, ChronoUnit storeUnit, Rate rate) {
    this.unit = unit;
    this.storeUnit = storeUnit;
    this.rate = rate;
  }

  /** Null for {@link #EPOCH}. */
  CalendarUnit unit() {
    return unit;
  }

  /** The unit of windows as the store names it; null for {@link #EPOCH}. */
  ChronoUnit storeUnit() {
    return storeUnit;
  }

  /** Whether the boundaries depend on the time zone. */
  boolean takesZone() {
    return this != EPOCH && this != MINUTE;
  }

  /** Whether a limit's window, as written, is this unit. */
  boolean fits(Rate limit) {
    return unit == null ? !limit.isMonthly() : rate.sameWindow(limit);
  }

  /** How the window that fits is written, such as {@code 1d}; null for {@link #EPOCH}. */
  String window() {
    return rate == null ? null : rate.window();
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
