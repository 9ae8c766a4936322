/** Processes that are measured: where they run, what they spend, and that they end. */
package dev.weir.bench.process;
