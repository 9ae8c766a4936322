package dev.weir.proxy.web;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Times and counts as people read them. */
final class FigureText {
  private static final String[] UNITS = {"ns", "µs", "ms", "s"};
  private static final String[] THOUSANDS = {"", "k", "M", "G", "T"};

  private FigureText() {}

  /** Three digits, which is how exact the histograms are: {@code 845 ns}, {@code 12.3 ms}. */
  static String ofTime(long ns) {
    return threeDigits(ns, UNITS);
  }

  /** All digits up to a million, then three: {@code 999999}, {@code 12.3 M}. */
  static String ofCount(long count) {
    return count < 1_000_000 ? Long.toString(count) : threeDigits(count, THOUSANDS);
  }

  private static String threeDigits(double figure, String[] units) {
    double value = figure;
    int unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
      value /= 1_000;
      unit++;
    }
    String format =
        unit == 0 || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, format, value, units[unit]);
  }

  /** A power of ten of nanoseconds: {@code 100 µs}. */
  static String ofTimePower(int exponent) {
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
