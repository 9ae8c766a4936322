package dev.weir.bench.store;

import java.util.Arrays;
import java.util.Locale;

/** A figure over the rounds; NaN throughout if there is none. */
record Spread(double median, double least, double most) {
  static Spread of(double... values) {
    if (values.length == 0) {
      return new Spread(Double.NaN, Double.NaN, Double.NaN);
    }
    final double[] sorted = values.clone();
    Arrays.sort(sorted);
    final int half = sorted.length / 2;
    final double median =
        sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }

  /** Median (least..most) with so many decimals; "-" for not a number. */
  String text(int decimals) {
    if (Double.isNaN(median)) {
      return "-";
    }
    final String number = "%." + decimals + "f";
    return String.format(
        Locale.ROOT, number + " (" + number + ".." + number + ")", median, least, most);
  }
}
