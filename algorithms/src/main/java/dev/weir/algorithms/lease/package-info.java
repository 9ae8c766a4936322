/**
 * Leases: units of a fleet's limit that one sidecar keeps for a while, to use them without asking.
 * Knows longs, nothing else; time is an argument.
 *
 * <p>{@link dev.weir.algorithms.lease.LeaseLife} says how long units are kept.
 */
package dev.weir.algorithms.lease;
