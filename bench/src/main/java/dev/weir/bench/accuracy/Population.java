package dev.weir.bench.accuracy;

/**
 * Who sends {@link Traffic#ZIPF} traffic.
 *
 * @param exponent of Zipf's law, see {@link ZipfKeys}.
 */
record Population(int keys, double exponent) {}
