/**
 * The cost of calls of the decision API for a sidecar, beside servers that only echo, and for the
 * store.
 */
package dev.weir.bench.decision;
