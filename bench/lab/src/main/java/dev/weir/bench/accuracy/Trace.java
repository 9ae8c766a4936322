package dev.weir.bench.accuracy;

/**
 * Requests in the order of their arrival: the i-th comes at {@code timesNs[i]} for {@code keys[i]}.
 * Owns its arrays; nobody changes them.
 *
 * @param timesNs never step back, 1 or more.
 * @param keys from 0 to {@code keyCount - 1}.
 */
record Trace(long[] timesNs, int[] keys, int keyCount) {
  /** Rounds of bursts; between them the limiter forgets. */
  private static final int ROUNDS = 8;

  private static final int ROUND_WINDOWS = 4;

  /** Requests of a flood come at so many times the limit's rate. */
  private static final int FLOOD_FACTOR = 1000;

  private static final int FLOOD_WINDOWS = 2;

  int size() {
    return timesNs.length;
  }

  static Trace ofOneKey(long[] timesNs) {
    return new Trace(timesNs, new int[timesNs.length], 1);
  }

  /** A client who uses the limit in the last nanosecond of a window, and again in the first. */
  static Trace bursts(int limit, long windowNs) {
    final long[] timesNs = new long[ROUNDS * 2 * limit];
    for (int i = 0; i < timesNs.length; i++) {
      final long edgeNs = (1 + i / (2 * limit)) * ROUND_WINDOWS * windowNs;
      timesNs[i] = i % (2 * limit) < limit ? edgeNs - 1 : edgeNs;
    }
    return ofOneKey(timesNs);
  }

  /** A client who uses the limit in the last nanosecond, then floods the next two windows. */
  static Trace flood(int limit, long windowNs) {
    final long edgeNs = ROUND_WINDOWS * windowNs;
    final int perWindow = FLOOD_FACTOR * limit;
    final long[] timesNs = new long[limit + FLOOD_WINDOWS * perWindow];
    for (int i = 0; i < timesNs.length; i++) {
      timesNs[i] = i < limit ? edgeNs - 1 : edgeNs + (i - limit) * windowNs / perWindow;
    }
    return ofOneKey(timesNs);
  }
}
