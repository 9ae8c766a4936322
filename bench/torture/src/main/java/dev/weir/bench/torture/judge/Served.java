package dev.weir.bench.torture.judge;

/**
 * What the service had of a request.
 *
 * @param firstNs when its head had come first.
 * @param count how often it came.
 */
public record Served(long firstNs, int count) {}
