package dev.weir.algorithms;

/**
 * A limit that keeps a record beside its word: a ring of cells in the slot of the key.
 *
 * <p><b>Progress.</b> Lock-free, as for one word: the word alone decides, by CAS, and what is in
 * the ring is written before it in a way that any thread may repeat or finish. A thread that stops
 * anywhere stops no other.
 */
abstract sealed class RingLimit extends Limit permits SlidingLogLimit, BucketRingLimit {
  /**
   * @param cells needed; rounded up to a power of two.
   */
  RingLimit(long capacity, int cells) {
    super(capacity, Integer.highestOneBit(2 * cells - 1));
  }
}
