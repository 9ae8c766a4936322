package dev.weir.proxy.envoy.file;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The unit of a limit, whose windows have one length and are counted from the Unix epoch. A month
 * has 30 days, a year 365, and a week begins on a Thursday, as the epoch did.
 */
public enum LimitUnit {
  SECOND(1, "1s", 1),
  MINUTE(2, "1m", 60),
  HOUR(3, "1h", 3_600),
  DAY(4, "1d", 86_400),
  MONTH(5, "30d", 30 * 86_400),
  YEAR(6, "365d", 365 * 86_400),
  WEEK(7, "7d", 7 * 86_400);

  private static final LimitUnit[] BY_NUMBER = new LimitUnit[8];

  static {
    for (LimitUnit unit : values()) {
      BY_NUMBER[unit.number] = unit;
    }
  }

  private final int number;
  private final String window;
  private final long seconds;
  private final long windowNs;
  private final String text = name().toLowerCase(Locale.ROOT);

  LimitUnit(int number, String window, long seconds) {
    this.number = number;
    this.window = window;
    this.seconds = seconds;
    windowNs = TimeUnit.SECONDS.toNanos(seconds);
  }

  /** The unit with a number of {@code RateLimitResponse.RateLimit.Unit}; null if there is none. */
  public static LimitUnit ofNumber(long number) {
    return number < 0 || number >= BY_NUMBER.length ? null : BY_NUMBER[(int) number];
  }

  /** The unit with a name in files, in any case; null if there is none. */
  public static LimitUnit ofText(String text) {
    for (LimitUnit unit : values()) {
      if (unit.name().equalsIgnoreCase(text)) {
        return unit;
      }
    }
    return null;
  }

  /** The number in {@code RateLimitResponse.RateLimit.Unit}. */
  public int number() {
    return number;
  }

  /** The window as rules write it, such as {@code 1m}. */
  public String window() {
    return window;
  }

  public long seconds() {
    return seconds;
  }

  public long windowNs() {
    return windowNs;
  }

  /** Seconds until the window ends, rounded up. */
  public long secondsLeft(long unixNs) {
    return (windowNs - unixNs % windowNs + 999_999_999) / 1_000_000_000;
  }

  /** The name in files. */
  @Override
  public String toString() {
    return text;
  }
}
