package dev.weir.bench.report;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Numbers as reports say them: three digits that count, and thousands apart. */
public final class FigureText {
  private static final double NS_PER_MS = 1e6;

  private FigureText() {}

  static double ms(long ns) {
    return ns / NS_PER_MS;
  }

  /** A percentile of latencies as {@link #plain} says it, in milliseconds; 0 for the least. */
  static String ms(Histogram latencies, double percentile) {
    return plain(
        ms(percentile == 0 ? latencies.getMinValue() : latencies.getValueAtPercentile(percentile)));
  }

  /** {@code p50}, {@code p99.9}; {@code max} for 100. */
  static String percentile(double percentile) {
    if (percentile == 100) {
      return "max";
    }
    return percentile == Math.rint(percentile) ? "p" + (long) percentile : "p" + percentile;
  }

  /** {@code 12,345}, {@code 131}, {@code 13.1}, {@code 1.31}, {@code 0.131}, {@code 0.0131}. */
  static String plain(double value) {
    final double size = Math.abs(value);
    if (size >= 99.95 || size == 0) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    // A smaller value than that would be longer than it says.
    final int decimals = size >= 9.995 ? 1 : size >= 0.9995 ? 2 : size >= 0.09995 ? 3 : 4;
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }

  /** {@code 12,345}. */
  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** {@code 30}, {@code 30.25}. */
  static String seconds(long ms) {
    return new BigDecimal(BigInteger.valueOf(ms), 3).stripTrailingZeros().toPlainString();
  }

  /** {@code 12.3 %}; what is not quite none or all does not say that it is. */
  static String share(long part, long whole) {
    if (whole == 0) {
      return "–";
    }
    final double percent = 100.0 * part / whole;
    if (part == 0 || part == whole) {
      return (part == 0 ? "0" : "100") + " %";
    }
    if (percent < 0.001) {
      return "<0.001 %";
    }
    if (percent > 99.99 && percent < 100) {
      return ">99.99 %";
    }
    final int decimals = percent < 0.1 ? 3 : percent < 10 || percent > 99 ? 2 : 1;
    return String.format(Locale.ROOT, "%." + decimals + "f %%", percent);
  }

  /** {@code 1.31}, {@code 0.0131}: how many times another a value is. */
  static String ratio(double value, double first) {
    return first == 0 ? "–" : plain(value / first);
  }

  /** {@code 999 ns}, {@code 1.31 ms}: three digits and the unit that makes them so. */
  public static String time(long ns) {
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
