package dev.weir.proxy.metrics;

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
    long count, double sumNs, long maxNs, double[] quantiles, long[] valuesNs) {}
