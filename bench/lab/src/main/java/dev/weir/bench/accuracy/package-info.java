/**
 * How often an algorithm decides otherwise than an exact log of what it admitted: traffic, the
 * reference, the comparison, and the report. Simulated time, one thread, the same figures for the
 * same seed.
 */
package dev.weir.bench.accuracy;
