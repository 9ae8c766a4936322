package dev.weir.bench.accuracy;

/**
 * A logarithmic axis. What is outside of it, 0 too, is drawn at its nearer end.
 *
 * @param least value at {@code from}, above 0.
 * @param most value at {@code to}.
 */
record LogScale(double least, double most, double from, double to) {
  double at(double value) {
    if (!(value > least)) {
      return from;
    }
    final double part = Math.log(value / least) / Math.log(most / least);
    return from + Math.min(part, 1) * (to - from);
  }
}
