package dev.weir.proxy.rule.spec;

import java.util.concurrent.TimeUnit;

/**
 * A count per window: {@code 100/1s}, {@code 20k/1m}, {@code 5/30s}, {@code 1M/1d}; or per month of
 * the calendar: {@code 1000/1month}. A token bucket's may have decimals: {@code 0.5/1s}.
 *
 * @param count in units, 1 to {@value #MAX_COUNT}.
 * @param windowNs 1 ms or more, in nanoseconds; of a month, the longest one; 0 of what is limited
 *     at a time.
 * @param isMonthly whether the window is a calendar month, which has no fixed length.
 * @param unit how many units are one: 1, or {@link Thousandths#ONE}.
 * @param least of a number at a time that is found, the least that it can be; {@code count} is the
 *     most. Else 0.
 */
public record Rate(long count, long windowNs, boolean isMonthly, int unit, long least) {
  /** The largest number that the RateLimit fields can carry (RFC 9651, section 3.3.1). */
  public static final long MAX_COUNT = 999_999_999_999_999L;

  /** A count for limits that only count and never refuse: larger than any rule may have. */
  private static final long UNBOUNDED = 1L << 52;

  private static final String EXPECTED = "a rate such as 100/1s, 10/1m, 1000/1h or 1/1d";
  private static final String MONTH = "1month";

  /** The length of the window of a limit that has none, {@link #atATime}. */
  private static final long NO_WINDOW = 0;

  Rate(long count, long windowNs) {
    this(count, windowNs, false, 1);
  }

  private Rate(long count, long windowNs, boolean isMonthly, int unit) {
    this(count, windowNs, isMonthly, unit, 0);
  }

  /** A number of requests at a time, which has no window. */
  static Rate atATime(long count) {
    return new Rate(count, NO_WINDOW);
  }

  /** A number at a time that is found between two, 1 or more. */
  static Rate atATime(long least, long most) {
    return new Rate(most, NO_WINDOW, false, 1, least);
  }

  static Rate perMonth(long count) {
    return perMonth(count, 1);
  }

  private static Rate perMonth(long count, int unit) {
    return new Rate(count, TimeUnit.DAYS.toNanos(31), true, unit);
  }

  /** The rate of a limit that counts by windows and never refuses. */
  public static Rate unbounded(long windowNs) {
    return new Rate(UNBOUNDED, windowNs);
  }

  /** Whether it never refuses. */
  boolean isUnbounded() {
    return count == UNBOUNDED;
  }

  /**
   * @throws BadValueException if the text is no rate.
   */
  public static Rate parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 1) {
      throw new BadValueException(text, EXPECTED);
    }
    String digits = digits(text.substring(0, slash));
    long thousandths = Thousandths.isDecimal(digits) ? thousandths(text, digits) : 0;
    boolean isFraction = Thousandths.isFraction(thousandths);
    int unit = isFraction ? Thousandths.ONE : 1;
    long count =
        isFraction
            ? thousandths
            : thousandths > 0 ? thousandths / Thousandths.ONE : count(text, digits);
    if (text.endsWith("/" + MONTH)) {
      return perMonth(count, unit);
    }
    try {
      long windowNs = DurationText.parseNs(text.substring(slash + 1));
      if (count / unit > windowNs) {
        throw new BadValueException(text, "at most one per nanosecond");
      }
      return new Rate(count, windowNs, false, unit);
    } catch (BadValueException window) {
      throw window.value().equals(text)
          ? window
          : new BadValueException(text, "count/window, the window " + window.expected());
    }
  }

  /**
   * As {@link #parse}, for callers that count in whole units.
   *
   * @throws BadValueException if the text is no rate, or has decimals.
   */
  public static Rate parseWhole(String text) {
    Rate rate = parse(text);
    if (rate.unit != 1) {
      throw new BadValueException(text, "a whole number per window");
    }
    return rate;
  }

  /** The digits of a whole number that may end in {@code k} or {@code M}: 20000 of {@code 20k}. */
  public static String digits(String number) {
    String zeros = number.endsWith("k") ? "000" : number.endsWith("M") ? "000000" : "";
    if (zeros.isEmpty() || !number.matches("[1-9][0-9]*[kM]")) {
      return number;
    }
    return number.substring(0, number.length() - 1) + zeros;
  }

  private static long thousandths(String text, String digits) {
    try {
      return Thousandths.parse(digits);
    } catch (BadValueException bad) {
      throw new BadValueException(text, bad.expected());
    }
  }

  /** This rate, counted in thousandths. */
  Rate inThousandths() {
    return unit == 1
        ? new Rate(count * Thousandths.ONE, windowNs, isMonthly, Thousandths.ONE)
        : this;
  }

  /** This rate times a factor. */
  Rate times(long factorThousandths) {
    return new Rate(times(count, factorThousandths), windowNs, isMonthly, unit, least);
  }

  /** A number times a factor, at least 1. */
  static long times(long number, long factorThousandths) {
    double exact = (double) number * factorThousandths / Thousandths.ONE;
    long times =
        exact > MAX_COUNT
            ? MAX_COUNT
            : number / Thousandths.ONE * factorThousandths
                + number % Thousandths.ONE * factorThousandths / Thousandths.ONE;
    return Math.max(1, times);
  }

  /**
   * This rate in another unit; of decimals that the unit has not, the whole units below, or one.
   */
  Rate in(int other) {
    return unit == other
        ? this
        : other == 1
            ? new Rate(Math.max(1, count / unit), windowNs, isMonthly, 1, least)
            : inThousandths();
  }

  /** Whether it is so many at a time, which has no window. */
  boolean isAtATime() {
    return windowNs == NO_WINDOW;
  }

  /** Whether another rate is per the same window. */
  boolean sameWindow(Rate other) {
    return windowNs == other.windowNs && isMonthly == other.isMonthly;
  }

  /** The window as written, in the largest unit that fits. */
  public String window() {
    return isMonthly ? MONTH : DurationText.text(windowNs);
  }

  /** Whether it is a number at a time that is found. */
  boolean isFound() {
    return least > 0;
  }

  /** The rate as written, in the largest unit of time that fits. */
  @Override
  public String toString() {
    String from = isFound() ? least + " to " : "";
    return from + Thousandths.text(count, unit) + (isAtATime() ? " at a time" : "/" + window());
  }

  private static long count(String text, String digits) {
    for (int i = 0; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        throw new BadValueException(
            text, digits.startsWith("-") ? "1 or more per window" : EXPECTED);
      }
    }
    if (digits.length() > 15) {
      throw new BadValueException(text, "at most " + MAX_COUNT + " per window");
    }
    long count = Long.parseLong(digits);
    if (count == 0) {
      throw new BadValueException(text, "1 or more per window");
    }
    return count;
  }
}
