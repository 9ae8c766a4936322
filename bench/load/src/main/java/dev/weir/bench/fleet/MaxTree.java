package dev.weir.bench.fleet;

/**
 * Numbers by place, 0 at first, of which a range is added to at once, and the greatest from a place
 * on is told: a segment tree whose additions stay where they cover a node. Not thread-safe.
 */
final class MaxTree {
  private final int leaves;
  private final long[] most;
  private final long[] added;

  /**
   * @param places 1 or more.
   */
  MaxTree(int places) {
    leaves = Math.max(1, Integer.highestOneBit(2 * places - 1));
    most = new long[2 * leaves];
    added = new long[2 * leaves];
    // Behind the last place there is nothing that could be the greatest.
    for (int i = places; i < leaves; i++) {
      most[leaves + i] = Long.MIN_VALUE / 2;
    }
    for (int i = leaves - 1; i > 0; i--) {
      most[i] = Math.max(most[2 * i], most[2 * i + 1]);
    }
  }

  /** Adds to the places from one to before another. */
  void add(int from, int to, long value) {
    add(1, 0, leaves, from, to, value);
  }

  private void add(int node, int begin, int end, int from, int to, long value) {
    if (to <= begin || end <= from) {
      return;
    }
    if (from <= begin && end <= to) {
      most[node] += value;
      added[node] += value;
      return;
    }
    final int middle = (begin + end) / 2;
    add(2 * node, begin, middle, from, to, value);
    add(2 * node + 1, middle, end, from, to, value);
    most[node] = Math.max(most[2 * node], most[2 * node + 1]) + added[node];
  }

  /** The greatest from a place on, which is one of them. */
  long max(int from) {
    return max(1, 0, leaves, from);
  }

  private long max(int node, int begin, int end, int from) {
    if (from <= begin) {
      return most[node];
    }
    final int middle = (begin + end) / 2;
    final long right = max(2 * node + 1, middle, end, from);
    return added[node]
        + (from >= middle ? right : Math.max(right, max(2 * node, begin, middle, from)));
  }
}
