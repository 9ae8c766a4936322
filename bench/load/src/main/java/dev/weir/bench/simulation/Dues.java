package dev.weir.bench.simulation;

import java.util.Arrays;

/**
 * Requests that wait, in the order in which they came: each is when it has to have its decision, on
 * its sidecar's clock.
 */
final class Dues {
  private long[] timesNs = new long[4];
  private int count;

  void add(long dueNs) {
    if (count == timesNs.length) {
      timesNs = Arrays.copyOf(timesNs, 2 * count);
    }
    timesNs[count++] = dueNs;
  }

  /** Takes over another's, which has none then. */
  void take(Dues from) {
    long[] own = timesNs;
    timesNs = from.timesNs;
    count = from.count;
    from.timesNs = own;
    from.count = 0;
  }

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  long get(int index) {
    return timesNs[index];
  }
}
