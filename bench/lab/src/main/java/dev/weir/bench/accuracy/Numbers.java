package dev.weir.bench.accuracy;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers as the report shows them. */
final class Numbers {
  private Numbers() {}

  /** Without an exponent or trailing zeros: 0.5, 1, 12000. */
  static String plain(double value) {
    return value == 0 ? "0" : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }

  /** To {@code digits} significant digits: 1.23, 0.00123, 0; "-" for not a number. */
  static String significant(double value, int digits) {
    if (Double.isNaN(value)) {
      return "-";
    }
    if (value == 0) {
      return "0";
    }
    final BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits));
    return rounded.stripTrailingZeros().toPlainString();
  }

  /** {@code part} of {@code whole} in percent, two digits; "0" only of none, "-" of no whole. */
  static String percent(long part, long whole) {
    return whole == 0 ? "-" : significant(100.0 * part / whole, 2);
  }
}
