package dev.weir.bench.report;

/**
 * The outcome of a threshold.
 *
 * @param threshold as it was asked for: {@code p99<2ms}.
 * @param measured the value with its unit: {@code 1.31 ms}.
 */
public record Check(String threshold, String measured, boolean passed) {}
