/**
 * Scenarios of load: which requests, when, over which connections, and what must hold in the end.
 * Read from a file or from flags, which have the same names and take the same texts.
 */
package dev.weir.bench.scenario;
