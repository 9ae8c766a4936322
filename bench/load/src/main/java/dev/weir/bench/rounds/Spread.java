package dev.weir.bench.rounds;

import java.util.Arrays;
import java.util.Locale;

/** A figure over the rounds; NaN throughout if there is none. */
public record Spread(double median, double least, double most) {
  public static Spread of(double... values) {
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

  /**
   * A figure relative to another, round by round: what disturbed a round disturbed both.
   *
   * @param figures one per round, as {@code bases} has; rounds that only one of them has are left
   *     out.
   */
  public static Spread ratio(double[] figures, double[] bases) {
    final double[] ratios = new double[Math.min(figures.length, bases.length)];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = figures[i] / bases[i];
    }
    return of(ratios);
  }

  /** Median (least..most) with so many decimals; "-" for not a number. */
  public String text(int decimals) {
    if (Double.isNaN(median)) {
      return "-";
    }
    final String number = "%." + decimals + "f";
    return String.format(
        Locale.ROOT, number + " (" + number + ".." + number + ")", median, least, most);
  }
}
