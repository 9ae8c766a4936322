package dev.weir.bench.accuracy;

import dev.weir.bench.keys.ZipfKeys;

/**
 * Who sends {@link Traffic#ZIPF} traffic.
 *
 * @param exponent of Zipf's law, see {@link ZipfKeys}.
 */
record Population(int keys, double exponent) {}
