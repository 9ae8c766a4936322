package dev.weir.proxy.rule.spec;

import java.util.concurrent.TimeUnit;

/** Durations as text: {@code 500ms}, {@code 10s}, {@code 5m}, {@code 1h}, {@code 1d}. */
public final class DurationText {
  /** The syntax of a duration, for messages. */
  public static final String EXPECTED = "a duration such as 500ms, 10s, 5m, 1h or 1d";

  /** The most days; longer durations would overflow sums of times. */
  private static final long MAX_DAYS = 3660;

  private DurationText() {}

  /**
   * Parses a duration.
   *
   * @return nanoseconds, 1 ms or more and at most ten years.
   * @throws BadValueException if the text is no duration.
   */
  public static long parseNs(String text) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
      digits++;
    }
    TimeUnit unit =
        switch (text.substring(digits)) {
          case "ms" -> TimeUnit.MILLISECONDS;
          case "s" -> TimeUnit.SECONDS;
          case "m" -> TimeUnit.MINUTES;
          case "h" -> TimeUnit.HOURS;
          case "d" -> TimeUnit.DAYS;
          default -> throw new BadValueException(text, EXPECTED);
        };
    if (digits == 0 || digits > 15) {
      throw new BadValueException(text, EXPECTED);
    }
    long count = Long.parseLong(text.substring(0, digits));
    if (count == 0) {
      throw new BadValueException(text, "1ms or more");
    }
    if (count > unit.convert(MAX_DAYS, TimeUnit.DAYS)) {
      throw new BadValueException(text, "at most " + MAX_DAYS + "d");
    }
    return unit.toNanos(count);
  }

  /** The text of a duration of whole milliseconds, in the largest unit that fits. */
  public static String text(long ns) {
    String[] units = {"d", "h", "m", "s"};
    long[] unitNs = {86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L};
    for (int i = 0; i < units.length; i++) {
      if (ns % unitNs[i] == 0) {
        return ns / unitNs[i] + units[i];
      }
    }
    return ns / 1_000_000 + "ms";
  }
}
