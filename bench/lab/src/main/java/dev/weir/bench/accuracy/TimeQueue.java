package dev.weir.bench.accuracy;

import java.util.Arrays;

/** Times in the order in which they were added, oldest first. Grows as needed. */
final class TimeQueue {
  private long[] timesNs = new long[8];
  private int head;
  private int size;

  int size() {
    return size;
  }

  /**
   * @param index 0, the oldest, to size - 1.
   */
  long get(int index) {
    return timesNs[(head + index) & (timesNs.length - 1)];
  }

  void add(long timeNs) {
    if (size == timesNs.length) {
      final long[] larger = Arrays.copyOf(timesNs, 2 * size);
      System.arraycopy(timesNs, 0, larger, size, head);
      timesNs = larger;
    }
    timesNs[(head + size) & (timesNs.length - 1)] = timeNs;
    size++;
  }

  /** Drops times from the oldest on, as long as they are not after {@code timeNs}. */
  void dropUntil(long timeNs) {
    while (size > 0 && timesNs[head] <= timeNs) {
      head = (head + 1) & (timesNs.length - 1);
      size--;
    }
  }
}
