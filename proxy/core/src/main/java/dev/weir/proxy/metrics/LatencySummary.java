package dev.weir.proxy.metrics;

import org.HdrHistogram.Histogram;

/**
 * A step's times in figures.
 *
 * @param count how many times were recorded.
 * @param sumNs their sum.
 * @param maxNs the longest; 0 when there is none.
 * @param quantiles those asked for, each from 0 to 1.
 * @param valuesNs the times at these quantiles, in their order; 0 when there is none.
 */
public record LatencySummary(
    long count, double sumNs, long maxNs, double[] quantiles, long[] valuesNs) {

  static LatencySummary of(Histogram times, double sumNs, double... quantiles) {
    long[] valuesNs = new long[quantiles.length];
    for (int i = 0; i < quantiles.length; i++) {
      valuesNs[i] = times.getValueAtPercentile(quantiles[i] * 100);
    }
    return new LatencySummary(
        times.getTotalCount(), sumNs, times.getMaxValue(), quantiles, valuesNs);
  }
}
