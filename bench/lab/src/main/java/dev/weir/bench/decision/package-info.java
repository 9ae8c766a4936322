/**
 * What calls of the decision API cost a sidecar, beside servers that only echo, and what they cost
 * the store.
 */
package dev.weir.bench.decision;
