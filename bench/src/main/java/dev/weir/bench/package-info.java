/** Benchmarks (JMH), concurrency stress tests (jcstress) and the tools that measure the sidecar. */
package dev.weir.bench;
