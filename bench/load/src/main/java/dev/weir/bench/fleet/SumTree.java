package dev.weir.bench.fleet;

/** Counts by place, and the sum of those before a place: a Fenwick tree. Not thread-safe. */
final class SumTree {
  private final long[] sums;

  SumTree(int places) {
    sums = new long[places + 1];
  }

  void increment(int place) {
    for (int i = place + 1; i < sums.length; i += i & -i) {
      sums[i]++;
    }
  }

  /** The sum of the counts at all places before this one. */
  long sum(int places) {
    long sum = 0;
    for (int i = places; i > 0; i -= i & -i) {
      sum += sums[i];
    }
    return sum;
  }
}
