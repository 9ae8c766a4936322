/**
 * The store that a fleet shares: batches of checks on their way to its servers and back, circuit
 * breakers, and what is done while a server is away. Knows keys, limits and tickets, and no rule.
 * Hot path.
 */
package dev.weir.proxy.store;
