/**
 * The servers of the store: which server has which of the partitions that budgets belong to, the
 * names of budgets, and connections to the servers beside the batches. Knows no question.
 */
package dev.weir.proxy.store.map;
