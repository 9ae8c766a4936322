package dev.weir.bench.fleet;

import dev.weir.bench.process.RedisServer;

/**
 * The fleet and the store to which a fault happens.
 *
 * @param relay between the sidecars and the store.
 * @param replica of the store; null unless the fault needs one.
 */
record FaultSite(Fleet fleet, StoreRelay relay, RedisServer store, RedisServer replica) {}
