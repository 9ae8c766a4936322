package dev.weir.bench.rounds;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/** A figure over the rounds that have it; NaN throughout if none has. */
public record Spread(double median, double least, double most) {
  public static Spread of(double... values) {
    final double[] sorted =
        Arrays.stream(values).filter(value -> !Double.isNaN(value)).sorted().toArray();
    if (sorted.length == 0) {
      return new Spread(Double.NaN, Double.NaN, Double.NaN);
    }
    final int half = sorted.length / 2;
    final double median =
        sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }

  /**
   * A figure relative to another, round by round: what disturbed a round disturbed both.
   *
   * @param figures one per round, as {@code bases} has; rounds that only one of them has are left
   *     out, and those whose base is 0, as the processor time of a short one may be.
   */
  public static Spread ratio(double[] figures, double[] bases) {
    final double[] ratios =
        IntStream.range(0, Math.min(figures.length, bases.length))
            .filter(i -> bases[i] != 0)
            .mapToDouble(i -> figures[i] / bases[i])
            .toArray();
    return of(ratios);
  }

  /** The median alone, with so many decimals; "-" for not a number. */
  public String medianText(int decimals) {
    return Double.isNaN(median) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", median);
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
