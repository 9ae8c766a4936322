package dev.weir.proxy.store;

/**
 * Which debts one shard may carry: {@link Debts} counts them here, so that a shard that has none
 * looks at none.
 */
final class ShardDebts {
  int count;
}
