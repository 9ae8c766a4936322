/**
 * The fleet: how many sidecars share the store, whether their rules agree, and which budgets were
 * reset by hand. For the thread that keeps the map of the servers; not on the hot path.
 */
package dev.weir.proxy.store.fleet;
