/**
 * The cost of a decision in Redis: a load that is cheaper than the server it asks, and the variants
 * that it asks for.
 */
package dev.weir.bench.store;
