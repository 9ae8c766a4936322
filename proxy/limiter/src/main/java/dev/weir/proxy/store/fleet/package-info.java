/**
 * The fleet: how many sidecars share the store, whether their rules agree, and which budgets
 * operators have reset. For the thread that reads the map of the servers; not on the hot path.
 */
package dev.weir.proxy.store.fleet;
