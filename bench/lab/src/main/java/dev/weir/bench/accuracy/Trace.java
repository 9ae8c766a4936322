package dev.weir.bench.accuracy;

/**
 * Requests in the order of their arrival: the i-th comes at {@code timesNs[i]} for {@code keys[i]}.
 * Owns its arrays; nobody changes them.
 *
 * @param timesNs never step back, 1 or more.
 * @param keys from 0 to {@code keyCount - 1}.
 */
record Trace(long[] timesNs, int[] keys, int keyCount) {
  int size() {
    return timesNs.length;
  }

  /** All requests are one key's. */
  static Trace ofOneKey(long[] timesNs) {
    return new Trace(timesNs, new int[timesNs.length], 1);
  }
}
