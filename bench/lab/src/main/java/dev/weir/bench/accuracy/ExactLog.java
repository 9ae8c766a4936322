package dev.weir.bench.accuracy;

import java.util.Arrays;

/**
 * The reference: for each key, every admission of the last window by its time, so that a request
 * passes if and only if fewer than the limit were admitted during (now - window, now]. Written from
 * that sentence alone; shares no code with the algorithms. Times of a key never step back.
 */
final class ExactLog {
  private final TimeQueue[] admissions;
  private final int limit;
  private final long windowNs;

  ExactLog(int keyCount, int limit, long windowNs) {
    admissions = new TimeQueue[keyCount];
    this.limit = limit;
    this.windowNs = windowNs;
  }

  /** Admissions during the window that ends now; may be above the limit if others decided. */
  int count(int key, long nowNs) {
    final TimeQueue queue = admissions[key];
    if (queue == null) {
      return 0;
    }
    queue.dropUntil(nowNs - windowNs);
    return queue.size();
  }

  boolean wouldAdmit(int key, long nowNs) {
    return count(key, nowNs) < limit;
  }

  /** Enters an admission, whoever decided on it. */
  void add(int key, long nowNs) {
    if (admissions[key] == null) {
      admissions[key] = new TimeQueue();
    }
    admissions[key].add(nowNs);
  }

  boolean admit(int key, long nowNs) {
    final boolean admitted = wouldAdmit(key, nowNs);
    if (admitted) {
      add(key, nowNs);
    }
    return admitted;
  }

  /** How long until a request passes if nobody else comes; 0 if it passes now. */
  long waitNs(int key, long nowNs) {
    final int count = count(key, nowNs);
    return count < limit ? 0 : admissions[key].get(count - limit) + windowNs - nowNs;
  }

  /** Times in the order in which they were added, oldest first. Grows as needed. */
  static final class TimeQueue {
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
}
