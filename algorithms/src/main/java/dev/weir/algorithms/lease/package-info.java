/**
 * Leases: units of a fleet's limit that one sidecar keeps for a while, to use them without asking.
 * Knows longs, nothing else; time is an argument. A hot path: a request that is decided from a hand
 * goes through here, and what it touches allocates nothing and takes no lock.
 *
 * <p>{@link dev.weir.algorithms.lease.LeaseTable} holds what a process keeps, of which key and
 * until when; {@link dev.weir.algorithms.lease.Leasing} takes from it and decides when to ask for
 * more, by the {@link dev.weir.algorithms.lease.LeaseTerms} of a limit; {@link
 * dev.weir.algorithms.lease.LeaseLife} says how long units are kept. What the store does about it
 * is in {@link dev.weir.algorithms.store}.
 */
package dev.weir.algorithms.lease;
