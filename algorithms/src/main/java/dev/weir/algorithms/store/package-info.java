/**
 * A store in memory: budgets as the script keeps them in Redis, and the same decisions in the same
 * arithmetic, in whole microseconds, and ticks of a fraction of one. For what simulates a fleet,
 * and beside the script in tests; nothing here is on the path of a request.
 *
 * <p>{@link dev.weir.algorithms.store.StoredBudgets} are the budgets of one identity, each a kind
 * of {@link dev.weir.algorithms.store.StoredBudget}; of them a {@link
 * dev.weir.algorithms.store.LeaseGrant} is granted, some of it to be used later.
 */
package dev.weir.algorithms.store;
