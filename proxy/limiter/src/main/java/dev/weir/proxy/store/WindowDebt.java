package dev.weir.proxy.store;

import dev.weir.scripts.ScriptLimit;

/**
 * The debt of a window's budget, in slices of an eighth of the time for which a charge counts. All
 * requests of a slice are charged as of its first one, so at most an eighth of a window is lost at
 * a boundary, and nothing is charged to a window before.
 */
final class WindowDebt extends Debt {
  private static final int SLICES = 8;
  private static final long NS_PER_US = 1_000;

  private long countsNs;
  private long sliceNs;
  private final long[] firstNs = new long[SLICES];
  private final long[] requests = new long[SLICES];
  private int size;

  @Override
  void begin(ScriptLimit of) {
    countsNs = of.countsUs() * NS_PER_US;
    sliceNs = Math.max(1, countsNs / SLICES);
    size = 0;
  }

  @Override
  void add(long added, long passedNs, long nowNs) {
    forgetUntil(nowNs);
    int slice = size - 1;
    while (slice >= 0 && firstNs[slice] > passedNs) {
      slice--;
    }
    if (slice >= 0 && passedNs - firstNs[slice] < sliceNs) {
      requests[slice] = Math.min(requests[slice] + added, most());
      return;
    }
    if (size == SLICES) { // only if some came late: else the oldest would be over
      requests[1] = Math.min(requests[0] + requests[1], most());
      firstNs[1] = firstNs[0];
      remove();
      slice = Math.max(slice - 1, 0);
    }
    int at = slice + 1;
    System.arraycopy(firstNs, at, firstNs, at + 1, size - at);
    System.arraycopy(requests, at, requests, at + 1, size - at);
    firstNs[at] = passedNs;
    requests[at] = Math.min(added, most());
    size++;
  }

  private void forgetUntil(long nowNs) {
    while (size > 0 && nowNs - firstNs[0] >= countsNs) {
      remove();
    }
  }

  private void remove() {
    size--;
    System.arraycopy(firstNs, 1, firstNs, 0, size);
    System.arraycopy(requests, 1, requests, 0, size);
  }

  @Override
  long requests(long nowNs) {
    forgetUntil(nowNs);
    return size == 0 ? 0 : requests[0];
  }

  @Override
  long passedNs(long ofRequests) {
    return firstNs[0];
  }

  @Override
  void removeOldest() {
    remove();
  }
}
