package dev.weir.bench.load;

import java.util.Locale;

/** Times as reports say them. */
final class Times {
  private Times() {}

  /** Three digits and the unit that makes them so. */
  static String text(long ns) {
    if (ns < 1_000) {
      return ns + " ns";
    }
    if (ns < 999_500) {
      return digits(ns / 1e3) + " us";
    }
    return ns < 999_500_000 ? digits(ns / 1e6) + " ms" : digits(ns / 1e9) + " s";
  }

  private static String digits(double value) {
    return String.format(
        Locale.ROOT, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
  }
}
