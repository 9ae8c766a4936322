package dev.weir.proxy.admin;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Times as people read them. */
final class TimeText {
  private static final String[] UNITS = {"ns", "µs", "ms", "s"};

  private TimeText() {}

  /** Three digits, which is how exact the histograms are: {@code 845 ns}, {@code 12.3 ms}. */
  static String of(long ns) {
    double value = ns;
    int unit = 0;
    while (value >= 999.5 && unit < UNITS.length - 1) {
      value /= 1_000;
      unit++;
    }
    String format =
        unit == 0 || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, format, value, UNITS[unit]);
  }

  /** A power of ten of nanoseconds: {@code 100 µs}. */
  static String ofPower(int exponent) {
    int unit = Math.min(exponent / 3, UNITS.length - 1);
    return Math.round(Math.pow(10, exponent - 3 * unit)) + " " + UNITS[unit];
  }

  /** A length in its two largest units: {@code 42 s}, {@code 3 min 5 s}, {@code 2 d 4 h}. */
  static String ofLength(long ns) {
    long s = TimeUnit.NANOSECONDS.toSeconds(ns);
    if (s < 60) {
      return s + " s";
    }
    if (s < 3_600) {
      return s / 60 + " min" + rest(s % 60, "s");
    }
    return s < 86_400
        ? s / 3_600 + " h" + rest(s / 60 % 60, "min")
        : s / 86_400 + " d" + rest(s / 3_600 % 24, "h");
  }

  private static String rest(long count, String unit) {
    return count == 0 ? "" : " " + count + " " + unit;
  }
}
