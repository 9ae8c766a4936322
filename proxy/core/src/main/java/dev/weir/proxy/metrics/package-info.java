/**
 * The counters and times of the sidecar. Hot path on the writing side: each event loop has a {@link
 * dev.weir.proxy.metrics.LoopMetrics} of its own, writes it without a lock or an allocation, and
 * never waits for a reader. All merging is the reader's work.
 *
 * <p>Labels are bounded by what is configured: rules, reasons, status classes. A client's value is
 * never one.
 */
package dev.weir.proxy.metrics;
