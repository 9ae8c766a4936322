/**
 * Leases: units of a fleet's limit that one sidecar keeps for a while, to use them without asking.
 * Knows longs, nothing else; time is an argument. Nothing here is on the path of a request.
 *
 * <p>{@link dev.weir.algorithms.lease.LeaseLife} says how long units are kept. {@link
 * dev.weir.algorithms.lease.StoredBudget} and its kinds are the budgets of a store, in memory, in
 * the arithmetic of the script that decides in Redis: whole microseconds, and ticks of a fraction
 * of one. {@link dev.weir.algorithms.lease.StoredBudgets} are those of one identity, of which a
 * {@link dev.weir.algorithms.lease.LeaseGrant} is granted.
 */
package dev.weir.algorithms.lease;
